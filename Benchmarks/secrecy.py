"""Row `secrecy`: whether the response time reveals that an address has an account."""

import json
import os
import random
import secrets
import statistics
import subprocess
import time

import settings
from flows import CONTRACTS, IdentityProvider, start_ours
from load import Request, ask
from report import Target

KNOWN, UNKNOWN = "known address", "unknown address"
PASSWORD = "correct horse battery"
# bcrypt of the password, at the lowest cost; the first login replaces the hash.
HASH = "$2b$05$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa"
PAIRS, PAIRS_QUICK = 40, 5
IMPORTED_AT_ONCE = 100
# Accounts that are each asked for once, so that their rows are on pages that no request has read.
ACCOUNTS, ACCOUNTS_QUICK = 4_000, 200
# A smaller difference cannot be distinguished from the network's variation.
DIFFERENCE_MILLISECONDS_MAX = 2
PAUSE_SECONDS = 0.02


def import_people(folder, addresses):
    """Accounts with a password, created by the operators' function for it."""
    environment = os.environ | {
        "CONTRACT": "latchkey", "STORE": f"sqlite:{folder / 'latchkey.db'}",
        "ISSUER": settings.ISSUER}
    for start in range(0, len(addresses), IMPORTED_AT_ONCE):
        event = {"users": [
            {"email": address, "passwordHash": HASH, "emailVerified": True}
            for address in addresses[start:start + IMPORTED_AT_ONCE]]}
        done = subprocess.run(
            [settings.ROOT / ".build/release/import-users"], input=json.dumps(event), check=True,
            capture_output=True, text=True, env=environment)
        if any(user["status"] != "imported" for user in json.loads(done.stdout)["users"]):
            raise RuntimeError(f"the accounts were not made: {done.stdout}")


def post(path, body, port, status):
    """Sends it on a new connection; returns the milliseconds until the answer."""
    # The mail to the former address, which is sent after its answer, is over.
    time.sleep(PAUSE_SECONDS)
    request = Request(
        "POST", path, {"Content-Type": "application/json"}, json.dumps(body).encode())
    began = time.perf_counter()
    answered, content = ask(request, port)
    took = time.perf_counter() - began
    if answered != status:
        raise RuntimeError(f"{path}: {answered} instead of {status}: {content[:300]!r}")
    return took * 1000


def secrecy(bench):
    # The measuring process has its own processor, as on another machine. Otherwise the server's
    # work after an answer would delay the arrival of the answer.
    processors = os.sched_getaffinity(0)
    *others, last = sorted(processors)
    os.sched_setaffinity(0, others or processors)
    try:
        measure_secrecy(bench, {last})
    finally:
        os.sched_setaffinity(0, processors)


def measure_secrecy(bench, own_processor):
    folder = bench.folder / "secrecy"
    folder.mkdir()
    keys = IdentityProvider(folder).key_file
    own = folder / "SQLite"
    known = "known@example.com"
    with start_ours(own, "SQLite", CONTRACTS[0], keys, secrets.token_hex(32)) as contender:
        contender.wait_until_ready()
        os.sched_setaffinity(0, own_processor)
        import_people(own, [known])
        port = contender.app_port
        post("/auth/login", {"email": known, "password": PASSWORD}, port, 200)

        cases = {
            "login with a wrong password": ("/auth/login", {"password": "wrong password"}, 401),
            "forgot-password": ("/auth/forgot-password", {}, 202),
            "register": ("/auth/register", {"password": "a password of twenty"}, 202),
            "resend-verification": ("/auth/resend-verification", {}, 202),
        }
        def measure(path, body, status):
            return lambda address: post(path, {"email": address} | body, port, status)

        for name, (path, body, status) in cases.items():
            compare(bench, name, measure(path, body, status), lambda: known)

        once = [
            f"{secrets.token_hex(6)}@example.com"
            for _ in range(ACCOUNTS_QUICK if bench.is_quick else ACCOUNTS)]
        import_people(own, once)
        for path in ("/auth/forgot-password", "/auth/magic-link"):
            # Each has accounts of its own, in random order.
            unused = random.sample(once, len(once))
            compare(
                bench, f"{path.removeprefix('/auth/')}, each address once",
                measure(path, {}, 202), unused.pop)


def compare(bench, name, measure, known):
    """Both in turn and in random order, so that other load on the machine affects both alike.

    `known` gives an address with an account."""
    times = {KNOWN: [], UNKNOWN: []}

    def median(which):
        def take():
            if not times[which]:
                fill(bench, times, measure, known)
            return statistics.median(times[which].pop())
        return take

    bench.compare(
        "secrecy", name, "ms", {KNOWN: median(KNOWN), UNKNOWN: median(UNKNOWN)},
        Target.differs_at_most(DIFFERENCE_MILLISECONDS_MAX, "ms"))


def fill(bench, times, measure, known):
    """The times of one round."""
    found = {KNOWN: [], UNKNOWN: []}
    for _ in range(PAIRS_QUICK if bench.is_quick else PAIRS):
        for which in random.sample(list(found), 2):
            address = known() if which == KNOWN else f"{secrets.token_hex(6)}@example.com"
            found[which].append(measure(address))
    for which, taken in found.items():
        times[which].append(taken)
