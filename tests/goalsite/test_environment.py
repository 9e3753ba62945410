"""The strict readers of the environment."""

import os
import stat
import threading
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from goalsite import environment as env
from goalsite.secrets_file import read_or_create

NAME = "GOALSITE_SOMETHING"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch):
    return lambda value: monkeypatch.setenv(NAME, value)


@pytest.mark.parametrize(("value", "read"), [("1", True), ("Yes", True), ("off", False), ("", True), ("  ", True)])
def test_a_boolean_is_a_yes_or_a_no(given, value, read):
    given(value)
    assert env.boolean(NAME, default=True) is read


@pytest.mark.parametrize(
    ("reader", "value", "allowed"),
    [
        (lambda: env.boolean(NAME, default=True), "perhaps", "yes"),
        (lambda: env.integer(NAME, default=1, minimum=1, maximum=9), "10", "from 1 to 9"),
        (lambda: env.integer(NAME, default=1, minimum=1, maximum=9), "1.5", "whole number"),
        (lambda: env.decimal(NAME, default="1", minimum="0.1"), "nan", "at least 0.1"),
        (lambda: env.decimal(NAME, default="1", minimum="0.1"), "0", "at least 0.1"),
        (lambda: env.decimal(NAME, default="1", minimum="0.1"), "much", "decimal number"),
        (lambda: env.price(NAME), "cheap", "input/output"),
        (lambda: env.price(NAME), "1", "input/output"),
        (lambda: env.price(NAME), "1/2/3", "input/output"),
        (lambda: env.price(NAME), "-1/2", "input/output"),
        (lambda: env.price(NAME), "nan/1", "input/output"),
        (lambda: env.price(NAME), "/", "input/output"),
        (lambda: env.choice(NAME, default="a", choices=("a", "b")), "c", "a, b"),
        (lambda: env.words(NAME, default=[]), "one two", "commas"),
        (lambda: env.paths(NAME, default=[]), "/nowhere-at-all", "existing folders"),
        (lambda: env.url(NAME, default="", schemes=("http", "https")), "ftp://x", "http"),
        (lambda: env.url(NAME, default="", schemes=("http",)), "http://", "http"),
        (lambda: env.url(NAME, default="", schemes=("http",)), "http://x:port", "http"),
        (lambda: env.hosts_and_networks(NAME), "here.example,10.0.0.1/8", "networks"),
        (lambda: env.text(NAME, default=""), "a\nb", "control characters"),
        (lambda: env.database(NAME, data_dir=Path("/tmp")), "mysql://x/y", "postgresql://"),
        (lambda: env.database(NAME, data_dir=Path("/tmp")), "postgresql://x", "name of the database"),
        (lambda: env.database(NAME, data_dir=Path("/tmp")), "postgresql://x/y?no=1", "postgresql://"),
    ],
)
def test_a_bad_value_is_refused_with_the_name_the_value_and_what_is_allowed(given, reader, value, allowed):
    given(value)
    with pytest.raises(ImproperlyConfigured) as refused:
        reader()
    assert NAME in str(refused.value)
    assert repr(value) in str(refused.value)
    assert allowed in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_price_is_read_and_none_is_none(given):
    assert env.price(NAME) is None
    given(" 0.4 / 1.6")
    assert env.price(NAME) == (Decimal("0.4"), Decimal("1.6"))


def test_good_values_are_read(given, tmp_path):
    given(" 7 ")
    assert env.integer(NAME, default=1, minimum=1, maximum=9) == 7
    assert env.decimal(NAME, default="1", minimum="0") == Decimal(7)
    given("a.example, b.example,")
    assert env.words(NAME, default=[]) == ["a.example", "b.example"]
    given(f"{tmp_path}{os.pathsep}/tmp")
    assert env.paths(NAME, default=[]) == [tmp_path.resolve(), Path("/tmp")]
    given("unix:///run/redis.sock")
    assert env.url(NAME, default="", schemes=("redis", "unix")) == "unix:///run/redis.sock"


def test_a_database_address_becomes_djangos_settings(given, tmp_path):
    given("postgres://ann:s%40crt@db.example:5433/site?sslmode=require")
    found = env.database(NAME, data_dir=tmp_path)
    assert (found["NAME"], found["USER"], found["PASSWORD"]) == ("site", "ann", "s@crt")
    assert (found["HOST"], found["PORT"]) == ("db.example", "5433")
    assert found["OPTIONS"]["sslmode"] == "require"
    assert found["OPTIONS"]["pool"]


def test_a_refused_address_does_not_show_its_password(given):
    given("mysql://ann:topsecret@db.example/site")
    with pytest.raises(ImproperlyConfigured) as refused:
        env.database(NAME, data_dir=Path("/tmp"))
    assert "topsecret" not in str(refused.value)
    assert "ann" in str(refused.value)


def test_without_an_address_the_database_is_the_embedded_one(given, tmp_path):
    given("")
    assert env.database(NAME, data_dir=tmp_path)["HOST"] == str(tmp_path / "postgres")


def test_a_secret_is_made_once_and_is_readable_by_its_owner_alone(given, tmp_path):
    given("")
    made = env.secret_key(NAME, data_dir=tmp_path / "new")
    assert len(made) >= 50
    assert env.secret_key(NAME, data_dir=tmp_path / "new") == made
    assert stat.S_IMODE((tmp_path / "new" / "secret_key").stat().st_mode) == 0o600


def test_two_processes_that_make_the_secret_at_once_agree(tmp_path):
    found: set[str] = set()
    start = threading.Barrier(8)

    def read() -> None:
        start.wait()
        found.add(read_or_create(tmp_path / "secret_key"))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["secret_key"]


def test_a_short_secret_is_refused_without_being_shown(given, tmp_path):
    given("short-and-secret")
    with pytest.raises(ImproperlyConfigured) as refused:
        env.secret_key(NAME, data_dir=tmp_path)
    assert "short-and-secret" not in str(refused.value)


def test_a_data_folder_that_cannot_be_made_is_one_clear_line(given, tmp_path):
    given("")
    (tmp_path / "file").write_text("")
    with pytest.raises(ImproperlyConfigured, match="GOALSITE_DATA_DIR"):
        env.secret_key(NAME, data_dir=tmp_path / "file" / "data")


def test_secrets_of_servers_are_found_by_how_they_begin_and_never_shown(monkeypatch):
    monkeypatch.setenv("GOALSITE_MCP_ONE", " s3cr3t ")
    assert env.secrets_beginning("GOALSITE_MCP_") == {"GOALSITE_MCP_ONE": "s3cr3t"}
    monkeypatch.setenv("GOALSITE_MCP_ONE", "s3cr3t\nX-More: 1")
    with pytest.raises(ImproperlyConfigured, match="GOALSITE_MCP_ONE") as refused:
        env.secrets_beginning("GOALSITE_MCP_")
    assert "s3cr3t" not in str(refused.value)
