"""Row `servers`: Latchkey beside the servers that people would choose instead, and beside the limit
of the machine, with up to 256 clients.

All run at once, and a round measures each in turn. Latchkey syncs each commit; whichever contender
does not is named so.
"""

import contextlib
import json
import math
import re
import time
from email import message_from_bytes, policy

import glewlwyd
import pocketbase
import settings
from contenders import HTTPHost
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from flows import (
    CONTRACTS, RETURNING, IdentityProvider, Side, email, our_environment, published_key,
    start_yardstick)
from glewlwyd import Glewlwyd
from limit import Limit
from load import Request, ask, replay
from pocketbase import PocketBase
from processes import descendants, processor_seconds, resident_mebibytes
from report import Result, clients
from server_goals import LOGIN, ME, REFRESH, SIGN_IN, add_consequences, add_lines

CONTRACT = CONTRACTS[0]
OPERATIONS = (ME, REFRESH, SIGN_IN, LOGIN)
CLIENTS = (1, 8, 64, 256)
ROUNDS_MAX = 3
# More sign-ins in a second than any contender makes; a round ends early if they are used up.
SIGN_INS_A_SECOND_MAX = {1: 1500, 8: 3000, 64: 3000, 256: 3000}
WARM_UP_SECONDS = 0.2
# The holders refresh: one session for each client.
MEMBERS, HOLDERS = 256, 256
ACCOUNTS = [f"account-{number}@example.com" for number in range(8)]
PASSWORD = "correct horse battery"
LOGINS, LOGINS_QUICK = 32, 16
# Latchkey's answer to more logins at once than it hashes.
REFUSED = 503
MAIL_SECONDS_MAX = 10
OURS = "latchkey"
FASTAPI, FASTAPI_2 = "FastAPI, synced", "FastAPI, 2 workers, synced"
UNSYNCED, UNSYNCED_2 = "FastAPI, not synced", "FastAPI, 2 workers, not synced"
YARDSTICKS = {FASTAPI: (1, "FULL"), FASTAPI_2: (2, "FULL"), UNSYNCED: (1, "NORMAL"),
              UNSYNCED_2: (2, "NORMAL")}


def title(operation, connections):
    return f"{operation}, {clients(connections)}"


class Bodies:
    """Files of sign-ins, created before measuring; the same for every contender."""

    def __init__(self, bench, folder, rounds):
        self.provider = IdentityProvider(folder)
        self.keys = self.provider.key_file
        members = [f"member-{number}" for number in range(MEMBERS)]
        holders = [f"holder-{number}" for number in range(HOLDERS)]
        self.holders = {email(holder) for holder in holders}
        self.first = self.provider.write_bodies(folder / "first", members + holders)
        self.rounds = {}
        for connections in CLIENTS:
            if not bench.wants(title(SIGN_IN, connections)):
                continue
            count = int(SIGN_INS_A_SECOND_MAX[connections] * (bench.seconds + WARM_UP_SECONDS))
            for number in range(rounds):
                self.rounds[RETURNING, connections, number] = self.provider.write_bodies(
                    folder / f"bodies-{connections}-{number}",
                    [members[one % MEMBERS] for one in range(count)])


