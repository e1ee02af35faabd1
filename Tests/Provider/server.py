"""Starts the servers that are judged, and makes their users."""

import atexit
import contextlib
import ctypes
import email
import functools
import json
import pathlib
import re
import secrets
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import types

import jwt
import requests

import hook_server
import resource_server
from document_host import DocumentHost
from ports import free_port
from settings import (
    API1, API2, BANK, CLIENTS, PASSWORD, private_key, public_key, resources, secret)

EXECUTABLE = None
# Set: the functions run in this emulator, by the template below, and not in latchkey.
EMULATOR = None
TEMPLATE = pathlib.Path(__file__).resolve().parents[2] / "Functions/Templates/latchkey.json"
# Of a password of Events.
ADMINISTRATOR = ("open sesame", "$argon2id$v=19$m=8,t=1,p=1$bGF0Y2hrZXkgZXhhbXBsZQ$"
                  "S98W7zt14jyU9Q1jzWNDQIoLVJqiVtNigBTKewZgU7w")
_started = []


class Server:
    """A process of latchkey, with its settings, and what the checks ask of it often."""

    def __init__(self, path, settings, files=None):
        self.home = pathlib.Path(tempfile.mkdtemp())
        for name, value in (files or {}).items():
            file = self.home / f"{name}.json"
            file.write_text(json.dumps(value))
            settings = settings | {name: str(file)}
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        # The template's routes are those of an issuer without a path.
        self.issuer = self.origin + ("" if EMULATOR else path)
        self.log = []
        self.settings = settings if EMULATOR else {
            "ISSUER": self.issuer, "BASE_PATH": path} | settings
        self.process = (self._emulate() if EMULATOR else
                        self._run(f"127.0.0.1:{self.port}", self.settings))
        _started.append(self)
        for entry in self.process.stdout:
            self.log.append(entry)
            if '"event":"listening"' in entry or entry.startswith('{"url":'):
                break
        else:
            raise SystemExit("provider: the server has not started:\n" + "".join(self.log))
        threading.Thread(target=self._read, daemon=True).start()

    def _run(self, address, settings):
        settings = {
            "STORE": f"sqlite:{self.home}/latchkey.db", "MAIL_URL": f"folder:{self.home}/mail",
            "UI": "on", "TZ": "UTC", "PATH": "/usr/bin:/bin"} | settings
        return subprocess.Popen(
            [EXECUTABLE, "--listen", address], cwd=self.home, text=True, preexec_fn=end_with_parent,
            env={name: value for name, value in settings.items() if value},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def _emulate(self):
        settings = {"UI": "on", "MAIL_URL": f"folder:{self.home}/mail",
                    "ADMIN_PASSWORD_HASH": ADMINISTRATOR[1]} | self.settings
        file = self.home / "environment"
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items() if value))
        ports = [f"--{name}-port" for name in ("aws", "control", "smtp")]
        return subprocess.Popen(
            [EMULATOR, "serve", "--template", TEMPLATE, "--executables", EMULATOR.parent,
             "--port", str(self.port),
             *(word for port in ports for word in (port, "0")), "--ephemeral", "--no-watch",
             "--strict", "--env-file", file, "--ready-json",
             *(["--parameter", f"AuthorizerResource={API1}"]
               if "OAUTH_RESOURCES" in settings else [])],
            cwd=self.home, text=True, preexec_fn=end_with_parent, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home), "TZ": "UTC"})

    def _read(self):
        self.log.extend(self.process.stdout)

    def logged(self, text, count=1, after=0):
        """The lines of the log with the text, of which there must soon be so many."""
        deadline = time.monotonic() + 10
        while True:
            found = [line for line in self.log[after:] if text in line]
            if len(found) >= count or time.monotonic() > deadline:
                assert len(found) == count, (text, count, self.log[after:])
                return found
            time.sleep(0.01)

    def start(self, **settings):
        """The status and log of another process with these settings, None if it serves."""
        process = self._run("127.0.0.1:0", self.settings | settings)
        log = []
        for text in process.stdout:
            log.append(text)
            if '"event":"listening"' in text:
                process.terminate()
                break
        else:
            return process.wait(), "".join(log)
        process.wait()
        return None, "".join(log)

    def stop(self):
        _started.remove(self)
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.home)

    def call(self, method, path, **more):
        """One request, without redirects; `token` is a bearer, a path is below the issuer."""
        headers = more.pop("headers", {})
        if "token" in more:
            headers = headers | {"Authorization": f"Bearer {more.pop('token')}"}
        url = path if path.startswith("http") else self.issuer + path
        return requests.request(
            method, url, headers=headers, allow_redirects=False, timeout=60, **more)

    @functools.cached_property
    def metadata(self):
        return self.call("GET", "/.well-known/openid-configuration").json()

    def key(self, token):
        header = jwt.get_unverified_header(token)
        found = self.call("GET", self.metadata["jwks_uri"]).json()["keys"]
        match = [key for key in found if key["kid"] == header["kid"]]
        assert len(match) == 1 and match[0]["alg"] == header["alg"] != "none", (header, found)
        return jwt.PyJWK(match[0])

    def verified(self, token, audience, kind="at+jwt"):
        """The claims of a token, as a strict resource server or client reads them."""
        header = jwt.get_unverified_header(token)
        assert header["typ"].lower() == kind.lower(), header
        assert not header.keys() & {"jku", "jwk", "x5u", "x5c"}, header
        claims = jwt.decode(
            token, self.key(token), ["ES256", "RS256"], audience=audience, issuer=self.issuer,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]})
        assert claims["aud"] == audience, claims
        return claims

    def opens(self, token, audience):
        try:
            return bool(self.verified(token, audience))
        except (jwt.PyJWTError, AssertionError, KeyError):
            return False

    def account(self, name="Ada Lovelace"):
        """A new user, with `email`, the session of a sign-in in `tokens`, and its `id`."""
        address = f"{secrets.token_hex(8)}@example.com"
        answer = self.call("POST", "/auth/register", json={
            "email": address, "password": PASSWORD} | ({"displayName": name} if name else {}))
        assert answer.status_code == 202, answer.text
        answer = self.call("POST", "/auth/verify-email", json={
            "token": self.mailed(address, r"token=([\w-]{40,})"), "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        tokens = answer.json()
        return types.SimpleNamespace(email=address, tokens=tokens, id=tokens["user"]["id"])

    def mailed(self, address, pattern):
        """What the pattern finds in a mail to the address."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for path in sorted((self.home / "mail").glob("[!.]*.eml"), reverse=True):
                message = email.message_from_bytes(path.read_bytes())
                parts = [part.get_payload(decode=True) for part in message.walk()]
                text = b"".join(part for part in parts if part).decode()
                found = re.search(pattern, text)
                if address in message["To"] and found:
                    return found[found.re.groups]
            time.sleep(0.01)
        raise AssertionError(f"no mail to {address} has {pattern}")

    @functools.cached_property
    def user(self):
        """The user of the checks that leave no trace."""
        return self.account()

    @functools.cached_property
    def administrator(self):
        """The headers of an administrator's session."""
        found = re.search(r"\b\w{5}-\w{5}-\w{5}-\w{5}\b", "".join(self.log))
        self.password = found[0] if found else ADMINISTRATOR[0]
        answer = self.call("POST", "/auth/admin/login", json={"password": self.password})
        assert answer.ok, answer.text
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in answer.cookies.items())}

    def administer(self, method, path, **body):
        return self.call(method, path, headers=self.administrator, json=body | {
            "password": self.password, "reason": "a check"})

    def age(self, name, seconds):
        """Sets back all times of the rows whose key has the name, as if seconds had passed."""
        def earlier(found):
            return found[1] + (int.from_bytes(found[2]) - seconds * 1000).to_bytes(8)
        with contextlib.closing(sqlite3.connect(
                self.home / "latchkey.db", timeout=10, isolation_level=None)) as store:
            store.execute("BEGIN IMMEDIATE")
            rows = store.execute(
                "SELECT partition, sort, attributes FROM items"
                " WHERE instr(partition || sort, ?)", [name.encode()]).fetchall()
            assert rows, name
            for partition, sort, attributes in rows:
                # An attribute is a name, the type 2, and milliseconds since 1970.
                # An epoch of a client is compared with that of another row.
                attributes = re.sub(rb"((?<!clientEpoc)[a-zA-Z]\x02)(\0\0\x01.{5})", earlier,
                                    attributes, flags=re.DOTALL)
                store.execute(
                    "UPDATE items SET attributes = ?, expires = expires - ?"
                    " WHERE partition = ? AND sort = ?",
                    [attributes, seconds * 1000, partition, sort])
            store.execute("COMMIT")


