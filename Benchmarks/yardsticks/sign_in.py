"""The yardstick of row `flows`: sign-in and refresh with FastAPI, PyJWT and SQLite.

One event loop per worker, one SQLite connection per worker. A request is a few queries in one
transaction, which is faster on the loop than on another thread. Settings come from the
environment:

    ALGORITHM      ES256 or HS256
    SIGNING_KEY    a file: a private key in PEM, or the secret
    JWKS           a file: the identity provider's keys
    DATABASE       a file
    ISSUER, AUDIENCE, PROVIDER_ISSUER, PROVIDER_AUDIENCE
"""

import base64
import contextlib
import ctypes
import hashlib
import hmac
import multiprocessing
import os
import pathlib
import secrets
import signal
import sqlite3
import time
import uuid
from typing import Annotated, Literal

import jwt
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, StringConstraints

ALGORITHM = os.environ["ALGORITHM"]
ISSUER = os.environ["ISSUER"]
AUDIENCE = os.environ["AUDIENCE"]
PROVIDER_ISSUER = os.environ["PROVIDER_ISSUER"]
PROVIDER_AUDIENCE = os.environ["PROVIDER_AUDIENCE"]

ACCESS_SECONDS = 15 * 60
IDLE_SECONDS = 30 * 24 * 3600
ABSOLUTE_SECONDS = 365 * 24 * 3600
IDENTITY_TOKEN_SECONDS_MAX = 3600
BUSY_SECONDS_MAX = 10
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """Without it, the workers outlive a uvicorn that is killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have been killed before that call.
    if os.getppid() != parent.pid:
        os.kill(os.getpid(), signal.SIGKILL)


end_with_parent()

REFRESH_PREFIX = "rt_"
HANDLE_BYTES = 16
SECRET_BYTES = 32

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT,
    email_verified INTEGER NOT NULL,
    disabled INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (issuer, subject)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
    id BLOB PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    secret_hash BLOB NOT NULL,
    generation INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    idle_expires_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_of_user ON sessions (user_id);
CREATE TABLE IF NOT EXISTS spent_identity_tokens (
    hash BLOB PRIMARY KEY,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
"""

SPEND = "INSERT INTO spent_identity_tokens VALUES (?, ?) ON CONFLICT DO NOTHING"
UPSERT_USER = """
INSERT INTO users (id, issuer, subject, email, email_verified, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
ON CONFLICT (issuer, subject) DO UPDATE SET
    email = excluded.email, email_verified = excluded.email_verified,
    updated_at = excluded.updated_at
RETURNING id, email, email_verified, disabled, created_at
"""
INSERT_SESSION = "INSERT INTO sessions VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, ?6)"
FIND_SESSION = """
SELECT secret_hash, idle_expires_at, expires_at,
       users.id, email, email_verified, disabled, users.created_at
FROM sessions JOIN users ON users.id = user_id
WHERE sessions.id = ?
"""
ROTATE = """
UPDATE sessions SET secret_hash = ?2, generation = generation + 1, last_used_at = ?3,
    idle_expires_at = ?4
WHERE id = ?1
"""
END_SESSION = "DELETE FROM sessions WHERE id = ?"


def signing_key():
    """Parsed once: PyJWT accepts a key object."""
    data = pathlib.Path(os.environ["SIGNING_KEY"]).read_bytes()
    return data if ALGORITHM == "HS256" else load_pem_private_key(data, password=None)


def provider_keys():
    """The cache of a JWKS client: public keys by key id, parsed once."""
    key_set = jwt.PyJWKSet.from_json(pathlib.Path(os.environ["JWKS"]).read_text())
    return {key.key_id: key for key in key_set.keys}


def connect():
    database = sqlite3.connect(
        os.environ["DATABASE"], timeout=BUSY_SECONDS_MAX, isolation_level=None,
        cached_statements=128)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.executescript(SCHEMA)
    return database


KEY = signing_key()
PROVIDER_KEYS = provider_keys()
# sign_in_postgresql.py replaces it.
DATABASE = None if os.environ["DATABASE"].startswith("postgresql:") else connect()
SIGNATURES = jwt.PyJWT()
TOKEN_HEADERS = {"typ": "at+jwt"} | ({"kid": "1"} if ALGORITHM == "ES256" else {})

app = FastAPI(openapi_url=None)


class SignInRequest(BaseModel):
    provider: Literal["apple"]
    idToken: Annotated[str, StringConstraints(min_length=1, max_length=16384)]


class RefreshRequest(BaseModel):
    refreshToken: Annotated[str, StringConstraints(min_length=1, max_length=512)]


class User(BaseModel):
    id: str
    email: str | None
    emailVerified: bool
    createdAt: int


class Session(BaseModel):
    accessToken: str
    refreshToken: str
    tokenType: str = "Bearer"
    expiresIn: int = ACCESS_SECONDS
    expiresAt: int
    user: User


class SignedIn(Session):
    isNewUser: bool


