"""A newcomer uses only the mouse: signs in at the playground, finds the trace of the sign-in, makes
a fixture of it, breaks Apple's keys, sees why the next sign-in fails, and repairs them."""

import os
import pathlib
import subprocess
import tempfile

from dashboard_page import PLAYGROUND, dashboard, eventually, texts
from judge import case


def sign_in(page):
    """At Apple's page, as whoever is offered."""
    page.get_by_role("region", name="Phone").get_by_role(
        "button", name="Continue with Apple").click()
    page.wait_for_url("**/_idp/apple/**")
    page.locator("button.main").click()
    page.wait_for_url(f"{PLAYGROUND}/")


@case
def the_newcomer_walks_by_mouse_alone():
    with dashboard(None) as shown:
        app = shown.context.new_page()
        app.goto(PLAYGROUND)
        phone = app.get_by_role("region", name="Phone")
        sign_in(app)
        phone.get_by_text("Ada Lovelace", exact=True).wait_for()
        # The dashboard is one click away.
        with shown.context.expect_page() as opened:
            app.get_by_role("link", name="Dashboard").click()
        page = shown.page = opened.value
        # The trace of the sign-in: route, function, store and provider, with one id.
        calls = shown.open_request("POST /auth/signin")
        titles = texts(calls.locator(".call"))
        assert titles[0] == "POST /auth/signin" and titles[1] == "SignInFunction", titles
        assert any(title.startswith("dynamodb ") for title in titles), titles
        assert "provider keys apple" in titles, titles
        # A fixture of it, which replays.
        page.get_by_role("link", name="Save as a fixture").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Download it").click()
        title = page.locator("section[aria-label=Fixture] h3").inner_text()
        check_fixture(saved.value.path(), title)
        # Apple's keys are broken: the next sign-in fails, and the timeline says why.
        page.get_by_role("link", name="Faults", exact=True).click()
        page.get_by_role("button", name="Switch on: Apple's keys are broken").click()
        page.get_by_role("link", name="faults are on").wait_for()
        phone.get_by_role("button", name="Sign out", exact=True).click()
        phone.get_by_text("Signed out", exact=True).wait_for()
        sign_in(app)
        eventually(lambda: "_" in phone.locator(".says").inner_text() or None)
        page.get_by_role("link", name="Timeline").click()
        newest = shown.requests_of("POST /auth/signin").first
        eventually(lambda: "200" not in newest.inner_text() or None)
        calls = shown.open_request("POST /auth/signin")
        why = " ".join(texts(calls.locator(".why")))
        assert "logged AUTH_FAILED: identityRejected" in why, why
        fault = page.locator(".note").filter(has_text="error unknown-kid")
        assert "1 hit" in fault.inner_text(), fault.inner_text()
        # It is mended from there.
        fault.get_by_role("link").click()
        page.get_by_role("button", name="Switch all off").click()
        page.get_by_text("No fault is on").wait_for()
        sign_in(app)
        phone.get_by_text("Ada Lovelace", exact=True).wait_for()


def check_fixture(archive, name):
    """The downloaded fixture passes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "--extract", "--file", archive, "--directory", folder], check=True)
        files = [str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*.*")]
        assert "settings.json" in files and any(file.startswith(name) for file in files), files
        replay = subprocess.run(
            [os.environ["EMULATOR"], "replay", folder, "--only", name, "--executables",
             os.environ["EXECUTABLES"]], capture_output=True, text=True)
        assert replay.returncode == 0, replay.stdout + replay.stderr
        assert "1 passed, 0 failed" in replay.stdout, replay.stdout
