"""Procedures from files: all or nothing, and no new version without a change."""

import json

import pytest
import yaml

from sops import importer
from sops.exceptions import LoadRefused
from sops.exporter import export
from sops.models import Perspective, Sop, SopOrigin, SopStatus, SopVersion
from tests.sops.conftest import LIBRARY, SEED

pytestmark = pytest.mark.django_db


def write(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_json_and_yaml_and_folders_are_read(tmp_path, minimal):
    write(tmp_path, "tea.json", minimal)
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep", "train.yaml", yaml.safe_dump(SEED))
    write(tmp_path, "several.yml", yaml.safe_dump_all([minimal | {"slug": "a"}, minimal | {"slug": "b"}]))
    assert [stored.slug for stored in importer.load([tmp_path])] == ["a", "b", "book-a-train-ticket", "tea"]
    version = SopVersion.objects.get(sop__slug="tea")
    assert version.is_current
    assert version.sop.status == SopStatus.ACTIVE


def test_an_unchanged_file_makes_no_version_and_a_changed_one_the_next(tmp_path, minimal):
    path = write(tmp_path, "tea.json", minimal)
    assert [s.change for s in importer.load([path])] == ["created"]
    assert [s.change for s in importer.load([path])] == ["unchanged"]
    write(tmp_path, "tea.json", minimal | {"intent": "Make two cups of tea"})
    assert [(s.change, s.number) for s in importer.load([path])] == [("updated", 2)]
    write(tmp_path, "tea.json", minimal)
    assert [(s.change, s.number) for s in importer.load([path])] == [("updated", 3)]
    assert [v.is_current for v in SopVersion.objects.order_by("number")] == [False, False, True]
    assert set(Perspective.objects.values_list("version__number", flat=True)) == {3}


def test_what_an_operator_decided_holds_against_the_same_file(tmp_path, minimal):
    path = write(tmp_path, "tea.json", minimal)
    importer.load([path], origin=SopOrigin.LIBRARY)
    own = write(tmp_path, "own.json", minimal | {"intent": "Make it strong"})
    importer.load([own], origin=SopOrigin.PERSON)
    Sop.objects.update(status=SopStatus.RETIRED)
    assert [s.change for s in importer.load([path], origin=SopOrigin.LIBRARY)] == ["unchanged"]
    assert Sop.objects.get().status == SopStatus.RETIRED
    assert Sop.objects.get().current.intent == "Make it strong"


def test_one_wrong_file_keeps_all_out(tmp_path, minimal):
    write(tmp_path, "a.json", minimal)
    write(tmp_path, "b.json", minimal | {"slug": "b", "steps": 7})
    with pytest.raises(LoadRefused, match=r"b\.json: steps: "):
        importer.load([tmp_path])
    assert not Sop.objects.exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.json", "{", "is not JSON"),
        ("x.json", '{"title": NaN}', "NaN is not a JSON value"),
        ("x.json", '{"title": "a", "title": "b"}', "'title' is given twice"),
        ("x.json", "[" * 100_000, "is not JSON"),
        ("x.json", "[]", "is empty"),
        ("x.json", '"text"', "a procedure is an object"),
        ("x.yaml", "a: [", "is not YAML"),
        ("x.yaml", "", "is empty"),
        ("x.yaml", "a: &x [1]\nb: *x", "aliases"),
        ("x.yaml", "title: a\ntitle: b", "given twice"),
        ("x.yaml", "!!python/object:os.system {}", "is not YAML"),
        ("x.txt", "title: a", "must end in .json, .yaml, .yml"),
        ("x.yaml", "title: tea\nintent: 2026-01-01\nsteps: [x]\nzip: 2", "zip: unknown field"),
    ],
)
def test_files_that_are_no_procedures_are_named(tmp_path, name, content, said):
    with pytest.raises(LoadRefused) as caught:
        importer.load([write(tmp_path, name, content)])
    assert name in str(caught.value)
    assert said in str(caught.value)


def test_bytes_that_are_no_text_a_missing_path_and_an_empty_folder_are_named(tmp_path):
    (tmp_path / "x.json").write_bytes(b"\xff\xfe{")
    (tmp_path / "empty").mkdir()
    with pytest.raises(LoadRefused) as caught:
        importer.load([tmp_path / "x.json", tmp_path / "missing.yaml", tmp_path / "empty"])
    assert "is not UTF-8" in str(caught.value)
    assert "missing.yaml: (file): does not exist" in str(caught.value)
    assert "holds no procedure file" in str(caught.value)


def test_a_file_that_is_too_large_is_refused(tmp_path, minimal):
    with pytest.raises(LoadRefused, match="over 1000000 bytes"):
        importer.load([write(tmp_path, "x.json", minimal | {"description": "x" * 1_000_001})])


def test_a_repeated_slug_is_refused_with_both_places(tmp_path, minimal):
    write(tmp_path, "a.json", minimal)
    write(tmp_path, "b.json", minimal)
    with pytest.raises(LoadRefused, match=r"b\.json: slug: 'tea' is already used by .*a\.json"):
        importer.load([tmp_path])


def test_an_unknown_tool_is_refused_naming_the_known_ones(tmp_path):
    path = write(tmp_path, "train.json", SEED)
    with pytest.raises(LoadRefused, match=r"steps\.1\.tools: unknown tool 'train_search'; known: kettle, teapot"):
        importer.load([path], known_tools={"teapot", "kettle"})
    assert importer.load([path], known_tools={"train_search"})


def test_a_refused_verifier_is_named(tmp_path, minimal):
    def check(spec):
        raise ValueError(f"unknown type {spec['type']!r}; allowed: data, artifact")

    step = {"gloss": "Taste", "done_when": [{"kind": "verifier", "verifier": {"type": "tongue"}}]}
    path = write(tmp_path, "tea.json", minimal | {"verifier": {"type": "nose"}, "steps": [step]})
    with pytest.raises(LoadRefused) as caught:
        importer.load([path], check_verifier=check)
    assert "verifier: unknown type 'nose'; allowed: data, artifact" in str(caught.value)
    assert "steps.0.done_when.0: unknown type 'tongue'" in str(caught.value)


def test_an_export_loads_back_as_unchanged(tmp_path):
    importer.load([LIBRARY], origin=SopOrigin.LIBRARY)
    written = export(tmp_path / "out")
    assert len(written) == Sop.objects.count()
    assert {s.change for s in importer.load([tmp_path / "out"])} == {"unchanged"}
