"""schemathesis with the latchkey routes and Functions/Templates/latchkey.openapi.json."""

import collections
import json
import os
import pathlib
import subprocess
import sys

from judge import APP, case, run

HERE = pathlib.Path(__file__).parent
DOCUMENT = HERE.parents[3] / "Functions" / "Templates" / "latchkey.openapi.json"

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "negative_data_rejection",
    "ignored_auth",
]


@case
def every_answer_is_as_documented():
    # One worker: with two, hypothesis meets a defect of CPython 3.11 ("AST constructor recursion
    # depth mismatch").
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", DOCUMENT, "--url", APP,
            "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing",
            "--max-examples", "30", "--seed", "1",
            "--generation-deterministic", "--no-shrink", "--workers", "1", "--no-color",
            "--warnings", "off", "--continue-on-failure",
        ],
        env={**os.environ, "SCHEMATHESIS_HOOKS": "openapi_hooks", "PYTHONPATH": str(HERE)},
        cwd=os.environ["HOME"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@case
def every_route_answered_well_and_badly():
    # Otherwise only error responses were checked.
    document = json.loads(DOCUMENT.read_text())
    routes = {
        f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}
    statuses = {route: collections.Counter() for route in routes}
    for line in pathlib.Path(os.environ["HOME"], "seen").read_text().splitlines():
        route, status = json.loads(line)
        statuses[route][status] += 1
    for route, counts in sorted(statuses.items()):
        print(route, dict(sorted(counts.items())))
    assert all(any(status < 400 for status in counts) for counts in statuses.values())
    refused = sum(counts[429] for counts in statuses.values())
    assert refused * 5 < sum(counts.total() for counts in statuses.values()), "mostly 429"


run()
