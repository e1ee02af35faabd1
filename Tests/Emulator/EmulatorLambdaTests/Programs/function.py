"""A function for the emulator's tests, warm or cold. Its action is in the event, or in
the body of a request through a gateway."""

import json
import os
import signal
import socket
import sys
import time

AUTHORITY = os.environ.get("AWS_LAMBDA_RUNTIME_API")
RUNTIME = "/2018-06-01/runtime"


def post(connection, path, body, headers=None):
    connection.request("POST", RUNTIME + path, body, headers or {})
    response = connection.getresponse()
    return response.status, json.loads(response.read() or b"null")


def act(event, headers):
    """The response as bytes; some actions do not return."""
    if "SAYS" in os.environ:
        return os.environ["SAYS"].encode()
    if "requestContext" in event:
        event = json.loads(event["body"])
    what = event.get("do", "echo")
    if what == "echo":
        return json.dumps(event).encode()
    if what == "environment":
        return json.dumps(dict(os.environ)).encode()
    if what == "headers":
        return json.dumps({k.lower(): v for k, v in headers.items()}).encode()
    if what == "pid":
        return json.dumps(os.getpid()).encode()
    if what == "reply":
        return event["reply"].encode()
    if what == "sleep":
        if "begun" in event:
            open(event["begun"], "w").close()
        time.sleep(event["seconds"])
        return json.dumps(os.getpid()).encode()
    if what == "meet":
        # Returns when all of them run at the same time.
        open(event["begun"], "w").close()
        while not all(os.path.exists(path) for path in event["others"]):
            time.sleep(0.01)
        return json.dumps(os.getpid()).encode()
    if what == "exit":
        sys.stdout.flush()
        os._exit(event["status"])
    if what == "kill":
        os.kill(os.getpid(), getattr(signal, event["signal"]))
        time.sleep(10)
    if what == "garbage":
        return b"\xff\x00 not json"
    if what == "big":
        return b'"' + b"a" * (event["bytes"] - 2) + b'"'
    if what == "log":
        print("x" * event.get("bytes", 10) + " said", file=sys.stderr, flush=True)
        return b'"logged"'
    if what == "close":
        os.close(1)
        os.close(2)
        return b'"closed"' if AUTHORITY else os._exit(0)
    if what == "fork":
        for _ in range(event["count"]):
            if os.fork() == 0:
                time.sleep(1000)
        time.sleep(1000)
    if what == "flood":
        while True:
            os.write(2, b"y" * 65536)
    raise ValueError(what)


def failure(error):
    return json.dumps({"errorMessage": str(error), "errorType": type(error).__name__}).encode()


def serve():
    # Takes longer than all that a cold function does.
    import http.client

    if os.environ.get("FAIL_INIT") == "report":
        connection = http.client.HTTPConnection(AUTHORITY)
        post(connection, "/init/error", b'{"errorMessage":"no","errorType":"Runtime.No"}')
        sys.exit(1)
    if os.environ.get("FAIL_INIT") == "exit":
        sys.exit(42)
    if os.environ.get("FAIL_INIT") == "hang":
        time.sleep(1000)
    connection = http.client.HTTPConnection(AUTHORITY)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while True:
        connection.request("GET", RUNTIME + "/invocation/next")
        response = connection.getresponse()
        event = json.loads(response.read())
        request_id = response.headers["Lambda-Runtime-Aws-Request-Id"]
        base = "/invocation/" + request_id
        if event.get("do") == "misuse":
            statuses = [
                post(connection, "/invocation/00000000-0000-4000-8000-000000000000/response", b"1"),
                post(connection, "/init/error", b"{}"),
                post(connection, base + "/response", b'"first"'),
                post(connection, base + "/response", b'"second"'),
            ]
            with open(event["file"], "w", encoding="utf-8") as file:
                json.dump(statuses, file)
            continue
        if event.get("do") == "stream":
            trailers = event.get("trailers", "")
            connection.sock.sendall(
                (
                    f"POST {RUNTIME}{base}/response HTTP/1.1\r\nHost: {AUTHORITY}\r\n"
                    "Lambda-Runtime-Function-Response-Mode: streaming\r\n"
                    "Content-Type: text/x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    f"3\r\nabc\r\n3\r\ndef\r\n0\r\n{trailers}\r\n"
                ).encode()
            )
            assert b"202" in connection.sock.recv(65536)
            continue
        try:
            reply = act(event, response.headers)
        except ValueError as error:
            post(connection, base + "/error", failure(error))
            continue
        status, answer = post(connection, base + "/response", reply)
        if status == 413:
            post(connection, base + "/error", json.dumps(answer).encode())
            connection.close()


def run_once():
    try:
        sys.stdout.buffer.write(act(json.load(sys.stdin), {}))
        sys.stdout.flush()
    except ValueError as error:
        sys.stdout.buffer.write(failure(error) + b"\n")
        sys.stdout.flush()
        sys.exit(1)


serve() if AUTHORITY else run_once()
