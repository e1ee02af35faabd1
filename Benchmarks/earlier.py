"""Row `earlier`: this build of the emulator beside an earlier one, which `--earlier FILE` names."""

import contextlib

import requests_aws as aws
import settings
from contenders import Latchkey
from processes import on_one_processor, wait_until_idle
from report import Target, clients

CLIENTS = (1, 8)


def earlier(bench):
    class Earlier(Latchkey):
        name = "earlier"
        executable = bench.earlier

    app = [("HTTP API route", [aws.route(settings.ROUTE)], settings.REPLY)]
    services = [("warm Invoke", [aws.invoke(settings.FUNCTION)], settings.REPLY)]
    for title, request, expect in aws.DATABASE + aws.OBJECTS:
        services.append((title, [request(key) for key in aws.KEYS], expect))
    for count in CLIENTS:
        with on_one_processor() if count == 1 else contextlib.nullcontext():
            _compare(bench, (Latchkey, Earlier), app, services, count)


def _compare(bench, makers, app, services, count):
    with contextlib.ExitStack() as stack:
        contenders = [stack.enter_context(make(bench.folder)) for make in makers]
        for contender in contenders:
            contender.first_answer()
            contender.first_route_answer()
            contender.prepare_aws()
            wait_until_idle(contender.processes[0].pid)
        for operations, is_app in ((app, True), (services, False)):
            for title, requests, expect in operations:
                line = f"{title}, {clients(count)}"
                if not bench.wants(line):
                    continue
                bench.compare("earlier", line, "1/s", {
                    contender.name: bench.rate(contender, requests, count, expect, is_app)
                    for contender in contenders
                }, Target.times(0.97))
