"""The rows: which requests are sent to which contenders, and the expected responses."""

import contextlib
import os
import random
import statistics
import threading
import time

import requests_aws as aws
import settings
from contenders import (
    CargoLambda, FunctionsFramework, Latchkey, MiniStack, Moto, Nothing, RuntimeInterfaceEmulator,
    gateway_template,
)
from earlier import earlier
from flows import flows
from growth import growth
from load import WrongAnswers, replay
from oneshot import functions
from pressure import pressure
from primitives import primitives
from processes import descendants
from provider import provider
from report import Result, Target, clients
from secrecy import secrecy
from servers import servers
from storm import storm

OURS = Latchkey.name
CLIENTS = (1, 8, 50)
ROUTE_BODY = '{"ok":true}'


class Bench:
    """The durations, the number of rounds, and the results."""

    def __init__(self, folder, rounds, seconds, is_quick, tell, lines=(), earlier=None):
        self.folder = folder
        self.rounds = rounds
        self.seconds = seconds
        self.is_quick = is_quick
        self.tell = tell
        self.lines = lines
        self.earlier = earlier
        self.results = []

    def wants(self, what):
        """Whether a line is selected, in rows with optional lines."""
        return not self.lines or any(text in what for text in self.lines)

    def add(self, result):
        self.results.append(result)
        self.tell(result)

    def compare(self, row, what, unit, measures, target=None, rounds=None):
        """Measures each in turn, in rounds that begin with a different one each time."""
        result = self.measure(Result(row, what, unit, {}, target), measures, rounds)
        self.add(result)
        return result

    def measure(self, result, measures, rounds=None):
        names = list(measures)
        result.rounds = {name: [] for name in names}
        for turn in range(rounds or self.rounds):
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                try:
                    value = measures[name]()
                except (WrongAnswers, RuntimeError, OSError) as failure:
                    result.failures.setdefault(name, []).append(str(failure))
                    continue
                if isinstance(value, dict):
                    result.details.setdefault(name, []).append(value)
                    value = value["rate"]
                result.rounds[name].append(value)
        return result

    def rate(self, contender, requests, connections, expect="", app_side=False):
        """Responses per second, each of them checked."""
        port = contender.app_port if app_side else contender.port

        def measure():
            contender.must_run()
            return replay(
                requests, port, connections=connections, seconds=self.seconds, expect=expect)
        return measure


def start(bench):
    """From spawn to the first response, with a new server each time."""
    def first(make, answer=lambda contender: contender.first_answer()):
        def measure():
            with make() as contender:
                return answer(contender) * 1000
        return measure

    def everything(emulator):
        emulator.wait_until_ready()
        emulator.first_route_answer()
        for request in (aws.put_item("a"), aws.get_item("a"), aws.put_object("a"),
                        aws.assume_role("start")):
            emulator.must(request)
        return time.perf_counter() - emulator.processes[0].began

    folder = bench.folder
    bench.compare("start", "start to first event through a route", "ms", {
        OURS: first(lambda: Latchkey(folder, template=gateway_template()),
                    lambda emulator: emulator.first_route_answer()),
        "cargo-lambda": first(lambda: CargoLambda(folder)),
        "RIE": first(lambda: RuntimeInterfaceEmulator(folder)),
    }, Target.at_most(50, "ms"), rounds=3 if bench.is_quick else 9)
    bench.compare("start", "start to one answer of each: event, item, object, role", "ms", {
        OURS: first(lambda: Latchkey(folder), everything),
        "ministack (one table)": first(lambda: MiniStack(folder)),
    }, Target.at_most(150, "ms"), rounds=1 if bench.is_quick else 5)


