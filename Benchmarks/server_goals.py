"""The goals of row `servers`, and the lines that follow from its measurements."""

from report import Result, Target, clients

# The yardstick of a goal: the faster FastAPI that syncs, or PocketBase.
FASTAPI, POCKETBASE = "FastAPI", "PocketBase"
ME, REFRESH, SIGN_IN, LOGIN = "me", "refresh", "sign-in, known person", "login with a password"
GOALS = {
    (ME, 1): [(POCKETBASE, Target.times(2))],
    (ME, 8): [(POCKETBASE, Target.times(2))],
    (ME, 64): [(POCKETBASE, Target.times(2))],
    (ME, 256): [(POCKETBASE, None)],
    (REFRESH, 1): [(FASTAPI, Target.times(1.8))],
    (REFRESH, 8): [(FASTAPI, Target.times(3.5)), (POCKETBASE, Target.times(1))],
    (REFRESH, 64): [(POCKETBASE, Target.times(1))],
    (SIGN_IN, 1): [(FASTAPI, Target.times(1.5))],
    (SIGN_IN, 8): [(FASTAPI, Target.times_with_tail(2))],
    (SIGN_IN, 64): [(FASTAPI, Target.times_with_tail(2))],
    (LOGIN, 1): [(FASTAPI, Target.times_with_tail(1.5))],
    (LOGIN, 8): [(FASTAPI, Target.times_with_tail(1.5))],
    (LOGIN, 64): [(FASTAPI, Target.times_with_tail(1.5))],
}
# From one number of clients to the next.
HELD = Target.times(0.9)
STEPS = ((8, 64), (64, 256))
TAIL_CLIENTS, TAIL_MILLISECONDS_MAX = 64, 40
MEMORY_CLIENTS, MEMORY_MIB_MAX = 256, 40


def yardstick(measured, kind):
    """The name of the fastest contender of the kind."""
    names = [name for name in measured.names
             if name.startswith(kind) and (kind == POCKETBASE or "not synced" not in name)]
    return max(names, key=lambda name: measured.median(name) or 0)


def add_lines(bench, operation, what, connections, measured):
    """One line for each goal, or one without; with all contenders of the same rounds."""
    ours = measured.names[0]
    for kind, target in GOALS.get((operation, connections), [(FASTAPI, None)]):
        second = yardstick(measured, kind)
        names = [ours, second] + [one for one in measured.names[1:] if one != second]
        bench.add(Result(
            "servers", what, "1/s", {name: measured.rounds[name] for name in names}, target,
            measured.failures, measured.details, shows_tail=True, shows_cost=True))


def add_consequences(bench, measured):
    """Whether rates hold with more clients, the slowest answers, and the memory.

    `measured`: operation and number of clients to a result.
    """
    operations = [one for one in (ME, REFRESH, SIGN_IN)
                  if all((one, count) in measured for step in STEPS for count in step)]
    for operation in operations:
        for few, many in STEPS:
            before, after = measured[operation, few], measured[operation, many]
            ours = after.names[0]
            bench.add(Result(
                "servers", f"{operation}: {clients(many)} after {few}", "1/s",
                {ours: after.rounds[ours], clients(few): before.rounds[ours]}, HELD))
        at_tail = measured[operation, TAIL_CLIENTS]
        add_details(
            bench, f"{operation}: p99, {clients(TAIL_CLIENTS)}", "ms", at_tail, "p99",
            Target.at_most(TAIL_MILLISECONDS_MAX, "ms"))
        add_details(
            bench, f"{operation}: resident memory, {clients(MEMORY_CLIENTS)}", "MiB",
            measured[operation, MEMORY_CLIENTS], "MiB", Target.at_most(MEMORY_MIB_MAX, "MiB"))


def add_details(bench, what, unit, measured, key, target):
    bench.add(Result(
        "servers", what, unit,
        {name: [detail[key] for detail in measured.details.get(name, [])]
         for name in measured.names}, target))
