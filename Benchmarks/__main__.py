"""Measures the emulator and the yardsticks in the same run, in alternating rounds.

usage: scripts/bench [--quick] [--only ROW]... [--lines TEXT]... [--rounds N] [--seconds S]
                     [--earlier FILE]
"""

import argparse
import fcntl
import os
import pathlib
import resource
import shutil
import signal
import sys
import tempfile
import time

import report
import settings
from contenders import Latchkey
from rows import ROWS, Bench


def stop(number, frame):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__.splitlines()[0],
        epilog=f"rows: {' '.join(ROWS)}")
    parser.add_argument("--quick", action="store_true", help="one short round; numbers are rough")
    parser.add_argument("--only", action="append", metavar="ROW", default=[],
                        choices=[*ROWS])
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=None, help="of one load")
    parser.add_argument(
        "--lines", action="append", metavar="TEXT", default=[],
        help="in rows flows, servers, provider and earlier, only lines whose name contains TEXT; "
             "in rows growth and storm, SQLite, PostgreSQL or stub; repeatable")
    parser.add_argument(
        "--earlier", type=lambda text: pathlib.Path(text).resolve(), metavar="FILE",
        help="another build of the emulator, and of latchkey if it is in the same folder: row "
             "earlier measures this one beside it")
    arguments = parser.parse_args()
    rounds = arguments.rounds or (1 if arguments.quick else 5)
    seconds = arguments.seconds or (0.4 if arguments.quick else 0.6)
    chosen = arguments.only or [row for row in ROWS if row != "earlier" or arguments.earlier]
    if "earlier" in chosen and not (arguments.earlier and os.access(arguments.earlier, os.X_OK)):
        sys.exit("bench: row earlier needs --earlier FILE, a build of the emulator")
    if not Latchkey.is_built():
        sys.exit("bench: there is no emulator; make bench builds one")

    signal.signal(signal.SIGTERM, stop)
    # Ten thousand connections need as many descriptors in the load generator and in the server.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Two benchmarks would disturb each other, and the second would remove the folder of the first.
    lock = open(settings.BUILD / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("bench: another benchmark is running")
    for left in settings.BUILD.glob("run-*"):
        shutil.rmtree(left)
    before = report.machine()
    began = time.monotonic()
    print(f"{before['cores']} cores, {before['processor']}; load {before['load']:.1f}; "
          f"{rounds} rounds of {seconds:g} s\n")
    print(report.HEAD)
    results = []
    with tempfile.TemporaryDirectory(dir=settings.BUILD, prefix="run-") as folder:
        def tell(result):
            results.append(result)
            print(result.line(), flush=True)
            for name, failures in result.failures.items():
                print(f"bench: {result.what}: {name}: {failures[0]}", file=sys.stderr)

        bench = Bench(
            pathlib.Path(folder), rounds, seconds, arguments.quick, tell, arguments.lines,
            arguments.earlier)
        broken = []
        for name in filter(chosen.__contains__, ROWS):
            try:
                ROWS[name](bench)
            except (RuntimeError, OSError) as failure:
                broken.append(name)
                print(f"bench: {name}: {failure}", file=sys.stderr)
    path = report.write(results, before, time.monotonic() - began)
    missed = [result.what for result in results if result.is_met is False]
    print(f"\n{len(missed)} of {len(results)} lines miss their target; all figures are in {path}")
    if broken:
        print(f"These could not be measured: {' '.join(broken)}")
    return 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
