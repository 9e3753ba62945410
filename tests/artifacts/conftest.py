"""Blobs of these tests go to a folder of their own."""

import pytest

from artifacts.services import create_artifact, create_context


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    settings.GOALSITE_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def namespace(db):
    return create_context()


@pytest.fixture
def make(namespace):
    """Makes an artifact in `namespace` unless told otherwise."""

    def make_artifact(name="options", value=1, **fields):
        fields = {"context": namespace, "type": "data", "description": f"the {name}", **fields}
        if "blob" not in fields:
            fields["value"] = value
        return create_artifact(name=name, **fields)

    return make_artifact
