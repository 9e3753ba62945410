"""A browser on the whole site. Without chromium these tests are skipped; in CI that is a failure."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.site import Site

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # playwright runs a loop in this thread
CHROMIUM = shutil.which("chromium")
PASSWORD = "a-long-enough-password"
PATIENCE = 30_000  # a busy machine takes its time; only a failure waits so long
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's chromium. Playwright runs a loop in this thread until the module ends: no other test may meet it."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("there is no chromium here, and in CI the page must be seen to work: apt install chromium")
        pytest.skip("needs Debian's chromium")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def site(chromium: Browser, site_environment: dict[str, str], tmp_path: Path) -> Iterator[Site]:
    """The whole site on this test's database, with its procedures."""
    call_command("load_sops", verbosity=0)
    found = Site(site_environment, tmp_path / "data")
    yield found
    found.stop()


@pytest.fixture
def person(transactional_db: None) -> Any:
    return get_user_model().objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def page(chromium: Browser, site: Site, person: Any) -> Iterator[Page]:
    """A signed-in page; whatever its console calls an error fails the test."""
    context = chromium.new_context(base_url=site.url, viewport={"width": 1440, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    complaints = heard(opened)
    opened.goto("/")
    sign_in(opened)
    yield opened
    context.close()
    assert complaints == []


def heard(page: Page) -> list[str]:
    """What the page's console calls an error from now on; a breach of its security policy is one."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if _is_complaint(line) else None)
    return complaints


def sign_in(page: Page, name: str = "ada") -> None:
    """Sign in on the page that is open."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def _is_complaint(line: Any) -> bool:
    """An error of the page's own; that a killed server could not be reached, or refused what it should, is none."""
    refused = "status of 40" in line.text and "/static/" not in line.location["url"]
    return line.type == "error" and not refused and "ERR_" not in line.text and "WebSocket" not in line.text
