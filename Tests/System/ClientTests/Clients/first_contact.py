"""The first minute with a server without settings, in Chromium: from an empty folder to a person
who is signed in, and to the first administrator. No setting, no document."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from browsers import eventually
from judge import case, run
from page_browser import NEIGHBOUR, chromium

PASSWORD = "correct horse battery"
EMAIL = "ada@example.com"


@contextlib.contextmanager
def started():
    """The folder of a server that has just started, its address, and what it wrote."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log = folder / "output"
        with log.open("w") as output:
            process = subprocess.Popen(
                [os.environ["LATCHKEY"], "serve", "127.0.0.1:0"], cwd=folder,
                env={"PATH": "/usr/bin:/bin"}, stdout=output, stderr=output)
        try:
            address = eventually(
                lambda: re.search(r'"listening","address":"127\.0\.0\.1:(\d+)"', log.read_text()))
            yield folder, f"http://localhost:{address[1]}", log.read_text
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=120) == 0


@contextlib.contextmanager
def opened(url):
    context = chromium.new_context(locale="en-GB")
    context.set_default_timeout(20_000)
    try:
        page = context.new_page()
        page.goto(url)
        yield page
    finally:
        context.close()


def mailed_link(folder):
    def link():
        for mail in (folder / "mail").glob("*"):
            found = re.search(
                r"http://localhost:\d+/auth/ui/verify-email\?token=[\w-]+", mail.read_text())
            if found:
                return found[0]
        return None
    return eventually(link)


@case
def a_person_registers_from_the_address_of_the_server_alone():
    began = time.monotonic()
    with started() as (folder, url, _), opened(url) as page:
        assert page.url == f"{url}/auth/ui/signin", page.url
        page.click("text=Create an account")
        page.fill("[name=email]", EMAIL)
        page.fill("[name=newPassword]", PASSWORD)
        page.fill("[name=name]", "Ada")
        page.click("button.main")
        page.wait_for_url("**/verify-email")
        page.goto(mailed_link(folder))
        # The server's name in mails is that on its pages.
        mail = next((folder / "mail").glob("[!.]*")).read_text()
        assert re.search(rf"Subject: .* {url[7:]}$", mail, re.MULTILINE), mail
        if not page.url.endswith("/account"):
            page.wait_for_url("**/account*")
        assert "Ada" in page.text_content("body")
        # The address of the server leads to the account now.
        page.goto(url)
        assert page.url.startswith(f"{url}/auth/ui/account"), page.url
        print(f"        from the start to the account: {time.monotonic() - began:.1f} s")


def mailed_code(folder):
    def code():
        for mail in (folder / "mail").glob("[!.]*"):
            found = re.search(r"^\s*(\d{3} ?\d{3}|\d{6,8})\s*$", mail.read_text(), re.MULTILINE)
            if found:
                return found[1]
        return None
    return eventually(code)


@case
def over_plain_http_from_another_machine_each_form_says_so_before_the_password():
    with started() as (folder, local, output):
        url = local.replace("localhost", NEIGHBOUR)

        def warns(page):
            note = page.locator("main > .says.bad")
            assert "not encrypted" in note.text_content() and local in note.text_content()
            above = "([note, form]) => note.compareDocumentPosition(form) & 4"
            form = page.locator("form:has(input[type=password])")
            assert page.evaluate(above, [note.element_handle(), form.element_handle()])
            assert page.evaluate("document.activeElement === document.body")

        with opened(local) as page:
            page.click("text=Create an account")
            assert page.locator(".says").count() == 0
        with opened(url) as page:
            warns(page)
            page.click("text=Create an account")
            warns(page)
            page.fill("[name=email]", EMAIL)
            page.fill("[name=newPassword]", PASSWORD)
            page.click("button.main")
            page.wait_for_url("**/verify-email")
            page.fill("[name=code]", mailed_code(folder))
            page.click("button.main")
            page.wait_for_url("**/account*")
            assert EMAIL in page.text_content("main")
        link = re.search(r"http://localhost:\d+/admin/ui/first\?token=[\w-]+", output())
        with opened(link[0]) as page:
            page.fill("[name=email]", "boss@example.com")
            page.fill("[name=newPassword]", PASSWORD)
            page.click("button.main")
            page.wait_for_url("**/admin/ui*")
        with opened(f"{url}/auth/ui/signin") as page:
            page.fill("[name=email]", "boss@example.com")
            page.fill("[name=password]", PASSWORD)
            page.click("button.main")
            page.wait_for_url("**/account")
            # The role is of no use over a connection that others can read.
            assert page.goto(f"{url}/admin/ui").status == 400
            found = page.text_content("main")
            port = local.rsplit(":", 1)[1]
            assert f"ssh -L {port}:{NEIGHBOUR}:{port} {NEIGHBOUR}" in found, found
            assert EMAIL not in found and page.locator("form").count() == 0


@case
def the_first_administrator_is_made_in_a_form():
    with started() as (_, url, output):
        link = re.search(r"http://localhost:\d+/admin/ui/first\?token=[\w-]+", output())
        assert link, output()
        # At the address of the log, which leads to that of ISSUER.
        with opened(link[0].replace("localhost", "127.0.0.1")) as page:
            assert page.url == link[0], page.url
            assert "At least 12 characters" in page.text_content("main")
            page.fill("[name=email]", EMAIL)
            page.fill("[name=newPassword]", PASSWORD)
            page.click("text=Show")
            assert page.get_attribute("[name=newPassword]", "type") == "text"
            page.click("button.main")
            page.wait_for_url("**/admin/ui*")
            page.goto(f"{url}/admin/ui")
            assert EMAIL in page.text_content("body"), page.text_content("body")
            page.click("text=Account")
            page.click("text=Administration")
            page.wait_for_url("**/admin/ui")
        with opened(link[0]) as other:
            assert other.locator("[name=newPassword]").count() == 0, "the link works twice"


run()
