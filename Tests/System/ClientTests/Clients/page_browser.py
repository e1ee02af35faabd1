"""Chromium for the pages: profiles, mails, and what people do again and again."""

import contextlib
import os
import pathlib
import time
import uuid

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import sync_playwright

from judge import APP
from people import PASSWORD, http as ask

# A domain, which passkeys need.
SITE = APP.replace("127.0.0.1", "localhost")
BASE = f"{APP}/auth/ui"
SCREENSHOTS = os.environ.get("SCREENSHOTS")

playwright = sync_playwright().start()
chromium = playwright.chromium.launch(
    executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
    args=["--no-sandbox", "--disable-gpu"])


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


def address():
    return f"{uuid.uuid4()}@example.com"


def mail(to, known=()):
    """The code and the link of a mail to the address whose link is not one of `known`."""
    deadline = time.monotonic() + 20
    while True:
        _, found = ask("GET", f"/_emulator/mail/wait?to={to}&timeoutSeconds=20")
        links = [link for link in found["links"] if "token=" in link and link not in known]
        if links:
            return found["codes"][0], links[0]
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def register(page, email, name="Ada", base=BASE):
    page.goto(f"{base}/register")
    page.fill("[name=email]", email)
    page.fill("[name=newPassword]", PASSWORD)
    page.fill("[name=name]", name)
    page.click("button.main")
    page.wait_for_url("**/verify-email")
    code, link = mail(email)
    page.fill("[name=code]", code)
    page.fill("[name=password]", PASSWORD)
    page.click("button.main")
    page.wait_for_url("**/account")
    return link


def sign_in(page, email, password=PASSWORD):
    page.goto(f"{BASE}/signin")
    page.fill("[name=email]", email)
    page.fill("[name=password]", password)
    page.click("button.main")


def close():
    chromium.close()
    playwright.stop()


def check_page(page, name):
    found = page.evaluate("""() => ({
        width: document.documentElement.scrollWidth, inner: innerWidth,
        headings: document.querySelectorAll('h1').length, lang: document.documentElement.lang,
        unnamed: [...document.querySelectorAll('input:not([type=hidden])')].filter(
            (input) => !input.labels.length || !input.autocomplete).length,
        small: [...document.querySelectorAll('button,input:not([type=hidden])')].filter(
            (element) => element.checkVisibility() && element.offsetHeight < 24).length,
    })""")
    assert found["width"] <= found["inner"], (name, found)
    assert found["headings"] == 1 and found["lang"] in ("en", "de"), (name, found)
    assert found["unnamed"] == 0 and found["small"] == 0, (name, found)


def check_axe(page, name):
    """The page's profile must be without the security policy (`bypass_csp`)."""
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert not found, (name, [
        (rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found])


def picture(page, name, suffix):
    if SCREENSHOTS:
        path = pathlib.Path(SCREENSHOTS) / f"{name.split('?')[0]}-{suffix}.png"
        page.screenshot(path=path, full_page=True)
