"""Shared by the client scripts: the emulator's URLs, running cases, expecting errors."""

import contextlib
import json
import os
import sys
import traceback
import urllib.error
import urllib.request

APP = os.environ["APP_URL"]
AWS = os.environ["AWS_ENDPOINT_URL"]

_cases = []


def case(function):
    """Marks a function as a case. Cases run in the order in which they are written."""
    _cases.append(function)
    return function


def run():
    """Runs every case, prints the results, and exits with 1 if one failed."""
    failed = 0
    for function in _cases:
        try:
            function()
            print("ok     ", function.__name__, flush=True)
        except Exception:
            failed += 1
            print("FAILED ", function.__name__)
            traceback.print_exc(file=sys.stdout)
            sys.stdout.flush()
    print(f"{len(_cases) - failed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


def client(service, credentials=None, **settings):
    """A client with the SDK's defaults but without retries, which would hide errors.

    `credentials` is what STS answers under that name; without it, the developer's keys of the
    environment are used.
    """
    return _session(credentials).client(service, config=_config(settings))


def _session(credentials):
    # Most scripts do not need the SDK, which takes several times as long to load as Python.
    import boto3

    if credentials is None:
        return boto3.Session()
    return boto3.Session(
        aws_access_key_id=credentials["AccessKeyId"],
        aws_secret_access_key=credentials["SecretAccessKey"],
        aws_session_token=credentials.get("SessionToken"),
    )


def _config(settings):
    from botocore.config import Config

    return Config(
        **{"retries": {"total_max_attempts": 1}, "read_timeout": 100, **settings}
    )


def fetch(method, url, body=None, headers=None):
    """Sends a request as a browser or curl would: (status, headers, body)."""
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def control(method, path, body=None):
    """Calls the emulator's control API, with JSON."""
    request = urllib.request.Request(
        f"{APP}/_emulator/{path}", method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def clock(body):
    """Moves the emulator's clock by {"seconds": N}, or back with {"reset": True}."""
    return control("POST", "clock", body)


class Refusal:
    code = message = status = response = error = None


@contextlib.contextmanager
def refused(code, status=None, message=None):
    """Expects an error of the service with this code, and status, and text in its message."""
    from botocore.exceptions import ClientError

    refusal = Refusal()
    try:
        yield refusal
    except ClientError as error:
        refusal.error = error
        refusal.response = error.response
        refusal.code = error.response["Error"]["Code"]
        refusal.message = error.response["Error"].get("Message", "")
        refusal.status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        assert refusal.code == code, f"{refusal.code} instead of {code}: {refusal.message}"
        assert status in (None, refusal.status), f"{refusal.status} instead of {status}"
        assert message is None or message in refusal.message, refusal.message
    else:
        raise AssertionError(f"nothing was refused; expected {code}")
