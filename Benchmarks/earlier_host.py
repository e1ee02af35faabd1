"""Row `earlier`, second part: `latchkey --listen` beside the executable of that name next to the
earlier emulator; the same flows as in row `flows`, and `me` and login as in row `servers`."""

import contextlib
import secrets

from contenders import HTTPHost
from flows import (
    CLIENTS, CONTRACTS, FLOWS, LISTENING, SERVED_LISTENING, Bodies, Side, published_key, start_ours,
    title)
from postgresql import PostgreSQL
from report import Target
from server_goals import LOGIN, ME
from servers import start_latchkey
from servers import title as server_title


def earlier_host(bench, executable):
    class Earlier(HTTPHost):
        name = "earlier --listen"

    Earlier.executable = executable
    hosts = {"latchkey": HTTPHost, "earlier": Earlier}
    folder = bench.folder / "earlier"
    folder.mkdir()
    bodies = Bodies(bench, folder)
    for contract in CONTRACTS:
        _flows(bench, folder / contract.name, hosts, contract, bodies, LISTENING)
    if any(_lines(bench, contract, SERVED_LISTENING) for contract in CONTRACTS):
        with PostgreSQL(folder / "server") as server:
            for contract in CONTRACTS:
                _flows(bench, folder / f"{contract.name}-served", hosts, contract, bodies,
                       SERVED_LISTENING, server)
    _operations(bench, folder / "operations", hosts, bodies)


def _lines(bench, contract, way):
    """The wanted lines, with their flow and number of clients."""
    return {line: (flow, connections) for flow in FLOWS for connections in CLIENTS
            if bench.wants(line := title(flow, contract, way, connections))}


def _flows(bench, folder, hosts, contract, bodies, way, server=None):
    lines = _lines(bench, contract, way)
    if not lines:
        return
    folder.mkdir()
    secret = secrets.token_hex(32)
    with contextlib.ExitStack() as stack:
        sides = {}
        for name, host in hosts.items():
            contender = stack.enter_context(
                start_ours(folder / name, way, contract, bodies.keys, secret, server, host))
            key = (lambda _: secret) if contract.algorithm == "HS256" else published_key(contender)
            sides[name] = Side(contender, contract, contract.prefix, key, folder / name)
            sides[name].prepare(bodies)
        _compare(bench, lines, sides, bodies)


def _operations(bench, folder, hosts, bodies):
    lines = {line: (operation, connections) for operation in (ME, LOGIN) for connections in CLIENTS
             if bench.wants(line := server_title(operation, connections))}
    if not lines:
        return
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        servers = {name: start_latchkey(folder / name, stack, bodies, host)
                   for name, host in hosts.items()}
        _compare(bench, lines, servers, bodies)


def _compare(bench, lines, contenders, bodies):
    for line, (operation, connections) in lines.items():
        bench.compare("earlier", line, "1/s", {
            name: contender.measures(bench, operation, connections, bodies)
            for name, contender in contenders.items()}, Target.times(0.97))
