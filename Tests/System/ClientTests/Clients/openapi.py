"""schemathesis with the routes of a contract and its OpenAPI document.

What it needs of the contract is in the module openapi_<contract>.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from judge import APP, case, run
from openapi_contract import CONTRACT, document

HERE = pathlib.Path(__file__).parent

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance",
] + CONTRACT.FURTHER_CHECKS


@case
def every_answer_is_as_documented():
    # The document of the requests, without those that the contract's module cannot make.
    tested = pathlib.Path(os.environ["HOME"], "tested.json")
    tested.write_text(json.dumps(CONTRACT.tested(document())))
    pathlib.Path(os.environ["HOME"], "schemathesis.toml").write_text(CONTRACT.SETTINGS)
    # One worker: with two, hypothesis meets a defect of CPython 3.11 ("AST constructor recursion
    # depth mismatch").
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", tested, "--url", CONTRACT.SERVER,
            "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing",
            "--max-examples", str(CONTRACT.EXAMPLES), "--seed", "1",
            "--generation-deterministic", "--no-shrink", "--workers", "1", "--no-color",
            "--warnings", "off", "--continue-on-failure",
        ],
        env={**os.environ, "SCHEMATHESIS_HOOKS": "openapi_hooks", "PYTHONPATH": str(HERE)},
        cwd=os.environ["HOME"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def succeeds(route):
    """Whether a request that is valid in every respect succeeds: chance may have made none.

    Schemathesis makes the bodies, so only routes without one are asked.
    """
    method, path = route.split()
    if CONTRACT.signed or "requestBody" in document()["paths"][path][method.lower()]:
        return False
    headers, target = CONTRACT.credentials(path), path
    for name, value in (CONTRACT.path(path) or {}).items():
        target = target.replace(f"{{{name}}}", urllib.parse.quote(value, safe=""))
    asked = urllib.request.Request(APP + target, method=method, headers=headers)
    try:
        with urllib.request.urlopen(asked) as answer:
            return answer.status < 400
    except urllib.error.HTTPError:
        return False


@case
def every_route_answered_well_and_badly():
    # Every route must succeed at least once, or only its error responses were checked.
    routes = {
        f"{method.upper()} {path}" for path, item in document()["paths"].items() for method in item}
    statuses = {route: collections.Counter() for route in routes}
    for line in pathlib.Path(os.environ["HOME"], "seen").read_text().splitlines():
        route, status = json.loads(line)
        statuses[route][status] += 1
    for route, counts in sorted(statuses.items()):
        print(route, dict(sorted(counts.items())))
    refusing = {
        route for route, counts in statuses.items() if all(status >= 400 for status in counts)}
    wrong = {route for route in refusing - CONTRACT.REFUSING if not succeeds(route)}
    assert not wrong and refusing >= CONTRACT.REFUSING, (wrong, CONTRACT.REFUSING - refusing)
    refused = sum(counts[429] for counts in statuses.values())
    assert refused * 5 < sum(counts.total() for counts in statuses.values()), "mostly 429"


run()