class Server:
    """A contender with the requests of each operation that it has."""

    def __init__(self, name, contender):
        self.name = name
        self.contender = contender
        self.side = None
        # Operation: requests, and the text that each answer contains.
        self.requests = {}

    def prepare_side(self, key, folder, bodies):
        """Signs in everybody, and prepares `me` with the access tokens."""
        self.side = Side(self.contender, CONTRACT, "/auth", key, folder)
        self.side.prepare(bodies)
        tokens = [json.loads(line.split("\t")[1])["accessToken"]
                  for line in self.side.answers.read_text().splitlines()]
        self.requests[ME] = [
            Request("GET", "/auth/me", {"Authorization": f"Bearer {token}"})
            for token in tokens], '"emailVerified":true'
        self.requests[LOGIN] = [post("/auth/login", account) for account in ACCOUNTS], (
            '"refreshToken":"')

    def measures(self, bench, operation, connections, bodies):
        """A function that runs one round per call; None if the server lacks the operation."""
        if operation in self.requests:
            measure = self.replays(bench, operation, connections)
        elif self.side:
            flow = RETURNING if operation == SIGN_IN else operation
            measure = self.side.measures(bench, flow, connections, bodies)
        else:
            return None

        return with_cost(self.contender, measure)

    def replays(self, bench, operation, connections):
        requests, expected = self.requests[operation]
        logins = LOGINS_QUICK if bench.is_quick else LOGINS
        each = math.ceil(logins / connections) if operation == LOGIN else None

        def measure():
            figures = replay(
                requests, self.contender.app_port, connections=connections, seconds=bench.seconds,
                each=each, expect=expected, refusal=REFUSED if self.name == OURS else None)
            if not each:
                figures["rate"] = figures["in_time"] / figures["seconds"]
            if not figures["good"] or not figures["rate"]:
                raise RuntimeError("no answer came in time")
            figures["refused %"] = 100 * figures["refused"] / (
                figures["refused"] + figures["good"])
            return figures
        return measure


def with_cost(contender, measure):
    """The same measure, with the processor time of an answer, and the memory after it."""
    def measure_with_cost():
        contender.must_run()
        pid = contender.processes[0].pid
        before = processor_seconds(pid)
        figures = measure()
        spent = processor_seconds(pid) - before
        answers = figures["good"] if "good" in figures else figures["answered"]
        figures["processor ms"] = spent * 1000 / answers
        figures["MiB"] = sum(map(resident_mebibytes, descendants(pid)))
        return figures
    return measure_with_cost


def post(path, account):
    return Request("POST", path, {"Content-Type": "application/json"}, json.dumps(
        {"email": account, "password": PASSWORD}).encode())


def must(port, request, status):
    found, answer = ask(request, port)
    if found != status:
        raise RuntimeError(f"{request.target}: {found}: {answer[:300]!r}")


def start_latchkey(folder, stack, bodies, make=HTTPHost):
    folder.mkdir()
    mail = folder / "mail"
    environment = our_environment(
        CONTRACT, bodies.keys, "", STORE=f"sqlite:{folder / 'latchkey.db'}") | {
            "CONTRACT": CONTRACT.name, "ISSUER": settings.ISSUER} | CONTRACT.listening | {
            "MAIL_URL": f"folder:{mail}"}
    host = stack.enter_context(make(folder, environment))
    server = Server(OURS, host)
    server.prepare_side(published_key(host), folder, bodies)
    for account in ACCOUNTS:
        must(host.app_port, post("/auth/register", account), 202)
    for token in mailed_tokens(mail):
        must(host.app_port, Request(
            "POST", "/auth/verify-email", {"Content-Type": "application/json"},
            json.dumps({"token": token, "password": PASSWORD}).encode()), 201)
    return server


def mailed_tokens(folder):
    """The tokens of the links that were mailed to ACCOUNTS."""
    until = time.monotonic() + MAIL_SECONDS_MAX
    while time.monotonic() < until:
        messages = [message_from_bytes(file.read_bytes(), policy=policy.default)
                    for file in folder.glob("*.eml")]
        found = [re.search(r"token=([\w.-]+)", message.get_body(("plain",)).get_content())
                 for message in messages]
        tokens = [match[1] for match in found if match]
        if len(tokens) == len(ACCOUNTS):
            return tokens
        time.sleep(0.05)
    raise RuntimeError("the links to verify addresses were not mailed")


