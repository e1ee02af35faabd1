"""Chromium."""

import contextlib
import os

import server
from client import Client, each, good
from playwright.sync_api import sync_playwright
from ports import free_port
from server import main
from settings import PASSWORD


@contextlib.contextmanager
def _chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell"),
            args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


def _left(page, request, act):
    """The address to which the browser is sent by the action, which the policy must allow."""
    uri, seen = request.parameters["redirect_uri"], []
    page.on("request", lambda sent: seen.append(sent.url) if sent.url.startswith(uri) else None)
    # Chromium says to which private address it cannot go, and what a policy forbids.
    page.on("console", lambda said: seen.append(said.text))
    act()
    for _ in range(200):
        if seen:
            break
        page.wait_for_timeout(25)
    assert seen and uri in seen[0] and "Security Policy" not in seen[0], (uri, seen, page.url)
    return seen[0][seen[0].index(uri):].split("'")[0]


def a_person_signs_in_and_decides():
    """B23, G2, G8: the pages' policy lets each kind of redirect pass, after either form."""
    user = main().account()

    def check(browser, name, uri):
        client, context = Client(name), browser.new_context(java_script_enabled=False)
        request = client.request(redirect_uri=uri, scope="openid email", prompt="consent")
        page = context.new_page()
        page.goto(request.url)
        page.fill("[name=email]", user.email)
        page.fill("[name=password]", PASSWORD)
        page.click("form:has([name=password]) button.main")
        page.wait_for_selector("[name=decision]")
        _left(page, client.request(redirect_uri=uri), lambda: page.click("[value=deny]"))
        page = context.new_page()
        page.goto(request.url)
        left = _left(page, request, lambda: page.click("[value=allow]"))
        code = left.split("code=")[1].split("&")[0]
        assert good(client.redeem(request, code))["id_token"]
        if name == "web":
            # The consent is remembered, so that the form of the sign-in leads to the client.
            page = context.new_page()
            page.goto(client.request(scope="openid email", prompt="login").url)
            page.fill("[name=currentPassword]", PASSWORD)
            _left(page, request, lambda: page.click("form:has([name=currentPassword]) button.main"))
        context.close()
    with _chromium() as browser:
        each([
            (browser, name, uri) for name, uri in (
                ("web", "https://web.example.com/cb"), ("native", "com.example.app:/cb"),
                *(("cli", f"http://{host}:{free_port()}/callback")
                  for host in ("127.0.0.1", "localhost", "[::1]")))], check)
