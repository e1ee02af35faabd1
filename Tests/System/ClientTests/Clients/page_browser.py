"""Chromium for the pages: profiles, and what each page must keep to."""

import contextlib
import os
import pathlib

from chromium_shell import shared_chromium
from judge import APP
from page_steps import BASE, LAYOUT, SITE, check_layout
from people import one_time_code

# A name of another site, which it has pointed at this machine.
REBOUND = "rebound.example.com"
# A name of this machine in its own network, which is not loopback.
NEIGHBOUR = "mybox"
SCREENSHOTS = os.environ.get("SCREENSHOTS")

chromium = shared_chromium(
    f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1, MAP {NEIGHBOUR} 127.0.0.1")


@contextlib.contextmanager
def browser(to=(), **settings):
    """A new profile. What leaves the origin, but to addresses that begin with one of `to`, and what
    the security policy stops, are failures."""
    settings.setdefault("locale", "en-GB")
    context = chromium.new_context(**settings)
    context.set_default_timeout(20_000)
    faults = []
    context.on("request", lambda sent: None if sent.url.startswith((APP, SITE, "data:", *to))
               else faults.append(sent.url))
    context.on("console", lambda said: faults.append(said.text)
               if "Security Policy" in said.text else None)
    try:
        yield context.new_page()
        assert not faults, faults
    finally:
        context.close()


def check_page(page, name, asks_for_own_data=True):
    check_layout(page.evaluate(f"() => {{ {LAYOUT} }}"), name, asks_for_own_data)


def picture(page, name, suffix):
    if SCREENSHOTS:
        path = pathlib.Path(SCREENSHOTS) / f"{name.split('?')[0]}-{suffix}.png"
        page.screenshot(path=path, full_page=True)


def says(page, text):
    found = page.text_content("[role=status]")
    assert found == text, found


def turn_on(page, base=BASE):
    """The secret of a new authenticator app, and the recovery codes."""
    page.goto(f"{base}/authenticator")
    page.click("text=Set up an app")
    assert page.is_visible(".qr svg")
    picture(page, "authenticator", "new")
    check_page(page, "authenticator")
    secret = page.text_content("main code")
    page.fill("[name=code]", "000000")
    page.click("button.main")
    assert "wrong" in page.text_content("[role=alert]")
    assert page.text_content("main code") == secret and page.is_visible(".qr svg")
    page.fill("[name=code]", one_time_code(secret))
    page.click("button.main")
    page.wait_for_selector(".codes")
    picture(page, "recovery-codes", "new")
    codes = page.locator(".codes code").all_text_contents()
    assert len(codes) >= 8, codes
    page.check("#saved")
    page.click("text=Continue")
    page.wait_for_url("**/account?*")
    return secret, codes
