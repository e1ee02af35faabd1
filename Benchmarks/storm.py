"""Row `storm`: a fifth of 100,000 sessions refresh within ten seconds, as after an outage or when
an app's push message wakes its users.

Each of these sessions refreshes once, so that no row is read or written twice. The requests come at
their times, whether or not earlier ones were answered. Then the server is killed and started again,
and each session refreshes with the token that it got: one whose answer was lost would be refused.
These come as fast as they are answered, and are compared with refreshes of a few sessions, over and
over.
"""

import contextlib
import dataclasses

import settings
from contenders import HTTPHost
from flows import CONTRACTS, REFRESH, IdentityProvider, Side, email, our_environment, published_key
from growth import SESSIONS, fill_postgresql, fill_sqlite
from postgresql import PostgreSQL
from report import Result, Target

CONTRACT = CONTRACTS[0]
ALL_SESSIONS, ALL_SESSIONS_QUICK = 100_000, 10_000
PART, SECONDS, SECONDS_QUICK = 0.2, 10, 1
CONNECTIONS = 64
# A request that was sent in time may be answered a little later.
RATE_PART_MIN = 0.98
MILLISECONDS_MAX = 100
OURS = "latchkey"


@dataclasses.dataclass
class Bodies:
    """The first sign-in of each session that refreshes, and of those that do so over and over."""

    first: object
    holders: set


def storm(bench):
    folder = bench.folder / "storm"
    folder.mkdir()
    provider = IdentityProvider(folder)
    if bench.wants("SQLite"):
        measure(bench, folder / "sqlite", provider, "SQLite")
    if bench.wants("PostgreSQL"):
        with PostgreSQL(folder / "server") as server:
            measure(bench, folder / "postgresql", provider, "PostgreSQL", server)


def measure(bench, folder, provider, store, server=None):
    folder.mkdir()
    count, seconds = (
        (ALL_SESSIONS_QUICK, SECONDS_QUICK) if bench.is_quick else (ALL_SESSIONS, SECONDS))
    woken = int(count * PART)
    environment = fill(folder, provider, server, (count - woken) // SESSIONS)
    with contextlib.ExitStack() as stack:
        host = stack.enter_context(HTTPHost(folder, environment))
        few = signed_in(host, folder / "few", provider, CONNECTIONS)
        many = signed_in(host, folder / "many", provider, woken)
        plain = refresh(few, "--connections", CONNECTIONS, seconds=seconds)
        stormy = refresh(many, "--connections", CONNECTIONS, "--rate", woken / seconds)
        host.start_after_kill()
        for side in (few, many):
            side.key = published_key(host)
        again = refresh(many, "--connections", CONNECTIONS)
        after = refresh(few, "--connections", CONNECTIONS, seconds=seconds)

    for figures in (stormy, again):
        if figures["answered"] != woken:
            raise RuntimeError(f"{figures['answered']} of {woken} refreshes were answered")
    what = f"{woken:,} of {count:,} sessions refresh in {seconds} s, {store}"
    bench.add(Result(
        "storm", what, "1/s", {OURS: [stormy["rate"]]},
        Target.at_least(int(RATE_PART_MIN * woken / seconds)), details={OURS: [stormy]},
        shows_tail=True))
    bench.add(Result(
        "storm", f"{what}: p99", "ms", {OURS: [stormy["p99"]]},
        Target.at_most(MILLISECONDS_MAX, "ms")))
    few_sessions = f"{CONNECTIONS} sessions over and over"
    bench.add(Result(
        "storm", f"each again after `kill -9`, {CONNECTIONS} clients, {store}", "1/s",
        {OURS: [again["rate"]], few_sessions: [plain["rate"], after["rate"]]}, Target.times(0.9),
        details={OURS: [again], few_sessions: [plain, after]}, shows_tail=True))


def fill(folder, provider, server, users):
    """A database with the sessions that do not refresh; the environment of a server with it."""
    file = folder / "latchkey.db"
    store = server.new_store("storm") if server else f"sqlite:{file}"
    more = {"MASTER_KEY": "storm" * 8} if server else {}
    environment = our_environment(CONTRACT, provider.key_file, "", STORE=store, **more) | {
        "CONTRACT": CONTRACT.name, "ISSUER": settings.ISSUER} | CONTRACT.listening
    with HTTPHost(folder, environment) as host:
        host.wait_until_ready()
    if server:
        fill_postgresql(server, "storm", users)
    else:
        fill_sqlite(file, users)
    return environment


def signed_in(host, folder, provider, count):
    """That many new accounts with a session each."""
    folder.mkdir()
    people = [f"{folder.name}-{number}" for number in range(count)]
    bodies = Bodies(provider.write_bodies(folder / "first", people), set(map(email, people)))
    host.wait_until_ready()
    side = Side(host, CONTRACT, CONTRACT.prefix, published_key(host), folder)
    side.prepare(bodies)
    return side


def refresh(side, *arguments, seconds=0):
    side.contender.must_run()
    figures = side.load(REFRESH, seconds, "--tokens", side.tokens, "--every", 100, *arguments)
    side.check_people(REFRESH)
    return figures