def of_one_process(check):
    """Marks a check of what API Gateway does otherwise, or what only a process of its own has."""
    check.of_one_process = True
    return check


def end_with_parent():
    """With this process, also if it is killed (prctl(2), PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@functools.cache
def main():
    """An issuer with a path, files, no limits, and registration by token."""
    return _with_tools(main, {
        "OAUTH_CLIENT_DOCUMENTS": "on", "SSL_CERT_FILE": str(documents().certificate),
        "OAUTH": "on", "RATE_LIMITS": "off", "DPOP": "optional", "REFRESH_GRACE_SECONDS": "5",
        "OAUTH_REGISTRATION": "token", "OAUTH_REGISTRATION_TOKEN": secret("registration"),
    }, {"OAUTH_CLIENTS": [*CLIENTS, BANK]})


@functools.cache
def open_registration():
    """One with which everybody may register, and without other clients."""
    return _with_tools(open_registration, {"OAUTH": "on", "OAUTH_REGISTRATION": "open"}, {})


def _with_tools(server, settings, files):
    tools = resource_server.start(server)
    made = Server("/id", settings, files | {"OAUTH_RESOURCES": resources(tools.url)})
    made.tools = tools
    return made


@functools.cache
def documents():
    """A host of client documents, whose authority the first server trusts."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return DocumentHost(folder)


