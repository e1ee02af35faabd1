"""Row `growth`: whether sign-in, refresh and me are slower among millions of users.

Each size has its own server and database, filled with rows with the same keys and sizes as those of
users with five sessions each. All sizes are measured in the same rounds. The users who sign in are
real ones, spread evenly among the others, because IDs and hashes are random.

SQLite and PostgreSQL are measured with `latchkey --listen`, the emulator's DynamoDB through its
route. DynamoDB is filled through its API: 2,000,000 users would take half an hour and 23 GB, so it
has 100,000.
"""

import base64
import contextlib
import itertools
import json
import sqlite3
import time

import requests_aws as aws
import settings
from contenders import HTTPHost
from flows import (
    CONTRACTS, NEW, REFRESH, RETURNING, STUB, Bodies, Side, our_environment, published_key,
    start_ours)
from load import Request, replay
from postgresql import PostgreSQL
from report import Result, Target

SIZES, SIZES_QUICK = (1_000, 100_000, 2_000_000), (1_000, 20_000)
STUB_SIZES = (1_000, 100_000)
SESSIONS = 5
TIMES_MAX = 1.5
CONTRACT = CONTRACTS[0]
ME = "me"

EXPIRES = str(1 << 45)


def rows(hexadecimal, decimal):
    """Partition, sort key, expiry, number of bytes and number per user of the rows of users who
    never sign in, in the order of the partitions, in the words of a database.

    Users are numbered, and `s` counts the sessions of a user. The first digits of an id or a hash
    are the number's share of the whole range, so that rows are in the order of their keys and the
    file is filled from one end to the other.
    """
    share = hexadecimal("i * 4294967296 / :users", 8)
    user = f"{share} || '-0000-4000-8000-' || {hexadecimal('i', 12)}"
    digest = f"{share} || '" + "x" * 35 + "'"
    return [
        (f"'AUDIT#' || {user}", f"{decimal('s', 19)} || '#' || {user}", EXPIRES, 317, SESSIONS),
        (f"'EMAIL#' || {digest}", "'OWNER'", "NULL", 44, 1),
        (f"'EMAIL#' || {digest}", f"'USER#' || {user}", "NULL", 1, 1),
        (f"'IDENTITY#' || {digest}", "'OWNER'", "NULL", 44, 1),
        (f"'USER#' || {user}", "'PROFILE'", "NULL", 245, 1),
        (f"'USER#' || {user}", "'SESSION#' || s", EXPIRES, 299, SESSIONS),
        (f"'USER#' || {user}", "'SESSIONDEVICE#' || s", EXPIRES, 42, SESSIONS),
        ("'USERS#ALL'", f"{decimal('i', 13)} || '#' || {user}", "NULL", 1, 1),
    ]


SQLITE_ROWS = rows(lambda value, digits: f"printf('%0{digits}x', {value})",
                   lambda value, digits: f"printf('%0{digits}d', {value})")
POSTGRESQL_ROWS = rows(lambda value, digits: f"lpad(to_hex(({value})::bigint), {digits}, '0')",
                       lambda value, digits: f"lpad(({value})::text, {digits}, '0')")


# The users `i`, and the numbers `s` from 0 to :last of each.
SQLITE_NUMBERS = """
    WITH RECURSIVE n(i, s) AS (
        SELECT 0, 0 UNION ALL
        SELECT i + (s = :last), iif(s = :last, 0, s + 1) FROM n
        WHERE i < :users - (s = :last))"""


def fill_sqlite(path, users):
    """Returns the bytes of the file before and after."""
    before = path.stat().st_size
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA cache_size = -262144")
        database.execute("BEGIN")
        for partition, sort, expires, size, per_user in SQLITE_ROWS:
            database.execute(f"""{SQLITE_NUMBERS}
                INSERT INTO items SELECT
                    CAST({partition} AS BLOB), CAST({sort} AS BLOB), {expires}, zeroblob({size})
                FROM n LIMIT :users * :per_user""",
                {"users": users, "last": per_user - 1, "per_user": per_user})
        database.execute("COMMIT")
        database.execute("PRAGMA journal_mode = WAL")
    return before, path.stat().st_size


def fill_postgresql(server, database, users):
    """Returns the bytes of the database before and after."""
    def size():
        return int(server.run("SELECT pg_database_size(current_database())", database))

    before = size()
    # `0 * i` keeps the users in order: without it the sessions may be the outer loop.
    for partition, sort, expires, length, per_user in POSTGRESQL_ROWS:
        rows = f"""
            INSERT INTO latchkey (partition, sort, expires, attributes)
            SELECT convert_to({partition}, 'UTF8'), convert_to({sort}, 'UTF8'), {expires},
                ARRAY[decode(repeat('00', {length}), 'hex')]
            FROM generate_series(0::bigint, {users - 1}) AS i,
                LATERAL generate_series(0 * i, {per_user - 1}) AS s"""
        server.run(rows.replace(":users", str(users)), database)
    server.run("VACUUM ANALYZE", database)
    server.run("CHECKPOINT", database)
    return before, size()