def start_fastapi(folder, stack, bodies, name):
    workers, synchronous = YARDSTICKS[name]
    private = ec.generate_private_key(ec.SECP256R1())
    contender = stack.enter_context(start_yardstick(
        folder, workers, CONTRACT, bodies.keys, private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()),
        program="sign_in_password", SYNCHRONOUS=synchronous))
    server = Server(name, contender)
    server.prepare_side(lambda _: private.public_key(), folder, bodies)
    for account in ACCOUNTS:
        must(contender.app_port, post("/auth/register", account), 201)
    return server


def start_pocketbase(folder, stack):
    folder.mkdir()
    contender = stack.enter_context(PocketBase(folder))
    tokens = contender.prepare(ACCOUNTS, PASSWORD)
    server = Server(contender.name, contender)
    refreshes = [pocketbase.refresh_request(token) for token in tokens], '"token":"'
    server.requests = {
        ME: refreshes, REFRESH: refreshes,
        LOGIN: ([pocketbase.login_request(account, PASSWORD) for account in ACCOUNTS],
                '"token":"')}
    return server


def start_glewlwyd(folder, stack):
    folder.mkdir()
    contender = stack.enter_context(Glewlwyd(folder))
    sessions = contender.prepare(ACCOUNTS, PASSWORD)
    server = Server(contender.name, contender)
    server.requests = {
        ME: ([glewlwyd.me_request(one["access_token"]) for one in sessions], '"sub":"'),
        REFRESH: ([glewlwyd.refresh_request(one["refresh_token"]) for one in sessions],
                  '"access_token":"'),
        LOGIN: ([glewlwyd.login_request(account, PASSWORD) for account in ACCOUNTS],
                '"refresh_token":"')}
    return server


def start_limit(folder, stack):
    folder.mkdir()
    contender = stack.enter_context(Limit(folder))
    contender.wait_until_ready()
    server = Server(contender.name, contender)
    writes = contender.requests("POST"), '"emailVerified":true'
    server.requests = {
        ME: (contender.requests("GET"), '"emailVerified":true'), REFRESH: writes, SIGN_IN: writes}
    return server


def servers(bench):
    folder = bench.folder / "servers"
    folder.mkdir()
    rounds = min(bench.rounds, ROUNDS_MAX)
    bodies = Bodies(bench, folder, rounds)
    measured = {}
    with contextlib.ExitStack() as stack:
        started = [start_latchkey(folder / "latchkey", stack, bodies)]
        started += [
            start_fastapi(folder / f"fastapi-{number}", stack, bodies, name)
            for number, name in enumerate(YARDSTICKS)]
        started.append(start_pocketbase(folder / "pocketbase", stack))
        if glewlwyd.is_present():
            started.append(start_glewlwyd(folder / "glewlwyd", stack))
        started.append(start_limit(folder / "limit", stack))
        for operation in OPERATIONS:
            for connections in CLIENTS:
                count = rounds_of(bench, operation, connections, rounds)
                if count and bench.wants(title(operation, connections)):
                    measured[operation, connections] = compare(
                        bench, operation, connections, started, bodies, count)
    add_consequences(bench, measured)


def rounds_of(bench, operation, connections, rounds):
    """256 logins take up to ten seconds with each contender."""
    if operation != LOGIN or connections < 256:
        return rounds
    return 0 if bench.is_quick else 1


def compare(bench, operation, connections, started, bodies, rounds):
    measures = {
        server.name: server.measures(bench, operation, connections, bodies)
        for server in started if takes_part(server, operation, connections)}
    measured = bench.measure(
        Result("servers", "", "1/s", {}),
        {name: measure for name, measure in measures.items() if measure}, rounds)
    add_lines(bench, operation, title(operation, connections), connections, measured)
    return measured


def takes_part(server, operation, connections):
    """Whether a FastAPI can differ from another one."""
    workers, synchronous = YARDSTICKS.get(server.name, (1, "FULL"))
    # With one client a second worker would be idle, and passwords are hashed by several threads.
    if workers > 1 and (connections == 1 or operation == LOGIN):
        return False
    return synchronous == "FULL" or operation != ME
