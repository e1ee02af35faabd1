"""The yardstick of row `flows` on PostgreSQL: `sign_in.py` with psycopg.

One event loop per worker, and one pool of connections, which are used without blocking the loop.
psycopg prepares frequent statements. `DATABASE` is a URL.
"""

import contextlib
import hmac
import os
import secrets
import time
import uuid

import psycopg
from fastapi import FastAPI
from psycopg_pool import AsyncConnectionPool

from sign_in import (
    ABSOLUTE_SECONDS, HANDLE_BYTES, IDLE_SECONDS, SECRET_BYTES, RefreshRequest, Session, SignedIn,
    SignInRequest, digest, parse_refresh_token, refresh_token, refused, session, verified_identity)

CONNECTIONS_MAX = 8
SCHEMA_LOCK = 1

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
    id text PRIMARY KEY,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    email_verified boolean NOT NULL,
    disabled boolean NOT NULL DEFAULT false,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (issuer, subject)
);
CREATE TABLE IF NOT EXISTS sessions (
    id bytea PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id),
    secret_hash bytea NOT NULL,
    generation bigint NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    idle_expires_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS sessions_of_user ON sessions (user_id);
CREATE TABLE IF NOT EXISTS spent_identity_tokens (
    hash bytea PRIMARY KEY,
    expires_at bigint NOT NULL
);
"""

SPEND = "INSERT INTO spent_identity_tokens VALUES (%s, %s) ON CONFLICT DO NOTHING"
UPSERT_USER = """
INSERT INTO users (id, issuer, subject, email, email_verified, created_at, updated_at)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (issuer, subject) DO UPDATE SET
    email = excluded.email, email_verified = excluded.email_verified,
    updated_at = excluded.updated_at
RETURNING id, email, email_verified, disabled, created_at
"""
INSERT_SESSION = "INSERT INTO sessions VALUES (%s, %s, %s, 1, %s, %s, %s, %s)"
# The lock serialises two simultaneous refreshes.
FIND_SESSION = """
SELECT secret_hash, idle_expires_at, expires_at,
       users.id, email, email_verified, disabled, users.created_at
FROM sessions JOIN users ON users.id = user_id
WHERE sessions.id = %s
FOR UPDATE OF sessions
"""
ROTATE = """
UPDATE sessions SET secret_hash = %s, generation = generation + 1, last_used_at = %s,
    idle_expires_at = %s
WHERE id = %s
"""
END_SESSION = "DELETE FROM sessions WHERE id = %s"

POOL = AsyncConnectionPool(
    os.environ["DATABASE"], min_size=1, max_size=CONNECTIONS_MAX, open=False)


@contextlib.asynccontextmanager
async def lifespan(_):
    with psycopg.connect(os.environ["DATABASE"]) as database:
        # Two workers start at the same time.
        database.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
        database.execute(SCHEMA)
    async with POOL:
        yield


app = FastAPI(openapi_url=None, lifespan=lifespan)


@app.get("/health")
async def health():
    return {}


@app.post("/auth/signin")
async def sign_in(request: SignInRequest) -> SignedIn:
    now = int(time.time())
    identity = verified_identity(request.idToken, now)
    handle, secret = secrets.token_bytes(HANDLE_BYTES), secrets.token_bytes(SECRET_BYTES)
    session_id = digest(handle)
    new_id = str(uuid.uuid4())
    # One transaction, which an exception rolls back.
    async with POOL.connection() as database:
        spent = await database.execute(
            SPEND, (digest(request.idToken.encode()), identity["exp"]))
        if spent.rowcount == 0:
            raise refused("IDENTITY_TOKEN_SPENT")
        rows = await database.execute(
            UPSERT_USER,
            (new_id, identity["iss"], identity["sub"], identity.get("email"),
             bool(identity.get("email_verified")), now, now))
        user = await rows.fetchone()
        if user[3]:
            raise refused("ACCOUNT_DISABLED", 403)
        await database.execute(
            INSERT_SESSION,
            (session_id, user[0], digest(secret), now, now, now + IDLE_SECONDS,
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
    async with POOL.connection() as database:
        rows = await database.execute(FIND_SESSION, (session_id,))
        found = await rows.fetchone()
        if found is None:
            raise refused("INVALID_REFRESH_TOKEN")
        secret_hash, idle_expires_at, expires_at, *user = found
        if not hmac.compare_digest(secret_hash, digest(secret)):
            # Reuse of a replaced token: end the session (RFC 9700 section 4.14.2).
            await database.execute(END_SESSION, (session_id,))
            refusal = refused("REFRESH_TOKEN_REUSED")
        elif now >= min(idle_expires_at, expires_at):
            refusal = refused("INVALID_REFRESH_TOKEN")
        elif user[3]:
            refusal = refused("ACCOUNT_DISABLED", 403)
        else:
            await database.execute(
                ROTATE, (digest(successor), now, now + IDLE_SECONDS, session_id))
    if refusal:
        raise refusal
    return session(Session, user, session_id, refresh_token(handle, successor), now)
