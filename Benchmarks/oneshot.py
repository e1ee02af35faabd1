"""Row `functions`: one request per process, from spawn to exit, beside a static C program.

`programs/cold.c` does the OpenSSL and SQLite work of three functions and nothing else, on a
database with the same rows. The difference is the cost of the rest of a function: its start, JSON,
limits, errors.
"""

import json
import os
import sqlite3
import subprocess

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import settings
from report import Result, Target

OURS, YARDSTICK, NOTHING = "latchkey", "C", "/bin/true"
TIMES_MAX = 1.5

# The schema of Sources/Stores/SQLiteStore/Schema.swift, and the rows that a request reads.
SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE items (
    partition BLOB NOT NULL, sort BLOB NOT NULL, expires INTEGER, attributes BLOB NOT NULL,
    PRIMARY KEY (partition, sort)) WITHOUT ROWID;
CREATE TABLE sweep (partition BLOB NOT NULL, sort BLOB NOT NULL);
INSERT INTO sweep VALUES (x'', x'');
PRAGMA user_version = 2;
"""
FAR = 1 << 45
ROWS = [
    (b"SIGNINGKEYS#ES256", b"00000000", None, bytes(600)),
    (b"USER#1", b"PROFILE", None, bytes(250)),
    (b"USER#1", b"SESSION#1", FAR, bytes(300)),
    (b"AUDITHEAD#1", b"0", FAR, bytes(81)),
]


def functions(bench):
    folder = bench.folder / "cold"
    folder.mkdir()
    prepare(folder)
    runs = ["--runs", "20"] if bench.is_quick else []
    printed = subprocess.run(
        [settings.ROOT / "scripts/startup-cost", "--json", *runs, "--beside",
         settings.BUILD / "cold", folder / "cold.db", folder / "keys"],
        check=True, capture_output=True, text=True).stdout
    seconds = json.loads(printed)
    for name in (name for name in seconds if name != NOTHING and not name.startswith("C ")):
        yardstick = f"C {name}" if f"C {name}" in seconds else NOTHING
        beside = YARDSTICK if yardstick != NOTHING else NOTHING
        bench.add(Result(
            "functions", f"{name}, spawn to exit", "ms",
            {OURS: milliseconds(seconds[name]), beside: milliseconds(seconds[yardstick])},
            Target.at_most_times(TIMES_MAX) if beside == YARDSTICK else None))


def milliseconds(samples):
    return [sample * 1000 for sample in samples]


def prepare(folder):
    with sqlite3.connect(folder / "cold.db") as database:
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", ROWS)
    database.close()
    (folder / "keys").write_bytes(keys())


def keys():
    """In the order that programs/cold.c reads them."""
    master, nonce, message = os.urandom(32), os.urandom(12), os.urandom(300)
    private = ec.generate_private_key(ec.SECP256R1())
    scalar = private.private_numbers().private_value.to_bytes(32)
    point = private.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    numbers = utils.decode_dss_signature(private.sign(message, ec.ECDSA(hashes.SHA256())))
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return b"".join([
        master, nonce, AESGCM(master).encrypt(nonce, scalar, None), point,
        other.public_key().public_numbers().n.to_bytes(256), message,
        *(number.to_bytes(32) for number in numbers),
        other.sign(message, padding.PKCS1v15(), hashes.SHA256())])
