"""Row `pressure`: memory and answers of `latchkey --listen` under attack."""

import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import secrets
import socket
import statistics
import time

import settings
from contenders import HTTPHost
from flows import CONTRACTS, IdentityProvider, our_environment
from report import Result, Target

CONTRACT = CONTRACTS[0]
# Resident memory while 64 clients log in with wrong passwords: eight hashes of 19 MiB and the rest.
FLOOD_MIB_MAX = 220
# The longest time of another request during the pressure.
BESIDE_MILLISECONDS_MAX = 250
# The longest wait of a new client while all connections are unfinished heads.
NEWCOMER_MILLISECONDS_MAX = 1_500
# The growth of a server from 3,000 refreshes to the end of the round.
GROWTH_MIB_MAX = 4

FLOOD_SECONDS, FLOOD_SECONDS_QUICK = 10, 2
FIRST_REFRESHES, REFRESHES, REFRESHES_QUICK = 3_000, 60_000, 6_000
HEADS = 600
PASSWORD = "correct horse battery"


def pressure(bench):
    folder = bench.folder / "pressure"
    folder.mkdir()
    provider = IdentityProvider(folder)
    for workers in (16, 64):
        flood(bench, folder, provider, workers)
    heads(bench, folder, provider)
    growth_of_memory(bench, folder, provider)


@contextlib.contextmanager
def server(folder, provider, name, **more):
    own = folder / name
    own.mkdir()
    environment = our_environment(
        CONTRACT, provider.key_file, "", STORE=f"sqlite:{own / 'latchkey.db'}", **more) | {
            "CONTRACT": CONTRACT.name, "ISSUER": settings.ISSUER} | CONTRACT.listening
    with HTTPHost(own, environment) as host:
        host.wait_until_ready()
        yield host


def status_of(host, name):
    """MiB of /proc/PID/status."""
    text = pathlib.Path(f"/proc/{host.processes[0].pid}/status").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name}:")]
    return int(line.split()[1]) / 1024


def exchange(connection, method, path, body=None, token=None):
    headers = {"Content-Type": "application/json"} if body else {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    return response.status, response.read()


def connect(host):
    return http.client.HTTPConnection("127.0.0.1", host.app_port, timeout=60)


def sign_in(host, provider, subject):
    """The session of a new account."""
    with contextlib.closing(connect(host)) as connection:
        status, answer = exchange(
            connection, "POST", "/auth/signin", provider.sign_in(subject))
    if status != 200:
        raise RuntimeError(f"sign-in: {status}: {answer[:200]!r}")
    return json.loads(answer)


def log_in_wrongly(host, ends, wanted):
    """Runs until a time; returns the number of answers by status."""
    statuses = {}
    with contextlib.closing(connect(host)) as connection:
        while time.monotonic() < ends:
            body = json.dumps(
                {"email": f"{secrets.token_hex(6)}@example.com", "password": PASSWORD})
            status, answer = exchange(connection, "POST", "/auth/login", body)
            if status not in wanted:
                raise RuntimeError(f"login: {status}: {answer[:200]!r}")
            statuses[status] = statuses.get(status, 0) + 1
            if status == 503:
                # Waits after a refusal, but less than `Retry-After`.
                time.sleep(0.05)
    return statuses


def flood(bench, folder, provider, workers):
    """64 clients log in with wrong passwords; one asks who it is."""
    seconds = FLOOD_SECONDS_QUICK if bench.is_quick else FLOOD_SECONDS
    with server(folder, provider, f"flood-{workers}", SERVER_WORKERS=workers) as host:
        token = sign_in(host, provider, "owner")["accessToken"]
        idle = status_of(host, "VmRSS")
        ends = time.monotonic() + seconds
        times = []
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            clients = [pool.submit(log_in_wrongly, host, ends, (401, 503)) for _ in range(64)]
            with contextlib.closing(connect(host)) as connection:
                while time.monotonic() < ends:
                    began = time.perf_counter()
                    status, answer = exchange(connection, "GET", "/auth/me", token=token)
                    if status != 200:
                        raise RuntimeError(f"me: {status}: {answer[:200]!r}")
                    times.append((time.perf_counter() - began) * 1000)
                    time.sleep(0.02)
            judged = sum(client.result().get(401, 0) for client in clients)
        if not judged:
            raise RuntimeError("no login was judged")
        where = f"64 wrong logins at once, {workers} workers"
        bench.add(Result(
            "pressure", f"{where}: highest resident memory", "MiB",
            {"latchkey": [status_of(host, "VmHWM")], "before": [idle]},
            Target("≤ " + f"{FLOOD_MIB_MAX} MiB", lambda ours, _: ours <= FLOOD_MIB_MAX)))
        bench.add(Result(
            "pressure", f"{where}: resident memory afterwards", "MiB",
            {"latchkey": [status_of(host, "VmRSS")], "before": [idle]},
            Target.at_most_more(24, "MiB")))
        bench.add(Result(
            "pressure", f"{where}: GET /auth/me beside them, p50", "ms",
            {"latchkey": [statistics.median(times)], "slowest": [max(times)]},
            Target.at_most(BESIDE_MILLISECONDS_MAX, "ms")))


def heads(bench, folder, provider):
    """More unfinished request heads than the connection limit, and then a new client."""
    with server(folder, provider, "heads") as host, contextlib.ExitStack() as open_sockets:
        for _ in range(HEADS):
            attacker = open_sockets.enter_context(
                socket.create_connection(("127.0.0.1", host.app_port), 5))
            attacker.sendall(b"GET / HTTP/1.1\r\nHost: ")
        # As long as the oldest of them may take.
        time.sleep(1.2)
        began = time.perf_counter()
        with contextlib.closing(connect(host)) as connection:
            status, _ = exchange(connection, "GET", "/_/ready")
        took = (time.perf_counter() - began) * 1000
        if status != 200:
            raise RuntimeError(f"ready: {status}")
        bench.add(Result(
            "pressure", f"a new client behind {HEADS} unfinished heads", "ms",
            {"latchkey": [took]}, Target.at_most(NEWCOMER_MILLISECONDS_MAX, "ms")))


def growth_of_memory(bench, folder, provider):
    """Refreshes by eight clients at once, whose writes are committed together."""
    count = REFRESHES_QUICK if bench.is_quick else REFRESHES
    with server(folder, provider, "growth") as host:
        sessions = [sign_in(host, provider, f"holder-{number}") for number in range(8)]

        def refresh(session, times):
            token = session["refreshToken"]
            with contextlib.closing(connect(host)) as connection:
                for _ in range(times):
                    status, answer = exchange(
                        connection, "POST", "/auth/refresh", json.dumps({"refreshToken": token}))
                    if status != 200:
                        raise RuntimeError(f"refresh: {status}: {answer[:200]!r}")
                    token = json.loads(answer)["refreshToken"]
            session["refreshToken"] = token

        def round_of(times):
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                for ended in [pool.submit(refresh, one, times // 8) for one in sessions]:
                    ended.result()
            return status_of(host, "VmRSS")

        warm = round_of(FIRST_REFRESHES)
        bench.add(Result(
            "pressure", f"resident memory after {count:,} refreshes by 8 clients", "MiB",
            {"latchkey": [round_of(count)], f"after {FIRST_REFRESHES:,}": [warm]},
            Target.at_most_more(GROWTH_MIB_MAX, "MiB")))
