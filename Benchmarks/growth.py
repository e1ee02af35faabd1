"""Row `growth`: whether sign-in, refresh and me are slower among millions of users.

Each size has a database of its own, filled with rows of the same keys and sizes as those of users
with five sessions each, and a server. All sizes are measured in the same rounds. The users who sign
in are real ones, spread evenly among the others, because ids and hashes are random.
"""

import contextlib
import json
import sqlite3
import time

import settings
from contenders import HTTPHost
from flows import (
    CONTRACTS, NEW, REFRESH, RETURNING, Bodies, Side, our_environment, published_key)
from load import Request, replay
from report import Result, Target

SIZES, SIZES_QUICK = (1_000, 100_000, 2_000_000), (1_000, 20_000)
SESSIONS = 5
TIMES_MAX = 1.5
CONTRACT = CONTRACTS[0]
ME = "me"

# Users are numbered; the first digits of an id or a hash are the number's share of the whole range,
# so that rows are in the order of their keys and the file is filled from one end to the other.
USER = "printf('%08x-0000-4000-8000-%012x', i * 4294967296 / :users, i)"
HASH = "printf('%08x', i * 4294967296 / :users) || '" + "x" * 35 + "'"
EXPIRES = str(1 << 45)
# Partition, sort key, expiry and number of bytes, in the order of the partitions. `s` counts the
# sessions of a user.
ROWS = [
    (f"'AUDIT#' || {USER}", "printf('%019d#', s) || " + USER, EXPIRES, 317, SESSIONS),
    (f"'EMAIL#' || {HASH}", "'OWNER'", "NULL", 44, 1),
    (f"'EMAIL#' || {HASH}", f"'USER#' || {USER}", "NULL", 1, 1),
    (f"'IDENTITY#' || {HASH}", "'OWNER'", "NULL", 44, 1),
    (f"'USER#' || {USER}", "'PROFILE'", "NULL", 245, 1),
    (f"'USER#' || {USER}", "printf('SESSION#%d', s)", EXPIRES, 299, SESSIONS),
    (f"'USER#' || {USER}", "printf('SESSIONDEVICE#%d', s)", EXPIRES, 42, SESSIONS),
    ("'USERS#ALL'", f"printf('%013d#', i) || {USER}", "NULL", 1, 1),
]


def fill(path, users):
    """Writes the rows of users who never sign in. Returns the bytes of the file before and after."""
    before = path.stat().st_size
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA cache_size = -262144")
        database.execute("BEGIN")
        for partition, sort, expires, size, per_user in ROWS:
            database.execute(f"""
                WITH RECURSIVE n(i, s) AS (
                    SELECT 0, 0 UNION ALL
                    SELECT i + (s = :last), iif(s = :last, 0, s + 1) FROM n
                    WHERE i < :users - (s = :last))
                INSERT INTO items SELECT
                    CAST({partition} AS BLOB), CAST({sort} AS BLOB), {expires}, zeroblob({size})
                FROM n LIMIT :users * :per_user""",
                {"users": users, "last": per_user - 1, "per_user": per_user})
        database.execute("COMMIT")
        database.execute("PRAGMA journal_mode = WAL")
    return before, path.stat().st_size


class Sized:
    """A server among so many users."""

    def __init__(self, bench, folder, users, stack, bodies):
        self.users = users
        folder.mkdir()
        file = folder / "latchkey.db"
        environment = our_environment(CONTRACT, bodies.keys, "", STORE=f"sqlite:{file}") | {
            "CONTRACT": CONTRACT.name, "ISSUER": settings.ISSUER} | CONTRACT.listening
        with HTTPHost(folder, environment) as server:
            server.wait_until_ready()
        before, after = fill(file, users)
        self.bytes_per_user = (after - before) / users
        self.server = stack.enter_context(HTTPHost(folder, environment))
        self.side = Side(
            self.server, CONTRACT, CONTRACT.prefix, published_key(self.server), folder)
        self.side.prepare(bodies)
        tokens = [json.loads(line.split("\t")[1])["accessToken"]
                  for line in self.side.answers.read_text().splitlines()]
        self.me = [
            Request("GET", f"{CONTRACT.prefix}/me", {"Authorization": f"Bearer {token}"})
            for token in tokens]

    def median(self, bench, flow, bodies):
        """A function that measures one round: the median latency in ms."""
        if flow == ME:
            return lambda: replay(
                self.me, self.server.port, seconds=bench.seconds, expect='"id":')["p50"]
        measure = self.side.measures(bench, flow, 1, bodies)
        return lambda: measure()["p50"]


def growth(bench):
    folder = bench.folder / "growth"
    folder.mkdir()
    bodies = Bodies(bench, folder)
    sizes = SIZES_QUICK if bench.is_quick else SIZES
    with contextlib.ExitStack() as stack:
        began = time.perf_counter()
        servers = [Sized(bench, folder / f"{users}", users, stack, bodies) for users in sizes]
        took = time.perf_counter() - began
        for flow in (NEW, RETURNING, REFRESH, ME):
            measured = bench.measure(Result("growth", "", "ms", {}), {
                server.users: server.median(bench, flow, bodies) for server in servers})
            small = servers[0]
            for server in servers[1:]:
                names = {server.users: "latchkey", small.users: f"among {small.users:,}"}
                bench.add(Result(
                    "growth", f"{flow} among {server.users:,} users, SQLite, p50", "ms",
                    {name: measured.rounds[users] for users, name in names.items()},
                    Target.at_most_times(TIMES_MAX),
                    {name: measured.failures[users] for users, name in names.items()
                     if users in measured.failures}, {"fill seconds": took}))
        largest = servers[-1]
        bench.add(Result(
            "growth", f"file per user among {largest.users:,}, SQLite", "bytes",
            {"latchkey": [largest.bytes_per_user]}))
        bench.add(Result(
            "growth", f"resident memory among {largest.users:,}, SQLite", "MiB",
            {"latchkey": [largest.server.memory()],
             f"among {small.users:,}": [small.server.memory()]}))
