"""A web app of another origin, which sends requests as a browser does (Fetch Standard, "CORS
protocol"), to every route of a contract: through the gateway of a template, or to a server of its
own (SERVER, the executable)."""

import atexit
import json
import os
import pathlib
import subprocess
import urllib.error
import urllib.request

from judge import APP, case, run

ROOT = pathlib.Path(__file__).resolve().parents[4]
CONTRACT = os.environ["CONTRACT"]
ORIGIN = "https://app.example.com"
SAFE_METHODS = {"GET", "HEAD", "POST"}
SAFE_HEADERS = {"accept", "accept-language", "content-language"}
READABLE = {
    "cache-control", "content-language", "content-length", "content-type", "expires",
    "last-modified", "pragma"}


def listen():
    """Starts the server, and returns its URL."""
    environment = {
        "CONTRACT": CONTRACT, "STORE": "memory:", "ISSUER": "http://localhost:8000",
        "ALLOWED_ORIGINS": f"{ORIGIN},http://localhost:5173", "MAIL_URL": "smtp://127.0.0.1:9",
        "MAIL_FROM": "no-reply@example.com", "LINK_BASE": "https://app.example.com/auth",
        "MASTER_KEY": "k" * 40, "OMITTED_FUNCTIONS": "credentials,admin-login",
        "PATH": os.environ["PATH"],
    }
    server = subprocess.Popen(
        [os.environ["SERVER"], "--listen", "127.0.0.1:0"], env=environment,
        stderr=subprocess.PIPE, text=True)
    atexit.register(server.kill)
    for line in server.stderr:
        entry = json.loads(line)
        if entry["event"] == "listening":
            return f"http://{entry['address']}"
    raise AssertionError("the server does not listen")


URL = listen() if "SERVER" in os.environ else APP


class Blocked(Exception):
    """Errors that a page sees as `TypeError: Failed to fetch`."""


def send(method, path, headers, body=None):
    request = urllib.request.Request(URL + path, method=method, headers=headers, data=body)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def values(headers, name):
    return {value.strip() for line in headers.get_all(name, []) for value in line.split(",")}


def check_origin(headers, origin):
    allowed = headers.get_all("Access-Control-Allow-Origin", [])
    assert "*" not in allowed and len(allowed) < 2, allowed
    assert headers["Access-Control-Allow-Credentials"] is None
    assert "Origin" in values(headers, "Vary"), headers
    if allowed != [origin]:
        raise Blocked(f"the allowed origin is {allowed}")


def fetch(method, path, origin=ORIGIN, headers=None, body=None):
    """The status, the headers that a page can read, and the body."""
    headers = dict(headers or {})
    if body is not None:
        headers["Content-Type"] = "application/json"
    unsafe = sorted({name.lower() for name in headers} - SAFE_HEADERS)
    if method not in SAFE_METHODS or unsafe:
        question = {"Origin": origin, "Access-Control-Request-Method": method}
        if unsafe:
            question["Access-Control-Request-Headers"] = ",".join(unsafe)
        status, answer, _ = send("OPTIONS", path, question)
        check_origin(answer, origin)
        if not 200 <= status < 300:
            raise Blocked(f"the preflight is answered with {status}")
        if method not in SAFE_METHODS | values(answer, "Access-Control-Allow-Methods"):
            raise Blocked(f"{method} is not allowed")
        allowed = {v.lower() for v in values(answer, "Access-Control-Allow-Headers")}
        if not set(unsafe) <= allowed:
            raise Blocked(f"of {unsafe}, {allowed} are allowed")
    data = None if body is None else json.dumps(body).encode()
    status, answer, content = send(method, path, headers | {"Origin": origin}, data)
    check_origin(answer, origin)
    readable = READABLE | {v.lower() for v in values(answer, "Access-Control-Expose-Headers")}
    shown = {name.lower(): value for name, value in answer.items() if name.lower() in readable}
    return status, shown, content


def routes():
    path = ROOT / f"Functions/Templates/{CONTRACT}.json"
    resources = json.loads(path.read_text())["Resources"].values()
    functions = [resource["Properties"] for resource in resources
                 if resource["Type"] == "AWS::Serverless::Function"]
    return [(event["Properties"]["Method"],
             event["Properties"]["Path"].replace("{", "").replace("}", ""))
            for function in functions if is_served(function)
            for event in function.get("Events", {}).values()
            if event["Type"] == "HttpApi" and "Path" in event["Properties"]
            and not is_of_provider(event["Properties"]["Path"])]


def is_served(function):
    """A server without settings has no storage, administrators or pages."""
    missing = ("admin", "admin-login", "credentials", "ui")
    return "SERVER" not in os.environ or pathlib.PurePath(function["CodeUri"]).name not in missing


def is_of_provider(path):
    """A server without settings is no provider for apps of others (OAUTH)."""
    return "SERVER" in os.environ and (
        path.startswith(("/oauth/", "/auth/applications", "/.well-known/oauth-"))
        or path.endswith("{proxy+}"))


@case
def every_route_can_be_used():
    bearer = {"Authorization": "Bearer junk"}
    assert routes()
    for method, path in routes():
        body = {} if method in ("POST", "PUT") else None
        status, _, _ = fetch(method, path, headers=bearer, body=body)
        assert status != 405, (method, path, status)


@case
def errors_can_be_read():
    status, _, content = fetch("GET", "/no/such/path")
    assert status in (404, 405), status
    assert json.loads(content), content
    method, path = next(route for route in routes() if "refresh" in route[1])
    status, _, content = fetch(method, path, body={"unexpected": 1})
    assert 400 <= status < 500 and json.loads(content), (status, content)


@case
def headers_for_retries_can_be_read():
    method, path = next(route for route in routes() if "refresh" in route[1])
    sent = {"Origin": ORIGIN, "Content-Type": "application/json"}
    _, headers, _ = send(method, path, sent, b"{}")
    exposed = values(headers, "Access-Control-Expose-Headers")
    assert {"retry-after", "www-authenticate"} <= exposed, exposed


@case
def pages_of_other_origins_are_blocked():
    for origin in ("https://evil.example.com", "null", "http://app.example.com",
                   "https://app.example.com.evil.com", "http://localhost:5174"):
        for method, path in routes()[:3] + [("GET", "/no/such/path")]:
            for headers in ({}, {"Authorization": "Bearer junk"}):
                try:
                    fetch(method, path, origin=origin, headers=headers)
                except Blocked:
                    continue
                raise AssertionError(f"{method} {path} can be used by {origin}")


@case
def other_headers_are_not_allowed():
    method, path = routes()[0]
    try:
        fetch(method, path, headers={"X-Forwarded-For": "192.0.2.1"})
    except Blocked:
        return
    raise AssertionError("a page may choose its address")


run()
