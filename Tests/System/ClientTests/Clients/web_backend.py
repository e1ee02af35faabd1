"""The back ends of Examples/web, in Node and Python, behind pages in Chromium, with
`latchkey --listen` (LATCHKEY, the executable) behind a proxy that counts."""

import concurrent.futures
import contextlib
import http.client
import http.cookies
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from browsers import eventually
from judge import case, run
from page_browser import browser
from ports import free_port
from store_server import PASSWORD, server

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "Examples/web"
EMAIL = "ada@example.com"
COMMANDS = {
    "node": ["node", FOLDER / "backend.mjs"], "python": [sys.executable, FOLDER / "backend.py"]}


# The server lists the addresses that its pages return to.
PORTS = {language: free_port() for language in COMMANDS}


class Proxy(http.server.BaseHTTPRequestHandler):
    """What the back ends know as Latchkey."""

    protocol_version = "HTTP/1.1"
    paths = []
    is_down = False
    refresh_seconds = 0

    def do_GET(self):
        path = self.path.split("?")[0]
        self.paths.append(path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if path == "/auth/refresh":
            time.sleep(self.refresh_seconds)
        if self.is_down:
            return self.reply(503, [], b"<html>")
        forwarded = http.client.HTTPConnection("127.0.0.1", where.port)
        forwarded.request(self.command, self.path, body or None, dict(self.headers))
        answer = forwarded.getresponse()
        return self.reply(answer.status, answer.getheaders(), answer.read())

    do_POST = do_GET

    def reply(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Backend:
    def __init__(self, port, log):
        self.port, self.url, self.log = port, f"http://localhost:{port}", log

    def send(self, method, path, cookies=None, **headers):
        """The status, the headers, the cookies that are set, and the text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            cookie = "; ".join(f"{name}={value}" for name, value in (cookies or {}).items())
            connection.request(method, path, headers={"Cookie": cookie} | headers)
            answer = connection.getresponse()
            set_cookies = http.cookies.SimpleCookie()
            for line in answer.headers.get_all("Set-Cookie") or []:
                set_cookies.load(line)
                for word in ("Path=/", "Secure", "HttpOnly", "SameSite=Lax"):
                    assert word in line, line
                assert "Domain" not in line, line
            text = answer.read().decode()
            if answer.status >= 400:
                assert json.loads(text)["error"]["code"], text
            return answer.status, answer.headers, set_cookies, text
        finally:
            connection.close()


@contextlib.contextmanager
def backend(language):
    port = PORTS[language]
    with tempfile.NamedTemporaryFile() as log:
        process = subprocess.Popen(COMMANDS[language], stdout=log, stderr=log, env={
            "PATH": os.environ["PATH"], "AUTH": AUTH, "APP": f"http://localhost:{port}",
            "PORT": str(port)})
        try:
            started = Backend(port, pathlib.Path(log.name))
            eventually(lambda: started.send("GET", "/me")[0])
            yield started
        finally:
            process.terminate()
            process.wait()


def signed_in(page, app):
    page.goto(f"{app.url}/signin")
    page.wait_for_url(f"{AUTH}/auth/ui/signin*")
    page.fill("[name=email]", EMAIL)
    page.fill("[name=password]", PASSWORD)
    page.click("button.main")
    page.wait_for_url(f"{app.url}/")
    found = own_cookies(page)
    assert list(found) == ["__Host-session"], list(found)
    return found["__Host-session"]


def own_cookies(page):
    """Browsers do not tell the ports of a host apart: the server's cookies are there, too."""
    return {cookie["name"]: cookie["value"] for cookie in page.context.cookies()
            if cookie["name"].startswith("__Host-")}


def expired(session):
    return {"__Host-session": "~".join(["1", *session.split("~")[1:]])}


def in_language(check):
    """A case for each language."""
    for language in COMMANDS:
        def one(language=language):
            Proxy.is_down, Proxy.refresh_seconds = False, 0
            with backend(language) as app:
                check(app)

        one.__name__ = f"{check.__name__} ({language})"
        case(one)


@in_language
def a_page_signs_in_and_out_and_its_scripts_see_no_token(app):
    with browser(to=[app.url, AUTH]) as page:
        session = signed_in(page, app)
        status, text = page.evaluate(
            "fetch('/me').then(async (answer) => [answer.status, await answer.text()])")
        assert status == 200 and EMAIL in text, (status, text)
        assert page.evaluate("document.cookie") == ""
        ended = page.evaluate("fetch('/signout', {method: 'POST'}).then(({status}) => status)")
        assert ended == 204, ended
        assert page.evaluate("fetch('/me').then(({status}) => status)") == 401
        assert own_cookies(page) == {}
    # The server knows it, too, before the access token expires.
    for ended in ({"__Host-session": session}, expired(session)):
        status, _, cookies, text = app.send("GET", "/me", ended)
        found = status, json.loads(text)["error"]["code"], cookies["__Host-session"].value
        assert found == (401, "SIGNED_OUT", ""), found


@in_language
def only_the_apps_own_pages_sign_out(app):
    for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        for method, path in (
                ("POST", "/signout"), ("POST", "/callback"), ("PUT", "/me"), ("DELETE", "/me")):
            status, *_ = app.send(method, path, {"__Host-session": "1~x~y"}, **headers)
            assert status == 403, (headers, path, status)


@in_language
def an_answer_of_nobody_is_refused(app):
    _, headers, cookies, _ = app.send("GET", "/signin")
    way = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(headers["Location"]).query))
    flow = {"__Host-flow": cookies["__Host-flow"].value}
    assert cookies["__Host-flow"].value.split("~")[0] == way["state"]
    assert way["code_challenge_method"] == "S256" and len(way["code_challenge"]) == 43
    for query, sent in [
        ({"state": way["state"], "iss": AUTH}, {}),
        ({"state": "guess", "iss": AUTH}, flow),
        ({"state": "", "iss": AUTH}, {"__Host-flow": "~x"}),
        ({"state": way["state"], "iss": "https://evil.example"}, flow),
        ({"state": way["state"]}, flow),
        ({"state": way["state"], "iss": AUTH}, flow),       # no such code
    ]:
        status, headers, cookies, _ = app.send(
            "GET", f"/callback?{urllib.parse.urlencode({'code': 'bm90aGluZw', **query})}", sent)
        assert (status, "__Host-session" in cookies) == (302, False), (query, status)
        assert re.fullmatch(r"/\?error=[A-Z_]+", headers["Location"]), headers["Location"]
    assert "WRONG_STATE" not in headers["Location"], headers["Location"]


