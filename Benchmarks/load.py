"""Prepared requests, and the load generator that replays them."""

import dataclasses
import json
import socket
import subprocess

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

import settings

CREDENTIALS = Credentials(settings.ACCESS_KEY_ID, settings.SECRET_ACCESS_KEY)


@dataclasses.dataclass
class Request:
    """One request, complete except for the port in its Host header."""

    method: str
    target: str
    headers: dict
    body: bytes = b""
    service: str | None = None

    def bytes(self, port):
        headers = {"Host": f"127.0.0.1:{port}"} | self.headers
        if self.service:
            headers = self.signed(port, headers)
        if self.body or self.method in ("POST", "PUT"):
            headers["Content-Length"] = str(len(self.body))
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + self.body

    def signed(self, port, headers):
        """A signature is valid for 15 minutes, long enough for one round."""
        request = AWSRequest(
            self.method, f"http://127.0.0.1:{port}{self.target}", headers, self.body)
        signer = S3SigV4Auth if self.service == "s3" else SigV4Auth
        signer(CREDENTIALS, self.service, settings.REGION).add_auth(request)
        return dict(request.headers.items())


def pack(requests, port):
    packed = [request.bytes(port) for request in requests]
    return b"".join(b"%d\n%s" % (len(one), one) for one in packed)


def replay(requests, port, *, connections=1, seconds=None, each=None, expect="", status=200,
           refusal=None, idle=0, while_held=None):
    """Runs the load generator and returns its results. An error response is an exception."""
    command = [settings.BUILD / "load", port, "--connections", connections, "--status", status,
               "--expect", expect, "--idle", idle]
    if refusal:
        command += ["--refusal", refusal]
    command += ["--each", each] if each else ["--seconds", seconds]
    with subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        try:
            child.stdin.write(pack(requests, port))
            child.stdin.close()
            said = child.stderr.readline() if idle else b""
            if said == b"held\n" and while_held:
                while_held()
            printed = child.stdout.read()
            said += child.stderr.read()
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        raise RuntimeError(f"load: {said.decode(errors='replace')}")
    figures = json.loads(printed)
    if figures["wrong"] or figures["broken"]:
        raise WrongAnswers(figures)
    return figures


class WrongAnswers(RuntimeError):
    def __init__(self, figures):
        super().__init__(
            f"{figures['wrong']} wrong answers, {figures['broken']} broken connections of "
            f"{figures['answered']}: {figures['first_wrong'][:300]!r}")
        self.figures = figures


def ask(request, port, patience=10):
    """Sends one request on a new connection: (status, body)."""
    data = request.bytes(port).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
    with socket.create_connection(("127.0.0.1", port), patience) as connection:
        connection.sendall(data)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head:
        raise ConnectionError("no answer")
    return int(head.split(b" ", 2)[1]), body