def invoke(bench):
    with contextlib.ExitStack() as stack:
        ours, cargo, rie = (
            stack.enter_context(make(bench.folder))
            for make in (Latchkey, CargoLambda, RuntimeInterfaceEmulator))
        for contender in (ours, cargo, rie):
            contender.first_answer()
        for count in CLIENTS:
            measures = {
                contender.name: bench.rate(
                    contender, [contender.invoke_request()], count, settings.REPLY)
                # It fails with more than one client at a time.
                for contender in ((ours, cargo, rie) if count == 1 else (ours, cargo))
            }
            bench.compare(
                "invoke", f"warm Invoke, {clients(count)}", "1/s", measures, Target.times(1))


def route(bench):
    with Latchkey(bench.folder) as ours, FunctionsFramework(bench.folder) as framework:
        ours.first_route_answer()
        framework.first_answer()
        request = [aws.route(settings.ROUTE)]
        for count in CLIENTS:
            bench.compare("route", f"HTTP API route, {clients(count)}", "1/s", {
                OURS: bench.rate(ours, request, count, ROUTE_BODY, app_side=True),
                framework.name: bench.rate(framework, request, count, ROUTE_BODY),
            }, Target.at_least(3000))


def by_hand(event):
    """Seconds from posix_spawn with two pipes to the end of the process."""
    executable = str(settings.BUILD / "function/bootstrap")
    stdin, to_child = os.pipe()
    from_child, stdout = os.pipe()
    began = time.perf_counter()
    pid = os.posix_spawn(
        executable, [executable], {"REPLY": settings.REPLY},
        file_actions=[(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1)])
    os.close(stdin)
    os.close(stdout)
    os.write(to_child, event)
    os.close(to_child)
    printed = b"".join(iter(lambda: os.read(from_child, 65536), b""))
    _, status = os.waitpid(pid, 0)
    took = time.perf_counter() - began
    os.close(from_child)
    if status != 0 or printed.decode() != settings.REPLY:
        raise RuntimeError(f"the function answered {printed!r} with status {status}")
    return took


def cold(bench):
    with Latchkey(bench.folder, mode="cold") as ours:
        ours.first_answer()
        request = [ours.invoke_request()]

        def emulated():
            return replay(
                request, ours.port, seconds=bench.seconds, expect=settings.REPLY)["p50"]

        def spawned():
            until = time.perf_counter() + bench.seconds
            took = []
            while time.perf_counter() < until:
                took.append(by_hand(b"{}"))
            return statistics.median(took) * 1000

        bench.compare(
            "cold", "cold Invoke, p50", "ms", {OURS: emulated, "by hand": spawned},
            Target.at_most_more(2.5, "ms"))
        bench.compare("cold", f"cold Invoke, {clients(8)}", "1/s", {
            OURS: bench.rate(ours, request, 8, settings.REPLY)})


def against_stubs(bench, row, operations, alone=()):
    """Operations on ministack and moto: (title, request by key, required text in responses).

    Those of `alone` accept one client at a time: they are measured only in S3's lines with one
    client.
    """
    with contextlib.ExitStack() as stack:
        ours, ministack, moto, *others = (
            stack.enter_context(make(bench.folder))
            for make in (Latchkey, MiniStack, Moto, *alone))
        for contender in (ours, ministack, moto, *others):
            contender.wait_until_ready()
            contender.prepare_aws()
        for title, request, expect in operations:
            requests = [request(key) for key in aws.KEYS]
            for count in (1, 8):
                contenders = (ours, ministack, moto) if count == 1 else (ours, ministack)
                if count == 1 and title.startswith("S3"):
                    contenders += tuple(others)
                bench.compare(row, f"{title}, {clients(count)}", "1/s", {
                    contender.name: bench.rate(contender, requests, count, expect)
                    for contender in contenders
                }, Target.times(5))


def database(bench):
    against_stubs(bench, "database", aws.DATABASE)


def objects(bench):
    against_stubs(bench, "objects", aws.OBJECTS, alone=(Nothing,))


