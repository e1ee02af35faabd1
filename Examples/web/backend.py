"""A back end for the front end: no script of a page sees a token. Python 3.9, no packages."""
import base64
import concurrent.futures
import hashlib
import http.server
import json
import logging
import os
import re
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

AUTH = os.environ.get("AUTH", "https://auth.example.com")
APP = os.environ.get("APP", "https://app.example.com")
flights, lock = {}, threading.Lock()


class Refused(OSError):
    """An answer of Latchkey that is an error."""

    def __init__(self, status, error):
        super().__init__(error["code"])
        self.status, self.error = status, error


def cookie(name, value, seconds):
    return f"__Host-{name}={value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"


def kept(session):
    names = ("expiresAt", "refreshToken", "accessToken")
    return cookie("session", "~".join(str(session[name]) for name in names), 31_536_000)


def ask(path, body=None, token=None):
    request = urllib.request.Request(
        AUTH + path, json.dumps(body).encode() if body else None,
        {"Content-Type": "application/json"})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as answer:
        raise Refused(answer.code, json.load(answer)["error"]) from None


def refresh(token):
    """One refresh for all requests of now; for a minute, Latchkey gives the same tokens again."""
    with lock:
        flight = flights.get(token)
        is_first = flight is None
        if is_first:
            flight = flights[token] = concurrent.futures.Future()
    if is_first:
        try:
            flight.set_result(ask("/auth/refresh", {"refreshToken": token}))
        except Exception as error:
            flight.set_exception(error)
        flights.pop(token)
    return flight.result()


class Handler(http.server.BaseHTTPRequestHandler):
    def end(self, status, body=None, *headers):
        self.send_response(status)
        for name, value in [*self.fresh, *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() if body else b"")

    def refuse(self, status, code):
        # A person sees the answer of /callback: the app's page has the words.
        if self.path.startswith("/callback?"):
            return self.end(302, None, ("Location", f"/?error={code}"))
        return self.end(status, {"error": {"code": code}}, ("Content-Type", "application/json"))

    def find(self, name, count):
        found = re.search(rf"(?:^|; )__Host-{name}=([^;]+)", self.headers.get("Cookie", ""))
        parts = found[1].split("~") if found else []
        return parts if len(parts) == count else [""] * count

    def answer(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        # Beside SameSite: what changes something comes from our own pages (CSRF).
        if self.command != "GET" and self.headers.get("Origin") != APP:
            return self.refuse(403, "FOREIGN_ORIGIN")
        if url.path == "/signin":
            state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
            digest = hashlib.sha256(verifier.encode()).digest()
            way = urllib.parse.urlencode({
                "state": state, "redirect_uri": f"{APP}/callback", "code_challenge_method": "S256",
                "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("=")})
            return self.end(302, None, ("Location", f"{AUTH}/auth/ui/signin?{way}"),
                            ("Set-Cookie", cookie("flow", f"{state}~{verifier}", 1800)))
        if url.path == "/callback":
            state, verifier = self.find("flow", 2)
            if not state or query.get("state") != state or query.get("iss") != AUTH:
                return self.refuse(400, "WRONG_STATE")
            session = ask(
                "/auth/ui/token", {"code": query.get("code", ""), "codeVerifier": verifier})
            return self.end(302, None, ("Location", "/"), ("Set-Cookie", kept(session)),
                            ("Set-Cookie", cookie("flow", "", 0)))
        expires, self.token, self.access = self.find("session", 3)
        if not self.token or not expires.isdecimal():
            return self.refuse(401, "SIGNED_OUT")
        if url.path == "/signout" and self.command == "POST":
            try:
                ask("/auth/signout", {"refreshToken": self.token, "scope": "session"})
            except OSError as error:
                logging.error("sign-out: %s", error)
            return self.end(204, None, ("Set-Cookie", cookie("session", "", 0)))
        if int(expires) < time.time() + 60:
            self.renew()
        # Add your own routes here. The access token is read from a cookie and not verified:
        # forward it, as below, or verify it with user() of docs/deploying.md, which returns the
        # user's ID: user(f"Bearer {self.access}")
        if url.path == "/me":
            return self.end(200, self.call("/auth/me"), ("Cache-Control", "no-store"),
                            ("Content-Type", "application/json"))
        return self.refuse(404, "NOT_FOUND")

    def renew(self):
        try:
            session = refresh(self.token)
        except Refused as error:
            # Nothing else ends a session.
            if error.error.get("action") == "reauthenticate":
                self.fresh = [("Set-Cookie", cookie("session", "", 0))]
                error.error["code"] = "SIGNED_OUT"
            raise
        self.fresh, self.access = [("Set-Cookie", kept(session))], session["accessToken"]

    def call(self, path, body=None):
        try:
            return ask(path, body, self.access)
        except Refused as error:
            # Latchkey refuses the access token of a session that was ended elsewhere: refresh
            # once.
            if error.error["code"] != "UNAUTHORIZED":
                raise
            self.renew()
            return ask(path, body, self.access)

    def do_GET(self):
        self.fresh = []
        try:
            self.answer()
        except (OSError, ValueError, KeyError) as error:
            logging.error("%s", error)
            if isinstance(error, Refused) and error.status < 500:
                self.refuse(error.status, error.error["code"])
            else:
                self.refuse(503, "UNAVAILABLE")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def log_message(self, *_):
        """Its lines have the queries, and the query of /callback has the code of a sign-in."""


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "3000"))
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
