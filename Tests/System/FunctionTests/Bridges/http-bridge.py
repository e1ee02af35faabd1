"""Answers one event as a function does, by HTTP: the fixtures of Events are replayed against it.

    http-bridge.py EXECUTABLES FUNCTION OMITTED

Starts `latchkey` on a Unix socket with the environment of the fixture, sends the event's request,
ends the server with SIGTERM and writes the response as the document of a gateway. `FUNCTION` is the
only function that it serves. What is no request of HTTP is left to the function itself.
"""

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

executables, function, omitted = sys.argv[1:4]
data = sys.stdin.buffer.read()
try:
    event = json.loads(data)
    http_part = event["requestContext"]["http"]
    hops = int(os.environ.get("TRUSTED_HOPS") or 0)
    body = event.get("body") or ""
    encoded = event.get("isBase64Encoded")
    body = base64.b64decode(body, validate=True) if encoded else body.encode()
    is_http = event["version"] == "2.0" and "method" in http_part
except (ValueError, KeyError, TypeError):
    is_http = False
# Answered as an event: it has another form, is malformed, or has a setting with which no server
# starts.
if not is_http or function == "authorizer":
    process = subprocess.run([f"{executables}/{function}"], input=data)
    sys.exit(process.returncode)

environment = dict(os.environ)
headers = [
    (name, value) for name, value in (event.get("headers") or {}).items()
    if name.lower() not in ("host", "content-length", "connection")
    and not (name.lower() == "cookie" and "cookies" in event)
]
if event.get("cookies"):
    headers.append(("cookie", "; ".join(event["cookies"])))
if http_part.get("userAgent") and not any(name.lower() == "user-agent" for name, _ in headers):
    headers.append(("user-agent", http_part["userAgent"]))
# A Unix socket has no address: the gateway's peer counts as another proxy.
if http_part.get("sourceIp"):
    given = [value for name, value in headers if name.lower() == "x-forwarded-for"]
    headers = [(name, value) for name, value in headers if name.lower() != "x-forwarded-for"]
    entries = [entry.strip() for value in given for entry in value.split(",") if entry.strip()]
    if not entries or entries[-1] != http_part["sourceIp"]:
        entries.append(http_part["sourceIp"])
    headers.append(("x-forwarded-for", ", ".join(entries)))
    environment["TRUSTED_HOPS"] = str(hops + 1)
if event["requestContext"].get("requestId"):
    headers.append(("x-request-id", event["requestContext"]["requestId"]))
host = next((value for name, value in (event.get("headers") or {}).items()
             if name.lower() == "host"), "localhost")
# A gateway's path begins with the stage, which a server's path lacks.
stage = event["requestContext"].get("stage") or ""
target = event["rawPath"].removeprefix(f"/{stage}")
if event.get("rawQueryString"):
    target += "?" + event["rawQueryString"]

with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
    path = f"{folder}/socket"
    environment["OMITTED_FUNCTIONS"] = omitted
    server = subprocess.Popen(
        [f"{executables}/latchkey", "--listen", f"unix:{path}"], env=environment,
        stdin=subprocess.DEVNULL, stderr=errors)
    connection = http.client.HTTPConnection("localhost")
    while True:
        link = socket.socket(socket.AF_UNIX)
        try:
            link.connect(path)
            break
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.002)
    if server.poll() is None:
        connection.sock = link
        connection.putrequest(
            http_part["method"], target, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host)
        for name, value in headers:
            connection.putheader(name, value.encode())
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        text = response.read().decode()
        link.close()
        server.send_signal(signal.SIGTERM)
    code = server.wait()
    errors.seek(0)
    # Lines of the server, not of the function.
    own = ("features", "issuer_path_not_served", "listening", "settings_unused", "stopping")
    for line in errors.read().decode().splitlines():
        if not any(f'"event":"{name}"' in line for name in own):
            print(line, file=sys.stderr)
    if code != 0:
        sys.exit(code)

document = {"statusCode": response.status, "headers": {}}
for name, value in response.getheaders():
    name = name.lower()
    if name == "set-cookie":
        document.setdefault("cookies", []).append(value)
    elif name not in ("date", "content-length", "connection"):
        document["headers"][name] = value
document["body"] = text
document["isBase64Encoded"] = False
print(json.dumps(document, ensure_ascii=False, separators=(",", ":")))
