"""PocketBase, from a wheel that only wraps its executable.

Its commits are not synced: the executable opens SQLite with a write-ahead log and `synchronous =
NORMAL`, which no setting changes. Its log of requests and the collection's mail about new devices
are off, so that `auth-refresh` and `auth-with-password` write nothing.
"""

import contextlib
import http.client
import json
import secrets
import subprocess

import settings
from contenders import START_SECONDS_MAX, Contender
from load import Request
from processes import free_port

COLLECTION = "members"
SUPERUSER = "root@example.com"
# The collection's default, said here because the row compares logins.
BCRYPT_COST = 10


class PocketBase(Contender):
    name = "PocketBase, not synced"

    def start(self):
        self.port = self.app_port = free_port()
        self.superuser_password = secrets.token_hex(16)
        data = ["--dir", self.folder / "pb_data"]
        executable = settings.VENV / "bin/pocketbase"
        self.run([executable, "superuser", "upsert", SUPERUSER, self.superuser_password, *data])
        self.spawn([executable, "serve", "--http", f"127.0.0.1:{self.port}", *data])

    def run(self, command):
        done = subprocess.run(
            [str(part) for part in command], cwd=self.folder, capture_output=True, text=True,
            check=False, timeout=START_SECONDS_MAX)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {done.stdout}{done.stderr}")

    def wait_until_ready(self):
        self.wait(Request("GET", "/api/health", {}), self.port)

    def api(self, method, path, body, token=None):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = token
        # Long answers are chunked, which `ask` does not decode.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS_MAX)
        with contextlib.closing(connection):
            connection.request(method, f"/api/{path}", json.dumps(body), headers)
            response = connection.getresponse()
            answer = response.read()
        if response.status != 200:
            raise RuntimeError(
                f"{self.name}: {method} {path}: {response.status} {answer[:500]!r}")
        return json.loads(answer)

    def log_in(self, collection, email, password):
        """The access token."""
        return self.api("POST", f"collections/{collection}/auth-with-password", {
            "identity": email, "password": password})["token"]

    def prepare(self, accounts, password):
        """Creates the collection and its users; returns their access tokens."""
        self.wait_until_ready()
        root = self.log_in("_superusers", SUPERUSER, self.superuser_password)
        self.api("PATCH", "settings", {"logs": {"maxDays": 0}}, root)
        self.api("POST", "collections", {
            "name": COLLECTION, "type": "auth", "authAlert": {"enabled": False},
            "fields": [{"name": "password", "type": "password", "system": True, "hidden": True,
                        "required": True, "min": 8, "cost": BCRYPT_COST}]}, root)
        for email in accounts:
            self.api("POST", f"collections/{COLLECTION}/records", {
                "email": email, "password": password, "passwordConfirm": password,
                "verified": True}, root)
        return [self.log_in(COLLECTION, email, password) for email in accounts]


def refresh_request(token):
    return Request("POST", f"/api/collections/{COLLECTION}/auth-refresh", {"Authorization": token})


def login_request(email, password):
    return Request(
        "POST", f"/api/collections/{COLLECTION}/auth-with-password",
        {"Content-Type": "application/json"},
        json.dumps({"identity": email, "password": password}).encode())
