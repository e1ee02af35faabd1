"""The yardstick of row `servers`: `sign_in.py`, the user and the login with a password.

Passwords are hashed off the event loop, by as many threads as there are processors. Further
settings:

    SYNCHRONOUS    FULL, or NORMAL: SQLite does not sync the commits of its write-ahead log
"""

import asyncio
import concurrent.futures
import os
import secrets
import sqlite3
import time
import uuid
from typing import Annotated

import jwt
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from fastapi import Header
from pydantic import BaseModel, StringConstraints

from sign_in import (
    ABSOLUTE_SECONDS, ALGORITHM, AUDIENCE, DATABASE, HANDLE_BYTES, IDLE_SECONDS, INSERT_SESSION,
    ISSUER, KEY, SECRET_BYTES, SIGNATURES, Session, User, app, digest, refresh_token, refused,
    session, transaction)

PASSWORD_SCHEMA = """
CREATE TABLE IF NOT EXISTS passwords (
    email TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    hash TEXT NOT NULL
) WITHOUT ROWID;
"""
INSERT_USER = "INSERT INTO users VALUES (?1, ?2, ?3, ?3, 1, 0, ?4, ?4)"
INSERT_PASSWORD = "INSERT INTO passwords VALUES (?1, ?2, ?3)"
FIND_PASSWORD = """
SELECT hash, users.id, users.email, email_verified, disabled, created_at
FROM passwords JOIN users ON users.id = user_id
WHERE passwords.email = ?
"""
FIND_USER = """
SELECT min(idle_expires_at, expires_at), users.id, email, email_verified, disabled,
       users.created_at
FROM sessions JOIN users ON users.id = user_id
WHERE sessions.id = ? AND user_id = ?
"""

DATABASE.executescript(PASSWORD_SCHEMA)
DATABASE.execute(f"PRAGMA synchronous = {os.environ['SYNCHRONOUS']}")
PUBLIC_KEY = KEY if ALGORITHM == "HS256" else KEY.public_key()
# Latchkey's cost: Argon2id with 19 MiB and two passes.
HASHER = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)
DUMMY_HASH = HASHER.hash(secrets.token_hex(16))
HASHING = concurrent.futures.ThreadPoolExecutor(os.cpu_count())


class Credentials(BaseModel):
    email: Annotated[str, StringConstraints(min_length=3, max_length=254)]
    password: Annotated[str, StringConstraints(min_length=8, max_length=256)]


def hashing(work, *arguments):
    return asyncio.get_running_loop().run_in_executor(HASHING, work, *arguments)


def bearer(authorization):
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise refused("UNAUTHORIZED")
    try:
        return SIGNATURES.decode(
            token, PUBLIC_KEY, algorithms=[ALGORITHM], audience=AUDIENCE, issuer=ISSUER,
            options={"require": ["iss", "aud", "sub", "iat", "exp", "sid"]})
    except jwt.PyJWTError:
        raise refused("UNAUTHORIZED") from None


@app.get("/auth/me")
async def me(authorization: Annotated[str, Header()]) -> User:
    claims = bearer(authorization)
    found = DATABASE.execute(
        FIND_USER, (bytes.fromhex(claims["sid"]), claims["sub"])).fetchone()
    if found is None or found[0] <= time.time() or found[4]:
        raise refused("UNAUTHORIZED")
    _, user_id, email, email_verified, _, created_at = found
    return User(
        id=user_id, email=email, emailVerified=bool(email_verified), createdAt=created_at)


@app.post("/auth/register", status_code=201)
async def register(request: Credentials) -> dict:
    hashed = await hashing(HASHER.hash, request.password)
    user_id = str(uuid.uuid4())
    try:
        with transaction() as database:
            database.execute(INSERT_USER, (user_id, ISSUER, request.email, int(time.time())))
            database.execute(INSERT_PASSWORD, (request.email, user_id, hashed))
    except sqlite3.IntegrityError:
        raise refused("EMAIL_TAKEN", 409) from None
    return {}


@app.post("/auth/login")
async def login(request: Credentials) -> Session:
    found = DATABASE.execute(FIND_PASSWORD, (request.email,)).fetchone()
    try:
        await hashing(HASHER.verify, found[0] if found else DUMMY_HASH, request.password)
    except VerifyMismatchError:
        raise refused("INVALID_CREDENTIALS") from None
    if not found:
        raise refused("INVALID_CREDENTIALS")
    _, *user = found
    if user[3]:
        raise refused("ACCOUNT_DISABLED", 403)
    now = int(time.time())
    handle, secret = secrets.token_bytes(HANDLE_BYTES), secrets.token_bytes(SECRET_BYTES)
    session_id = digest(handle)
    with transaction() as database:
        database.execute(
            INSERT_SESSION,
            (session_id, user[0], digest(secret), now, now + IDLE_SECONDS,
             now + ABSOLUTE_SECONDS))
    return session(Session, user, session_id, refresh_token(handle, secret), now)
