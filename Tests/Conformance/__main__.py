"""Runs the cases of every service against an emulator and prints a score."""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DOCUMENT = ROOT / "docs/conformance.md"
RELEASE = ROOT / ".build/release/emulator"

sys.path.insert(0, str(HERE))
from harness import cases, emulator, score  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument(
        "--emulator", default=str(RELEASE), help="the executable; by default that of a release")
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORD",
        help="cases whose service, category or name has this word; repeatable")
    parser.add_argument(
        "--write", action="store_true", help="write the score into docs/conformance.md")
    return parser.parse_args()


def main():
    chosen = arguments()
    found = [case for case in cases.find(HERE) if case.matches(chosen.only)]
    if not found:
        sys.exit("conformance: no case has these words")
    with emulator.running(pathlib.Path(chosen.emulator).resolve()):
        results = [case.run() for case in found]
    print(score.report(results))
    if chosen.write:
        score.write(DOCUMENT, results)
    sys.exit(1 if score.surprises(results) else 0)


main()
