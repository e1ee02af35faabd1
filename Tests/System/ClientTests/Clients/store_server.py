"""A server of its own with pages, whose SQLite file can be filled (LATCHKEY, the executable)."""

import contextlib
import email as email_parser
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import store_rows
from ports import free_port

MASTER_KEY = "5f" * 32
ADMIN_PASSWORD = "latchkey"
# The hash of "latchkey".
ADMIN_HASH = ("$argon2id$v=19$m=19456,t=2,p=1$bGF0Y2hrZXkgZXhhbXBsZQ"
              "$x0LEaROBaUejeHAWpubQXxwnyLwd0pu3OoSDUO5bh1s")
PASSWORD = "correct horse battery"


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Client:
    """A browser without scripts: cookies, forms, no redirects."""

    def __init__(self, server, agent="Client/1"):
        self.server, self.agent, self.cookies = server, agent, {}
        self.opener = urllib.request.build_opener(_Stay)

    def send(self, path, form=None, body=None, token=None):
        """Status, text and location."""
        headers = {
            "User-Agent": self.agent, "Accept-Language": "en",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        data = None
        if form is not None:
            data, headers["Sec-Fetch-Site"] = urllib.parse.urlencode(form).encode(), "same-origin"
        elif body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            answer = self.opener.open(
                urllib.request.Request(self.server.url + path, data=data, headers=headers))
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.split(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.read().decode(), answer.headers["Location"]

    def form_of(self, path):
        """The hidden token of a page's forms."""
        _, text, _ = self.send(path)
        return re.search(r'name="form" value="([^"]+)"', text)[1]


class Server:
    def __init__(self, url, folder):
        self.url, self.folder = url, folder
        self.port = int(url.rsplit(":", 1)[1])
        self.path = folder / "latchkey.db"

    def code(self, email, known=()):
        """The code of the last mail to the address."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            # Without those that are being written.
            for mail in sorted((self.folder / "mail").glob("[!.]*"), reverse=True):
                text = mail.read_text()
                found = re.search(r"^\s*(\d{3} ?\d{3}|\d{6,8})\s*$", text, re.MULTILINE)
                if email in text and found and found[1] not in known:
                    return found[1]
            time.sleep(0.02)
        raise AssertionError(f"no mail to {email}")

    def link(self, email):
        """The link of the last mail to the address."""
        self.code(email)
        for file in sorted((self.folder / "mail").glob("[!.]*"), reverse=True):
            mail = email_parser.message_from_bytes(file.read_bytes())
            text = next(part.get_payload(decode=True).decode() for part in mail.walk()
                        if part.get_content_type() == "text/plain")
            found = re.search(r"https?://\S+token=[\w-]+", text)
            if email in mail["To"] and found:
                return found[0]
        raise AssertionError(f"no link to {email}")

    def registered(self, email, name="Ada", agent="Client/1"):
        """A session of a new user with a password."""
        client = Client(self, agent)
        status, text, _ = client.send("/auth/register", body={
            "email": email, "password": PASSWORD, "displayName": name})
        assert status == 202, text
        secret = json.loads(text).get("requestSecret")
        status, text, _ = client.send("/auth/verify-email", body={
            "code": self.code(email), "requestSecret": secret, "password": PASSWORD})
        assert status == 201, text
        return json.loads(text)

    def administrator(self):
        """A client with the session of the administrator's password."""
        client = Client(self)
        status, text, _ = client.send(
            "/auth/admin/login", form={"password": ADMIN_PASSWORD})
        assert status == 303, text
        return client

    def fill(self, users):
        store_rows.put(self.path, store_rows.users(users))

    def replace_events(self, user, count, **details):
        store_rows.forget_events(self.path, user)
        store_rows.put(self.path, store_rows.events(
            user, count, store_rows.audit_key(MASTER_KEY), **details))


@contextlib.contextmanager
def server(**settings):
    with tempfile.TemporaryDirectory() as name:
        port = free_port()
        url = f"http://localhost:{port}"
        process = subprocess.Popen(
            [os.environ["LATCHKEY"], "--listen", f"127.0.0.1:{port}"], cwd=name,
            stderr=subprocess.DEVNULL, env={
                "PATH": os.environ["PATH"], "UI": "on", "ISSUER": url, "APP_NAME": "Example",
                "MASTER_KEY": MASTER_KEY, "ADMIN_PASSWORD_HASH": ADMIN_HASH,
                "RATE_LIMITS": "off"} | settings)
        try:
            started = Server(url, pathlib.Path(name))
            for _ in range(200):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{url}/auth/ui/signin").close()
                    break
                time.sleep(0.05)
            yield started
        finally:
            process.terminate()
            process.wait()