def idle(bench):
    """Idle connections, each used before and after the load."""
    held = 1000 if bench.is_quick else 10_000
    with Latchkey(bench.folder) as ours:
        ours.first_route_answer()
        memory = []

        def rate():
            return replay(
                [aws.route(settings.ROUTE)], ours.app_port, connections=8, seconds=bench.seconds,
                expect=ROUTE_BODY, idle=held, while_held=lambda: memory.append(ours.memory()))

        result = bench.compare(
            "idle", f"route, 8 clients beside {held:,} idle connections", "1/s", {OURS: rate},
            Target("no error", lambda *_: True), rounds=1)
        result.details["memory MiB"] = memory


def concurrency(bench):
    """As many processes of a function as requests, each taking two seconds per event."""
    count = 100 if bench.is_quick else 1000
    with Latchkey(bench.folder) as ours:
        ours.first_answer()
        most = []
        done = threading.Event()

        def watch():
            while not done.wait(0.1):
                most.append((len(descendants(ours.processes[0].pid)), ours.memory()))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            result = bench.compare(
                "concurrency", f"{count:,} invocations at a time, a process each", "s", {
                    OURS: lambda: replay(
                        [aws.invoke(settings.PAUSING_FUNCTION)], ours.port, connections=count,
                        each=1, expect=settings.REPLY)["seconds"]},
                Target("no error", lambda *_: True), rounds=1)
        finally:
            done.set()
            watcher.join()
        result.details["processes"] = max(processes for processes, _ in most)
        result.details["memory MiB"] = max(memory for _, memory in most)


def memory(bench):
    """The memory of an idle server after a few requests."""
    def resident(make, prepare):
        def measure():
            with make(bench.folder) as contender:
                prepare(contender)
                time.sleep(1)
                return contender.memory()
        return measure

    def filled(contender):
        contender.wait_until_ready()
        contender.prepare_aws()

    def everything(emulator):
        filled(emulator)
        emulator.first_route_answer()

    bench.compare("memory", "resident when idle, everything asked once", "MiB", {
        OURS: resident(Latchkey, everything),
        "cargo-lambda": resident(CargoLambda, lambda contender: contender.first_answer()),
        "RIE": resident(RuntimeInterfaceEmulator, lambda contender: contender.first_answer()),
        "ministack": resident(MiniStack, filled),
    }, Target.at_most(40, "MiB"), rounds=1)


def million(bench):
    """Whether operations on a large table are slower than on a small one."""
    sizes = {"small": 1000, "large": 50_000 if bench.is_quick else 1_000_000}
    with Latchkey(bench.folder) as ours:
        ours.wait_until_ready()
        for table, size in sizes.items():
            ours.must(aws.create_table(table))
            began = time.perf_counter()
            load_items(ours, table, size)
            took = time.perf_counter() - began
        chosen = random.Random(1)
        measures = {}
        for table, size in sizes.items():
            requests = [aws.get_item(f"{chosen.randrange(size):07}", table) for _ in range(2048)]
            measures[table] = lambda requests=requests: replay(
                requests, ours.port, seconds=bench.seconds, expect=aws.CARGO)["p50"] * 1000
        result = bench.compare(
            "million", f"GetItem among {sizes['large']:,} items, p50", "µs",
            {OURS: measures["large"], "among 1,000": measures["small"]},
            Target.at_most_times(1.5))
        result.details["load seconds"] = took


def load_items(contender, table, size, batch=25, batches=4000):
    for start in range(0, size, batch * batches):
        keys = [f"{number:07}" for number in range(start, min(size, start + batch * batches))]
        requests = [
            aws.batch_write(keys[at : at + batch], table) for at in range(0, len(keys), batch)]
        # Four connections, each with a quarter of the items.
        replay(requests, contender.port, connections=4, each=len(requests) // 4,
               expect='"UnprocessedItems":{}')


ROWS = {row.__name__: row for row in (
    start, invoke, route, cold, functions, flows, servers, provider, growth, storm, secrecy,
    pressure, primitives, database, objects, idle, concurrency, memory, million, earlier)}
