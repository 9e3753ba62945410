"""`load_sops`, `export_sops` and `index_sops`: what they write, and what they refuse."""

import json

import pytest
import yaml

from sops.models import Perspective, Sop, SopOrigin, SopVersion

GOOD = {
    "slug": "water-the-beds",
    "title": "Water the beds",
    "intent": "Water every bed that is dry",
    "steps": [{"gloss": "List the beds", "predicate": "use_tool", "tools": ["list_files"], "evidence_key": "beds"}],
}
BAD = {
    "broken.json": ("{", "", "not JSON"),
    "broken.yaml": ("a: [", "", "YAML"),
    "bare.json": ('{"slug": "bare"}', "title", "required"),
    "stepless.json": (json.dumps({**GOOD, "slug": "stepless", "steps": []}), "steps", "at least 1"),
    "tool.json": (
        json.dumps({**GOOD, "slug": "tool", "steps": [{**GOOD["steps"][0], "tools": ["telepathy"]}]}),
        "steps.0.tools",
        "unknown tool 'telepathy'; known: ",
    ),
    "twin.json": (json.dumps({**GOOD, "title": "Another"}), "slug", "'water-the-beds' is already used by "),
    "nul.json": (json.dumps({**GOOD, "slug": "nul", "intent": "a\x00b"}), "", "NUL"),
    "field.json": (
        json.dumps({**GOOD, "slug": "field", "colour": "green"}),
        "colour",
        "unknown field; allowed: slug, title, ",
    ),
    "verifier.json": (json.dumps({**GOOD, "slug": "verifier", "verifier": {"type": "magic"}}), "verifier", "magic"),
    "list.json": ("[1]", "", "an object with title, intent, steps"),
}


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "procedures"
    place.mkdir()
    (place / "a-good.json").write_text(json.dumps(GOOD))
    return place


def test_bad_files_are_named_with_their_field_and_nothing_is_stored(manage, folder, rows):
    for name, (text, _, _) in BAD.items():
        (folder / name).write_text(text)
    before = rows()
    ran = manage("load_sops", str(folder), str(folder / "missing.yaml"))
    assert (ran.returncode, ran.stdout) == (64, "")
    assert "Traceback" not in ran.stderr
    lines = ran.stderr.splitlines()
    for name, (_, field, text) in BAD.items():
        about = [line for line in lines if line.startswith(f"{folder / name}") and field in line and text in line]
        assert about, f"nothing about {name}: {ran.stderr}"
    assert any("missing.yaml" in line for line in lines)
    assert not any("a-good.json: " in line.split("already used")[0] for line in lines)
    assert rows() == before


def test_a_good_file_is_created_then_unchanged_then_updated(here, folder):
    assert here("load_sops", str(folder)) == (0, "water-the-beds version 1: created\n", "")
    assert here("load_sops", str(folder)) == (0, "water-the-beds version 1: unchanged\n", "")
    (folder / "a-good.json").write_text(json.dumps({**GOOD, "title": "Water all beds"}))
    assert here("load_sops", str(folder)) == (0, "water-the-beds version 2: updated\n", "")


def test_what_is_exported_is_read_back_as_it_was(here, folder, tmp_path):
    here("load_sops", str(folder))
    code, out, _ = here("export_sops", "--to", str(tmp_path / "out"))
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == sorted(f"{slug}.yaml" for slug in Sop.objects.values_list("slug", flat=True))
    assert (code, out.splitlines()) == (0, [str(tmp_path / "out" / name) for name in written])
    assert yaml.safe_load((tmp_path / "out" / "water-the-beds.yaml").read_text())["title"] == "Water the beds"
    again = here("load_sops", str(tmp_path / "out" / "water-the-beds.yaml"))
    assert again == (0, "water-the-beds version 1: unchanged\n", "")
    assert SopVersion.objects.filter(origin=SopOrigin.IMPORTED).count() == 1


def test_only_what_is_named_is_exported_and_an_unknown_name_is_refused(here, tmp_path):
    assert here("export_sops", "csv-to-json", "--to", str(tmp_path / "one"))[0] == 0
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["csv-to-json.yaml"]
    code, _, error = here("export_sops", "csv-to-json", "no-such", "--to", str(tmp_path / "none"))
    assert code == 64
    assert error.startswith("SLUG: there is no procedure 'no-such'; there are: book-train, ")
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("")
    assert here("export_sops", "--to", str(tmp_path / "file"))[2].startswith("--to: ")


def test_indexing_makes_every_vector_anew(manage):
    Perspective.objects.update(embedder="of-yesterday")
    ran = manage("index_sops")
    count = Sop.objects.count()
    assert (ran.returncode, ran.stdout) == (0, f"{count} procedures are indexed by hashing-1\n")
    assert not Perspective.objects.filter(embedder="of-yesterday").exists()


def test_an_embedding_endpoint_that_is_away_is_one_line_and_1(manage):
    away = {"GOALSITE_EMBEDDING_MODEL": "vectors", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "x"}
    ran = manage("index_sops", **away)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("vectors: ")
    assert len(ran.stderr.splitlines()) == 1
    assert Perspective.objects.filter(embedder="hashing-1").exists()