@in_language
def a_code_is_not_logged(app):
    _, _, cookies, _ = app.send("GET", "/signin")
    flow = cookies["__Host-flow"].value
    query = {"code": "bm90aGluZw", "state": flow.split("~")[0], "iss": AUTH}
    way = f"/callback?{urllib.parse.urlencode(query)}"
    app.send("GET", way, {"__Host-flow": flow})
    eventually(app.log.read_text)               # the server's refusal
    with socket.create_connection(("127.0.0.1", app.port)) as malformed:
        malformed.sendall(f"GET {way} x HTTP/1.1\r\n\r\n".encode())
        malformed.recv(1)
    text = app.log.read_text()
    assert not any(secret in text for secret in (query["code"], *flow.split("~"))), text


@in_language
def requests_at_once_refresh_once(app):
    with browser(to=[app.url, AUTH]) as page:
        session = signed_in(page, app)
    Proxy.paths.clear()
    # Until all have arrived.
    Proxy.refresh_seconds = 2
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: app.send("GET", "/me", expired(session)), range(20)))
    assert {status for status, *_ in answers} == {200}, [status for status, *_ in answers]
    assert Proxy.paths.count("/auth/refresh") == 1, Proxy.paths
    (successor,) = {cookies["__Host-session"].value.split("~")[1] for _, _, cookies, _ in answers}
    assert successor != session.split("~")[1]
    # The cookie was lost, and comes again.
    status, _, cookies, _ = app.send("GET", "/me", expired(session))
    assert (status, cookies["__Host-session"].value.split("~")[1]) == (200, successor)
    # A refused access token is replaced.
    refused = {"__Host-session": f"9999999999~{successor}~y"}
    status, _, cookies, _ = app.send("GET", "/me", refused)
    assert status == 200 and successor not in cookies["__Host-session"].value, status


@in_language
def a_cookie_of_nobody_is_refused(app):
    for session in ("9999999999~lkr_x~y", "1~lkr_x~y", "9999999999"):
        status, _, _, text = app.send("GET", "/me", {"__Host-session": session})
        found = status, json.loads(text)["error"]["code"]
        assert found == (401, "SIGNED_OUT"), (session, found)


@in_language
def an_outage_ends_no_session(app):
    with browser(to=[app.url, AUTH]) as page:
        session = signed_in(page, app)
    Proxy.is_down = True
    for cookies in ({"__Host-session": session}, expired(session)):
        status, _, changed, _ = app.send("GET", "/me", cookies)
        assert status == 503 and not changed, (status, changed)
    Proxy.is_down = False
    status, *_ = app.send("GET", "/me", expired(session))
    assert status == 200, status


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
AUTH = f"http://localhost:{proxy.server_port}"
threading.Thread(target=proxy.serve_forever, daemon=True).start()
RETURNS = ",".join(f"http://localhost:{port}/callback" for port in PORTS.values())
with server(ISSUER=AUTH, UI_RETURN=RETURNS) as where:
    where.registered(EMAIL)
    run()