def stub_items(users):
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        for partition, sort, expires, size, per_user in SQLITE_ROWS:
            for pk, sk, expiry in database.execute(
                    f"{SQLITE_NUMBERS} SELECT {partition}, {sort}, {expires} FROM n "
                    "LIMIT :users * :per_user",
                    {"users": users, "last": per_user - 1, "per_user": per_user}):
                item = {"pk": {"S": pk}, "sk": {"S": sk},
                        "_data": {"B": base64.b64encode(bytes(size)).decode()}}
                if expiry is not None:
                    item |= {"expiresAtMs": {"N": str(expiry)}, "ttl": {"N": str(expiry // 1000)}}
                yield {"PutRequest": {"Item": item}}


def fill_stub(emulator, users, batch=25, batches=4000):
    """Returns the bytes of the data folder before and after."""
    def size():
        return sum(file.stat().st_size for file in emulator.folder.rglob("data-*/**/*")
                   if file.is_file())

    before = size()
    table, = json.loads(emulator.must(aws.database("ListTables", {})))["TableNames"]
    items = stub_items(users)
    while puts := list(itertools.islice(items, batch * batches)):
        requests = [
            aws.database("BatchWriteItem", {"RequestItems": {table: puts[at : at + batch]}})
            for at in range(0, len(puts), batch)]
        replay(requests, emulator.port, connections=4, each=len(requests) // 4,
               expect='"UnprocessedItems":{}')
    return before, size()


class Sized:
    """A server with that many users, on SQLite, in a database of a PostgreSQL server, or on the
    emulator's DynamoDB."""

    def __init__(self, bench, folder, users, stack, bodies, store):
        self.users = users
        if store == STUB:
            self.server = stack.enter_context(start_ours(folder, STUB, CONTRACT, bodies.keys, ""))
            self.server.wait_until_ready()
            before, after = fill_stub(self.server, users)
        else:
            folder.mkdir()
            before, after = self.start_on_database(folder, stack, bodies, store)
        self.bytes_per_user = (after - before) / users
        self.side = Side(
            self.server, CONTRACT, CONTRACT.prefix, published_key(self.server), folder)
        self.side.prepare(bodies)
        tokens = [json.loads(line.split("\t")[1])["accessToken"]
                  for line in self.side.answers.read_text().splitlines()]
        self.me = [
            Request("GET", f"{CONTRACT.prefix}/me", {"Authorization": f"Bearer {token}"})
            for token in tokens]

    def start_on_database(self, folder, stack, bodies, postgresql):
        """Returns the bytes before and after it is filled; `postgresql` is None for SQLite."""
        file, database = folder / "latchkey.db", f"growth_{self.users}"
        store = postgresql.new_store(database) if postgresql else f"sqlite:{file}"
        more = {"MASTER_KEY": "growth" * 8} if postgresql else {}
        environment = our_environment(CONTRACT, bodies.keys, "", STORE=store, **more) | {
            "CONTRACT": CONTRACT.name, "ISSUER": settings.ISSUER} | CONTRACT.listening
        with HTTPHost(folder, environment) as server:
            server.wait_until_ready()
        sizes = (
            fill_postgresql(postgresql, database, self.users) if postgresql
            else fill_sqlite(file, self.users))
        self.server = stack.enter_context(HTTPHost(folder, environment))
        return sizes

    def median(self, bench, flow, bodies):
        """A function that measures one round: the median latency in ms."""
        if flow == ME:
            return lambda: replay(
                self.me, self.server.app_port, seconds=bench.seconds, expect='"id":')["p50"]
        measure = self.side.measures(bench, flow, 1, bodies)
        return lambda: measure()["p50"]


def growth(bench):
    folder = bench.folder / "growth"
    folder.mkdir()
    bodies = Bodies(bench, folder)
    if bench.wants("SQLite"):
        compare_sizes(bench, folder / "sqlite", "SQLite", bodies)
    if bench.wants("PostgreSQL"):
        with PostgreSQL(folder / "server") as server:
            compare_sizes(bench, folder / "postgresql", "PostgreSQL", bodies, server)
    if bench.wants(STUB):
        compare_sizes(bench, folder / "stub", STUB, bodies, STUB)


def compare_sizes(bench, folder, store, bodies, server=None):
    folder.mkdir()
    sizes = SIZES_QUICK if bench.is_quick else STUB_SIZES if store == STUB else SIZES
    with contextlib.ExitStack() as stack:
        began = time.perf_counter()
        servers = [
            Sized(bench, folder / f"{users}", users, stack, bodies, server)
            for users in sizes]
        took = time.perf_counter() - began
        for flow in (NEW, RETURNING, REFRESH, ME):
            measured = bench.measure(Result("growth", "", "ms", {}), {
                server.users: server.median(bench, flow, bodies) for server in servers})
            small = servers[0]
            for server in servers[1:]:
                names = {server.users: "latchkey", small.users: f"among {small.users:,}"}
                bench.add(Result(
                    "growth", f"{flow} among {server.users:,} users, {store}, p50", "ms",
                    {name: measured.rounds[users] for users, name in names.items()},
                    Target.at_most_times(TIMES_MAX),
                    {name: measured.failures[users] for users, name in names.items()
                     if users in measured.failures}, {"fill seconds": took}))
        largest = servers[-1]
        bench.add(Result(
            "growth", f"disk per user among {largest.users:,}, {store}", "bytes",
            {"latchkey": [largest.bytes_per_user]}))
        bench.add(Result(
            "growth", f"resident memory among {largest.users:,}, {store}", "MiB",
            {"latchkey": [largest.server.memory()],
             f"among {small.users:,}": [small.server.memory()]}))
