"""Glewlwyd, Debian's OpenID Connect server in C, on SQLite.

It takes part if scripts/get-glewlwyd has unpacked it. Access tokens are ES256. Its commits are
synced, with a rollback journal: it sets no pragma, and these are SQLite's defaults. A refresh and a
login write the tokens; a refresh token is not replaced. Passwords are hashed with PBKDF2.
"""

import contextlib
import http.client
import json
import os
import sqlite3
import urllib.parse

import settings
from contenders import START_SECONDS_MAX, Contender
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from load import Request
from processes import free_port

ROOT = settings.ROOT / ".cache/glewlwyd"
EXECUTABLE = ROOT / "usr/bin/glewlwyd"
SCHEMA = ROOT / "usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
MODULES = ROOT / "usr/lib/glewlwyd"
# The schema's administrator.
ADMINISTRATOR = {"username": "admin", "password": "password"}
SCOPE = "g_profile"
OPENID = f"openid {SCOPE}"
CLIENT = {"client_id": "app", "client_secret": "the secret of the app"}
PLUGIN = {
    "iss": settings.ISSUER, "jwt-type": "ecdsa", "jwt-key-size": "256",
    "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600,
    "refresh-token-rolling": True, "refresh-token-one-use": "never", "subject-type": "public",
    "allow-non-oidc": True, "pkce-allowed": True, "auth-type-code-enabled": True,
    "auth-type-token-enabled": False,
    "auth-type-id-token-enabled": True, "auth-type-none-enabled": False,
    "auth-type-password-enabled": True, "auth-type-client-enabled": False,
    "auth-type-device-enabled": False, "auth-type-refresh-enabled": True}


def is_present():
    return os.access(EXECUTABLE, os.X_OK)


class Glewlwyd(Contender):
    name = "Glewlwyd, synced"

    def start(self):
        self.port = self.app_port = free_port()
        self.cookie = None
        database, configuration = self.folder / "glewlwyd.db", self.folder / "glewlwyd.conf"
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.executescript(SCHEMA.read_text())
        configuration.write_text("\n".join(self.settings(database)))
        (library,) = ROOT.glob("usr/lib/*/libulfius.so.*.*.*")
        self.spawn(
            [EXECUTABLE, f"--config-file={configuration}"],
            {"LD_LIBRARY_PATH": str(library.parent)})

    def settings(self, database):
        values = {
            "bind_address": "127.0.0.1", "external_url": f"http://127.0.0.1:{self.port}",
            "login_url": "login.html", "api_prefix": "api", "log_mode": "console",
            "log_level": "ERROR", "cookie_domain": "127.0.0.1", "session_key": "session",
            "admin_scope": "g_admin", "profile_scope": SCOPE, "hash_algorithm": "SHA512",
            "user_module_path": MODULES / "user", "client_module_path": MODULES / "client",
            "user_middleware_module_path": MODULES / "user_middleware",
            "user_auth_scheme_module_path": MODULES / "scheme",
            "plugin_module_path": MODULES / "plugin"}
        yield f"port = {self.port}"
        yield "cookie_secure = 0"
        yield "session_expiration = 86400"
        for name, value in values.items():
            yield f'{name} = "{value}"'
        yield f'database = {{ type = "sqlite3"; path = "{database}"; }};'

    def wait_until_ready(self):
        self.wait(Request("GET", "/config", {}), self.port)

    def send(self, path, body, content_type, method="POST", status=200):
        headers = {"Content-Type": content_type} | ({"Cookie": self.cookie} if self.cookie else {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS_MAX)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            answer, cookie = response.read(), response.getheader("Set-Cookie")
        if response.status != status:
            raise RuntimeError(f"{self.name}: {path}: {response.status} {answer[:500]!r}")
        if cookie:
            self.cookie = cookie.split(";")[0]
        return response.getheader("Location") if status == 302 else answer

    def api(self, path, body, method="POST"):
        self.send(f"/api/{path}", json.dumps(body), "application/json", method)

    def prepare(self, accounts, password):
        """Creates the plug-in, the client and the users; returns a session of each."""
        self.wait_until_ready()
        self.api("auth", ADMINISTRATOR)
        private = ec.generate_private_key(ec.SECP256R1())
        self.api("mod/plugin", {
            "module": "oidc", "name": "oidc", "display_name": "oidc", "parameters": PLUGIN | {
                "key": private.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption()).decode(),
                "cert": private.public_key().public_bytes(
                    serialization.Encoding.PEM,
                    serialization.PublicFormat.SubjectPublicKeyInfo).decode()}})
        self.api("client", CLIENT | {
            "name": "app", "confidential": True, "enabled": True, "scope": [],
            "token_endpoint_auth_method": ["client_secret_post"],
            "authorization_type": ["code", "password", "refresh_token"],
            "redirect_uri": [settings.ISSUER]})
        for account in accounts:
            self.api("user", {
                "username": account, "password": password, "email": account, "enabled": True,
                "scope": ["openid", SCOPE]})
        requests = [login_request(account, password) for account in accounts]
        return [json.loads(self.send(one.target, one.body, one.headers["Content-Type"]))
                for one in requests]

    def sign_in(self, account, password):
        """A session in which the user has allowed the client; its cookie."""
        self.cookie = None
        self.api("auth", {"username": account, "password": password})
        self.api(f"auth/grant/{CLIENT['client_id']}", {"scope": OPENID}, "PUT")
        return self.cookie

    def code(self, cookie, challenge):
        """A new code of the client."""
        self.cookie = cookie
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": CLIENT["client_id"], "scope": OPENID,
            "redirect_uri": settings.ISSUER, "state": "x", "nonce": "x",
            "code_challenge": challenge, "code_challenge_method": "S256"})
        location = self.send(f"/api/oidc/auth?{query}&g_continue", None, "", "GET", 302)
        return urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["code"][0]


def token_request(form):
    return Request(
        "POST", "/api/oidc/token", {"Content-Type": "application/x-www-form-urlencoded"},
        urllib.parse.urlencode(form | CLIENT).encode())


def login_request(account, password):
    return token_request({
        "grant_type": "password", "username": account, "password": password, "scope": SCOPE})


def refresh_request(token):
    return token_request({"grant_type": "refresh_token", "refresh_token": token})


def me_request(token):
    return Request("GET", "/api/oidc/userinfo", {"Authorization": f"Bearer {token}"})
