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
# A smaller difference cannot be distinguished from the network's variation.
DIFFERENCE_MILLISECONDS_MAX = 2


def import_person(folder, address):
    """An account with a password, created by the operators' function for it."""
    environment = os.environ | {
        "CONTRACT": "latchkey", "STORE": f"sqlite:{folder / 'latchkey.db'}",
        "ISSUER": settings.ISSUER}
    event = {"users": [{"email": address, "passwordHash": HASH, "emailVerified": True}]}
    done = subprocess.run(
        [settings.ROOT / ".build/release/import-users"], input=json.dumps(event), check=True,
        capture_output=True, text=True, env=environment)
    if json.loads(done.stdout)["users"][0]["status"] != "imported":
        raise RuntimeError(f"the account was not made: {done.stdout}")


def post(path, body, port, status):
    """Sends it on a new connection; returns the milliseconds until the answer."""
    request = Request(
        "POST", path, {"Content-Type": "application/json"}, json.dumps(body).encode())
    began = time.perf_counter()
    answered, content = ask(request, port)
    took = time.perf_counter() - began
    if answered != status:
        raise RuntimeError(f"{path}: {answered} instead of {status}: {content[:300]!r}")
    return took * 1000


def secrecy(bench):
    folder = bench.folder / "secrecy"
    folder.mkdir()
    keys = IdentityProvider(folder).key_file
    own = folder / "SQLite"
    known = "known@example.com"
    with start_ours(own, "SQLite", CONTRACTS[0], keys, secrets.token_hex(32)) as contender:
        contender.wait_until_ready()
        import_person(own, known)
        port = contender.app_port
        post("/auth/login", {"email": known, "password": PASSWORD}, port, 200)

        cases = {
            "login with a wrong password": ("/auth/login", {"password": "wrong password"}, 401),
            "forgot-password": ("/auth/forgot-password", {}, 202),
            "register": ("/auth/register", {"password": "a password of twenty"}, 202),
            "resend-verification": ("/auth/resend-verification", {}, 202),
        }
        for name, (path, body, status) in cases.items():
            compare(bench, name, lambda address, path=path, body=body, status=status: post(
                path, {"email": address} | body, port, status), known)


def compare(bench, name, measure, known):
    """Both in turn and in random order, so that other load on the machine affects both alike."""
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
            address = known if which == KNOWN else f"{secrets.token_hex(6)}@example.com"
            found[which].append(measure(address))
    for which, taken in found.items():
        times[which].append(taken)