def refused(code, status=401):
    return HTTPException(status, {"code": code})


@contextlib.contextmanager
def transaction():
    """Takes the write lock at once, because upgrading a lock later can fail."""
    DATABASE.execute("BEGIN IMMEDIATE")
    try:
        yield DATABASE
    except BaseException:
        DATABASE.execute("ROLLBACK")
        raise
    DATABASE.execute("COMMIT")


def digest(data):
    return hashlib.sha256(data).digest()


def refresh_token(handle, secret):
    return REFRESH_PREFIX + base64.urlsafe_b64encode(handle + secret).decode()


def parse_refresh_token(text):
    try:
        data = base64.b64decode(text.removeprefix(REFRESH_PREFIX), altchars=b"-_", validate=True)
    except ValueError:
        raise refused("INVALID_REFRESH_TOKEN") from None
    if not text.startswith(REFRESH_PREFIX) or len(data) != HANDLE_BYTES + SECRET_BYTES:
        raise refused("INVALID_REFRESH_TOKEN")
    return data[:HANDLE_BYTES], data[HANDLE_BYTES:]


def access_token(user_id, session_id, now):
    claims = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": user_id, "iat": now, "exp": now + ACCESS_SECONDS,
        "jti": secrets.token_urlsafe(16), "client_id": AUDIENCE, "sid": session_id.hex()}
    return SIGNATURES.encode(claims, KEY, algorithm=ALGORITHM, headers=TOKEN_HEADERS)


def verified_identity(token, now):
    try:
        key = PROVIDER_KEYS[jwt.get_unverified_header(token)["kid"]]
        claims = SIGNATURES.decode(
            token, key, algorithms=["RS256"], audience=PROVIDER_AUDIENCE, issuer=PROVIDER_ISSUER,
            options={"require": ["iss", "aud", "sub", "iat", "exp"]})
    except (jwt.PyJWTError, KeyError):
        raise refused("INVALID_IDENTITY_TOKEN") from None
    if now - claims["iat"] > IDENTITY_TOKEN_SECONDS_MAX:
        raise refused("INVALID_IDENTITY_TOKEN")
    return claims


def session(kind, user, session_id, token, now, **more):
    user_id, email, email_verified, _, created_at = user
    return kind(
        accessToken=access_token(user_id, session_id, now), refreshToken=token,
        expiresAt=now + ACCESS_SECONDS,
        user=User(
            id=user_id, email=email, emailVerified=bool(email_verified), createdAt=created_at),
        **more)


@app.get("/health")
async def health():
    return {}


@app.post("/auth/signin")
async def sign_in(request: SignInRequest) -> SignedIn:
    now = int(time.time())
    identity = verified_identity(request.idToken, now)
    handle, secret = secrets.token_bytes(HANDLE_BYTES), secrets.token_bytes(SECRET_BYTES)
    # The handle is only in the refresh token, so that a client with only an access token cannot
    # refer to the session at /auth/refresh.
    session_id = digest(handle)
    new_id = str(uuid.uuid4())
    with transaction() as database:
        spent = database.execute(SPEND, (digest(request.idToken.encode()), identity["exp"]))
        if spent.rowcount == 0:
            raise refused("IDENTITY_TOKEN_SPENT")
        user = database.execute(
            UPSERT_USER,
            (new_id, identity["iss"], identity["sub"], identity.get("email"),
             bool(identity.get("email_verified")), now)).fetchone()
        if user[3]:
            raise refused("ACCOUNT_DISABLED", 403)
        database.execute(
            INSERT_SESSION,
            (session_id, user[0], digest(secret), now, now + IDLE_SECONDS,
             now + ABSOLUTE_SECONDS))
    return session(
        SignedIn, user, session_id, refresh_token(handle, secret), now,
        isNewUser=user[0] == new_id)


@app.post("/auth/refresh")
async def refresh(request: RefreshRequest) -> Session:
    now = int(time.time())
    handle, secret = parse_refresh_token(request.refreshToken)
    session_id = digest(handle)
    successor = secrets.token_bytes(SECRET_BYTES)
    refusal = None
    with transaction() as database:
        found = database.execute(FIND_SESSION, (session_id,)).fetchone()
        if found is None:
            raise refused("INVALID_REFRESH_TOKEN")
        secret_hash, idle_expires_at, expires_at, *user = found
        if not hmac.compare_digest(secret_hash, digest(secret)):
            # Reuse of a replaced token: end the session (RFC 9700 section 4.14.2).
            database.execute(END_SESSION, (session_id,))
            refusal = refused("REFRESH_TOKEN_REUSED")
        elif now >= min(idle_expires_at, expires_at):
            refusal = refused("INVALID_REFRESH_TOKEN")
        elif user[3]:
            refusal = refused("ACCOUNT_DISABLED", 403)
        else:
            database.execute(
                ROTATE, (session_id, digest(successor), now, now + IDLE_SECONDS))
    if refusal:
        raise refusal
    return session(Session, user, session_id, refresh_token(handle, successor), now)