@functools.cache
def bare():
    """An issuer without a path, settings inline, the default limits, no grace."""
    return Server("", {
        "OAUTH": "on", "OAUTH_CLIENTS": json.dumps(CLIENTS), "OAUTH_CLIENT_DOCUMENTS": "listed",
        "OAUTH_RESOURCES": json.dumps(resources("http://127.0.0.1:9/mcp")),
        "OAUTH_DEFAULT_RESOURCE": API1, "REFRESH_GRACE_SECONDS": "0"})


@functools.cache
def particular():
    """One with hooks, whose clients and resources want what others do not: a key, a short life."""
    hooks = hook_server.start()
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    host = DocumentHost(folder)
    signing_key = pathlib.Path(folder, "signing.pem")
    signing_key.write_bytes(private_key("ES256"))
    host.answers("/keys", {"keys": [public_key("ES256")]})
    fetched = next(one for one in CLIENTS if one["client_id"] == "keyed") | {
        "client_id": "fetched", "jwks_uri": host.url + "/keys"}
    del fetched["jwks"]
    bound = next(one for one in CLIENTS if one["client_id"] == "cli") | {
        "client_id": "bound", "dpop_bound_access_tokens": True}
    resources = [
        {"resource": API1, "scopes": {"a:read": {"en": "See your photos"}}, "lifetime": 60},
        {"resource": API2, "scopes": {"b:read": {"en": "Read"}}, "alg": "RS256", "dpop": True}]
    made = Server("/id", {
        "OAUTH": "on", "RATE_LIMITS": "off", "DPOP": "optional", "HOOK_SECRET": hooks.secret,
        "HOOKS": f"token={hooks.url},authorize={hooks.url}",
        "SSL_CERT_FILE": str(host.certificate), "SIGNING_KEY": f"file:{signing_key}",
    }, {"OAUTH_CLIENTS": CLIENTS + [fetched, bound], "OAUTH_RESOURCES": resources})
    made.hooks, made.host, made.clients = hooks, host, {"fetched": fetched, "bound": bound}
    return made


@functools.cache
def off():
    """A server without OAUTH."""
    return Server("/id", {})


def stop():
    for started in list(_started):
        started.stop()
