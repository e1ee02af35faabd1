"""The limit of the machine for row `servers`: the C program `limit`, its database and tokens."""

import contextlib
import json
import sqlite3
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import settings
from contenders import Contender
from load import Request
from processes import free_port

USERS = 1000
TOKENS = 64
TOKEN_SECONDS = 3600


class Limit(Contender):
    name = "limit"

    def start(self):
        self.port = self.app_port = free_port()
        database, point = self.folder / "limit.db", self.folder / "point"
        key = ec.generate_private_key(ec.SECP256R1())
        point.write_bytes(key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint))
        fill(database)
        self.tokens = [access_token(key, user_id(number)) for number in range(TOKENS)]
        self.spawn([settings.BUILD / "limit", self.port, database, point, self.folder / "pages"])

    def wait_until_ready(self):
        self.wait(self.requests("GET")[0], self.port)

    def requests(self, method):
        """A GET reads; a POST also writes and syncs."""
        return [Request(method, "/", {"Authorization": f"Bearer {token}"})
                for token in self.tokens]


def user_id(number):
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def profile(number):
    return json.dumps({
        "id": user_id(number), "email": f"member-{number}@example.com", "emailVerified": True,
        "createdAt": int(time.time()), "name": "x" * 100}, separators=(",", ":"))


def fill(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(
            "CREATE TABLE users (id TEXT PRIMARY KEY, profile TEXT NOT NULL) WITHOUT ROWID")
        database.executemany(
            "INSERT INTO users VALUES (?, ?)",
            [(user_id(number), profile(number)) for number in range(USERS)])
        database.commit()


def access_token(key, subject):
    now = int(time.time())
    return jwt.encode({
        "iss": settings.ISSUER, "aud": "latchkey", "sub": subject, "iat": now,
        "exp": now + TOKEN_SECONDS, "jti": subject, "client_id": "latchkey", "sid": subject},
        key, algorithm="ES256", headers={"typ": "at+jwt", "kid": "1"})
