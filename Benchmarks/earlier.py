"""Row `earlier`: this build of the emulator beside an earlier one, given by `--earlier FILE`, and
this build of `latchkey` beside the one in the same folder, if there is one."""

import contextlib
import time

import requests_aws as aws
import settings
from contenders import Latchkey, gateway_template
from earlier_host import earlier_host
from processes import on_one_processor, wait_until_idle
from report import Target, clients

SEVERAL = 8

FUNCTIONS = [
    ("HTTP API route", True, [aws.route(settings.ROUTE)], settings.REPLY),
    ("warm Invoke", False, [aws.invoke(settings.FUNCTION)], settings.REPLY),
]
SERVICES = [
    (title, False, [request(key) for key in aws.KEYS], expect)
    for title, request, expect in aws.DATABASE + aws.OBJECTS
]


def earlier(bench):
    class Earlier(Latchkey):
        name = "earlier"
        executable = bench.earlier

    makers = (Latchkey, Earlier)
    _starts(bench, makers)
    with on_one_processor():
        _beside(bench, makers, FUNCTIONS + SERVICES, 1)
    _anew(bench, makers, FUNCTIONS, SEVERAL)
    _beside(bench, makers, SERVICES, SEVERAL)
    latchkey = bench.earlier.with_name("latchkey")
    if latchkey.exists():
        earlier_host(bench, latchkey)


def _starts(bench, makers):
    def first_answer(make):
        with make(bench.folder, template=gateway_template()) as contender:
            return contender.first_route_answer() * 1000

    def memory(make):
        with make(bench.folder) as contender:
            _prepare(contender)
            time.sleep(1)
            return contender.memory()

    for line, unit, measure in (
            ("start to first event through a route", "ms", first_answer),
            ("resident when idle, everything asked once", "MiB", memory)):
        if bench.wants(line):
            bench.compare("earlier", line, unit, {
                make.name: lambda make=make, measure=measure: measure(make) for make in makers
            }, Target.at_most_times(1.03), rounds=3 * bench.rounds)


def _beside(bench, makers, operations, count):
    """Both run throughout and are measured in turn."""
    with contextlib.ExitStack() as stack:
        contenders = [stack.enter_context(make(bench.folder)) for make in makers]
        for contender in contenders:
            _prepare(contender)
        _compare(bench, operations, count, {
            contender.name: lambda operation, contender=contender: _rate(
                bench, contender, operation, count)
            for contender in contenders})


def _anew(bench, makers, operations, count):
    """Each is restarted for each round: the assignment of clients to threads, and of processes to
    processors, is fixed at the start. It makes a difference of 30 %, hence more rounds."""
    def rate(make, operation):
        with make(bench.folder) as contender:
            _prepare(contender)
            # Until the number of the function's processes is stable.
            _rate(bench, contender, operation, count)
            return _rate(bench, contender, operation, count)

    _compare(bench, operations, count, {
        make.name: lambda operation, make=make: rate(make, operation) for make in makers},
        rounds=3 * bench.rounds)


def _prepare(contender):
    contender.first_answer()
    contender.first_route_answer()
    contender.prepare_aws()
    wait_until_idle(contender.processes[0].pid)


def _rate(bench, contender, operation, count):
    _, is_app, requests, expect = operation
    return bench.rate(contender, requests, count, expect, is_app)()


def _compare(bench, operations, count, rates, rounds=None):
    for operation in operations:
        line = f"{operation[0]}, {clients(count)}"
        if bench.wants(line):
            bench.compare("earlier", line, "1/s", {
                name: lambda rate=rate, operation=operation: rate(operation)
                for name, rate in rates.items()
            }, Target.times(0.97), rounds)
