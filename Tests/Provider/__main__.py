"""Judges the provider (OAuth 2.1, OpenID Connect) from outside: requests, and real clients."""

import argparse
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
RELEASE = HERE.parents[1] / ".build/release/latchkey"

sys.path[:0] = [str(HERE), str(HERE.parent / "Conformance")]
import server  # noqa: E402
from harness import cases  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="provider", description=__doc__)
    parser.add_argument(
        "--executable", default=os.environ.get("LATCHKEY", str(RELEASE)),
        help="by default the variable LATCHKEY, then that of a release")
    parser.add_argument(
        "--emulator", metavar="FILE", help="the functions beside it run in this emulator, "
        "by their template; what only latchkey --listen does is left out")
    parser.add_argument("--only", default="", metavar="REGEX", help="checks whose line matches")
    parser.add_argument("--list", action="store_true", help="print the checks, run none")
    return parser.parse_args()


def line(case):
    module = case.function.__module__.replace(".", "/")
    return f"{module}: {' '.join(case.function.__doc__.split())}"


def main():
    chosen = arguments()
    found = [case for case in cases.find(HERE) if re.search(chosen.only, line(case))
             and not (chosen.emulator and hasattr(case.function, "of_one_process"))]
    if not found:
        print("provider: no check matches", file=sys.stderr)
        sys.exit(2)
    if chosen.list:
        print(*map(line, found), sep="\n")
        return
    if chosen.emulator:
        server.EMULATOR = pathlib.Path(chosen.emulator).absolute()
    server.EXECUTABLE = pathlib.Path(chosen.executable).resolve()
    # The judges' HTTP clients read the settings of proxies.
    os.environ["NO_PROXY"] = "*"
    failed = 0
    try:
        for case in found:
            result = case.run()
            failed += not result.passed
            print(f"{'ok' if result.passed else 'FAILED':7}{result.seconds:5.1f} s  {line(case)}",
                  result.failure or "", sep="\n" if result.failure else "", flush=True)
    finally:
        server.stop()
    print(f"{len(found) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
