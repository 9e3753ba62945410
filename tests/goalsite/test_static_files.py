"""The page's own files: hashed, gzipped and kept by browsers once collected, served as they lie there before that."""

import re

import pytest
from django.contrib.staticfiles import finders

from goalsite import static_files
from goalsite.static_files import HashedFiles

MOST = 150 * 1024  # bytes of our own over the wire


@pytest.fixture
def collected(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    storage = HashedFiles(location=tmp_path, base_url="/static/")
    static_files.collect(storage)
    return HashedFiles(location=tmp_path, base_url="/static/"), tmp_path


def test_every_module_is_asked_for_by_its_hashed_name(collected):
    storage, folder = collected
    name = storage.stored_name("goals/chat.js")
    assert re.fullmatch(r"goals/chat\.[0-9a-f]{12}\.js", name)
    for path in folder.glob("goals/*.*.js"):
        for wanted in re.findall(r'(?:from|import\(?) ?"(\./[^"]+)"', path.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", wanted), f"{path.name} asks for {wanted}"
            assert (path.parent / wanted).exists()


def test_every_module_gives_what_others_ask_of_it(collected):
    _, folder = collected
    modules = {path.name: path.read_text() for path in (folder / "goals").glob("*.js")}
    for name, text in modules.items():
        for names, wanted in re.findall(r'(?:im|ex)port \{([^}]*)\} from "\./([^"]+)"', text):
            for one in (word.split(" as ")[0].strip() for word in names.split(",") if word.strip()):
                given = rf"export (?:async )?(?:function|const|let|class) {one}\b|export \{{[^}}]*\b{one}\b"
                assert re.search(given, modules[wanted]), f"{name} asks {wanted} for {one}"


def test_all_of_it_is_light_over_the_wire(collected):
    _, folder = collected
    packed = [path for path in folder.glob("goals/*.gz") if re.search(r"\.[0-9a-f]{12}\.", path.name)]
    assert packed
    assert sum(path.stat().st_size for path in packed) < MOST


def test_what_was_not_collected_is_served_as_it_lies_there(tmp_path):
    storage = HashedFiles(location=tmp_path, base_url="/static/")
    assert storage.stored_name("goals/chat.js") == "goals/chat.js"
    assert finders.find("goals/chat.js")


def test_collecting_again_leaves_nothing_of_before(collected, settings):
    storage, folder = collected
    (folder / "goals" / "old.123456789abc.js").touch()
    static_files.collect(storage)
    assert not (folder / "goals" / "old.123456789abc.js").exists()


async def test_a_file_is_served_under_asgi_without_a_warning(async_client):
    found = await async_client.get("/static/goals/chat.js")
    assert (found.status_code, found.streaming) == (200, False)
    assert int(found["Content-Length"]) == len(found.content) > 1000
    assert found["Content-Type"].startswith("text/javascript")
    known = {"if-modified-since": found["Last-Modified"]}
    assert (await async_client.get("/static/goals/chat.js", headers=known)).status_code == 304
    part = await async_client.get("/static/goals/chat.js", headers={"range": "bytes=0-9"})
    assert (part.status_code, part.content) == (206, found.content[:10])
    asked = await async_client.head("/static/goals/chat.js")
    assert (asked.content, asked["Content-Length"]) == (b"", found["Content-Length"])
