"""Reading an artifact's value in stretches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goals.tools.artifact_read import ReadArtifact
from goals.tools.errors import ToolInputError


def read(artifact, **more):
    tool = ReadArtifact()
    return tool.run(tool.parse({"artifact": artifact, **more}), None).value


@given(st.text(), st.integers(1, 50))
def test_the_stretches_make_the_whole(text, limit):
    parts, offset = [], 0
    while offset is not None:
        part = read(text, offset=offset, limit=limit)
        assert part["characters"] == len(text)
        parts.append(part["text"])
        offset = part["next_offset"]
    assert "".join(parts) == text


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (False, "false"), (None, "null"), ("", ""), ([1], "[\n 1\n]")])
def test_every_value_can_be_read(value, text):
    assert read(value)["text"] == text


def test_an_offset_beyond_the_end_is_refused_with_the_length():
    with pytest.raises(ToolInputError, match="beyond its 3 characters"):
        read("abc", offset=4)
