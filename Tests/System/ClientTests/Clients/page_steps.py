"""Frequent steps on the pages of sign-in and account, in any browser, and another site."""

import contextlib
import http.server
import threading
import time
import uuid

from judge import APP
from people import PASSWORD, http as ask

# A domain, which passkeys need.
SITE = APP.replace("127.0.0.1", "localhost")
BASE = f"{APP}/auth/ui"
HOSTILE = "<img src=x onerror=\"document.title='hacked'\">"
NEW_PASSWORD = "another horse battery"
# The body of a function, for `check_layout`.
LAYOUT = """return {
    width: document.documentElement.scrollWidth, inner: innerWidth,
    headings: document.querySelectorAll('h1').length, lang: document.documentElement.lang,
    unlabelled: [...document.querySelectorAll('input:not([type=hidden])')].filter(
        (input) => !input.labels.length).length,
    unfilled: [...document.querySelectorAll('input:not([type=hidden])')].filter(
        (input) => !input.getAttribute('autocomplete')).length,
    small: [...document.querySelectorAll('button,input:not([type=hidden])')].filter(
        (element) => element.checkVisibility() && element.offsetHeight < 24).length,
};"""


def address():
    return f"{uuid.uuid4()}@example.com"


def mail(to, known=()):
    """The code and the link of a mail to the address whose link is not one of `known`."""
    deadline = time.monotonic() + 120
    while True:
        _, found = ask("GET", f"/_emulator/mail/wait?to={to}&timeoutSeconds=120")
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
    page.click("button.main")
    page.wait_for_url("**/account")
    return link


def sign_in(page, email, password=PASSWORD):
    page.goto(f"{BASE}/signin")
    page.fill("[name=email]", email)
    page.fill("[name=password]", password)
    page.click("button.main")


def check_layout(found, name, asks_for_own_data=True):
    assert found["width"] <= found["inner"], (name, found)
    assert found["headings"] == 1 and found["lang"] in ("en", "de"), (name, found)
    assert found["unlabelled"] == 0 and found["small"] == 0, (name, found)
    # WCAG 2.2, 1.3.5.
    assert found["unfilled"] == 0 or not asks_for_own_data, (name, found)


class Foreign(http.server.BaseHTTPRequestHandler):
    """A site of somebody else."""

    def do_GET(self):
        frame = self.path == "/frame"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write((f"<iframe src='{BASE}/signin'></iframe>" if frame else f"""
            <form method=post action="{BASE}/{self.path[1:]}"><input name=email value=a@b.example>
            <input name=password value=x><input name=scope value=all><input name=id value=x>
            <input name=form value=x><button>go</button></form>""").encode())

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def foreign_site():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        # The app is at 127.0.0.1: localhost is another site.
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
