"""Many users and many audit events, written straight into an SQLite file of `latchkey`
(Sources/Auth/Records/StoreLayout.swift, Sources/Stores/KeyValueStore/ItemCodec.swift)."""

import base64
import contextlib
import hashlib
import hmac
import sqlite3
import struct
import time
import uuid

DAY = 86_400_000
# In the directory, and for the numbers of events: the newest first.
LAST_MILLISECOND, LAST_NUMBER = 9_999_999_999_999, (1 << 63) - 1
SHARDS = 64


def run(data):
    """A length (LEB128) and the bytes."""
    length, rest = b"", len(data)
    while rest >= 0x80:
        length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
    return length + bytes([rest]) + data


def encoded(attributes):
    """As ItemCodec.swift encodes them."""
    def value(given):
        match given:
            case bool(): return b"\x05" if given else b"\x04"
            case str(): return b"\x01" + run(given.encode())
            case int(): return b"\x02" + struct.pack(">q", given)
        return b"\x03" + run(given)

    return b"\x01" + b"".join(
        run(name.encode()) + value(attributes[name]) for name in sorted(attributes))


def digest(text):
    data = text.encode()
    made = hashlib.sha256(b"%d:%s" % (len(data), data)).digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def put(path, rows):
    """Rows of partition, sort key, expiry and attributes."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN")
        database.executemany("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)", (
            (partition.encode(), sort.encode(), expires, encoded(attributes))
            for partition, sort, expires, attributes in rows))
        database.execute("COMMIT")


def users(count, days=365):
    """The rows of users who never sign in, the last of them made a day ago."""
    now = int(time.time() * 1000)
    for number in range(count):
        user, email = str(uuid.uuid4()), f"user{number}@example.com"
        made = now - DAY - (count - number) * days * DAY // count
        yield (f"USER#{user}", "PROFILE", None, {
            "isEmailVerified": True, "identities": b"[]", "epoch": 0, "isDisabled": False,
            "isAdmin": False, "revision": 0, "email": email, "createdAt": made,
            "updatedAt": made})
        yield "USERS#ALL", f"{LAST_MILLISECOND - made:013}#{user}", None, {}
        yield f"EMAIL#{digest(email)}", f"USER#{user}", None, {}


def audit_key(master):
    """Derived from the setting MASTER_KEY (RFC 5869, HKDF with SHA-256)."""
    secret = hmac.digest(bytes(32), bytes.fromhex(master), "sha256")
    return hmac.digest(secret, b"latchkey audit 1\x01", "sha256")


def link(key, chain, sort, expires, attributes):
    """The MAC of an event (Sources/Auth/Records/Audit/AuditRecord.swift)."""
    def part(data):
        return struct.pack(">I", len(data)) + data

    message = b"latchkey audit 1\0" + b"".join(map(part, [
        chain.encode(), sort.encode(), struct.pack(">q", expires)]))
    for name in sorted(attributes):
        value = attributes[name]
        message += part(name.encode()) + {
            str: lambda: part(b"t") + part(value.encode()),
            bool: lambda: part(b"f") + part(struct.pack(">q", value)),
            int: lambda: part(b"i") + part(struct.pack(">q", value)),
            bytes: lambda: part(b"b") + part(value)}[type(value)]()
    return hmac.digest(key, message, "sha256")


def events(user, count, key, **details):
    """The rows of a user's audit events, one a minute until now, instead of those before."""
    now, previous, previous_expires = int(time.time() * 1000), bytes(32), 0
    for number in range(1, count + 1):
        event, at = str(uuid.uuid4()), now - (count - number) * 60_000
        sort, expires = f"{LAST_NUMBER - number:019}#{event}", at + 90 * DAY
        attributes = {
            "id": event, "event": "signedIn", "succeeded": True, "sequence": number,
            "previous": previous, "user": user, "at": at, "previousExpiresAt": previous_expires,
            "address": "192.0.2.1", "detail": "password", **details}
        made = link(key, user, sort, expires, attributes)
        yield f"AUDIT#{user}", sort, expires, attributes | {"link": made}
        previous, previous_expires = made, expires
    shard = hashlib.sha256(user.encode()).digest()[0] % SHARDS
    yield f"AUDITHEAD#{shard}", user, previous_expires + DAY, {
        "sequence": count, "link": previous, "lastExpiresAt": previous_expires}


def forget_events(path, user):
    """The server must not write events of the user meanwhile."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(
            "DELETE FROM items WHERE partition = ?", (f"AUDIT#{user}".encode(),))
