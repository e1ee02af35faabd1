"""The measured servers: their commands, readiness checks and ports."""

import json
import os
import pathlib
import platform
import queue
import re
import socket
import subprocess
import tempfile
import threading
import time

import requests_aws as aws
import settings
from load import Request, ask
from processes import Process, free_port, resident_mebibytes

START_SECONDS_MAX = 20
KEYS = {"AWS_ACCESS_KEY_ID": settings.ACCESS_KEY_ID,
        "AWS_SECRET_ACCESS_KEY": settings.SECRET_ACCESS_KEY,
        "AWS_DEFAULT_REGION": settings.REGION, "AWS_REGION": settings.REGION}


class Contender:
    """A running server: `port` for AWS's protocols, `app_port` for the routes of an app."""

    name = ""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = self.app_port = 0
        self.processes = []
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        raise NotImplementedError

    def spawn(self, command, environment=None, **more):
        log = self.folder / f"{self.name.replace(' ', '-')}.log"
        process = Process(command, log, environment, self.folder, **more)
        self.processes.append(process)
        return process

    def wait(self, request, port, status=200):
        """Sends requests until one succeeds; the seconds from spawn to that response."""
        process = self.processes[0]
        until = time.perf_counter() + START_SECONDS_MAX
        while time.perf_counter() < until:
            process.must_run()
            try:
                if ask(request, port, START_SECONDS_MAX)[0] == status:
                    return time.perf_counter() - process.began
            except ConnectionError:
                pass
            time.sleep(0.0005)
        raise TimeoutError(f"{self.name} does not answer")

    def first_answer(self):
        """Waits until an event was handled; the seconds since the start."""
        return self.wait(self.invoke_request(), self.port)

    def invoke_request(self):
        return aws.invoke(settings.FUNCTION)

    def wait_until_ready(self):
        self.first_answer()

    def prepare_aws(self):
        """Creates the resources that the measured operations need."""
        for request in (aws.create_table(), aws.create_bucket(), aws.create_role()):
            self.must(request)
        self.fill()

    def fill(self):
        for key in aws.KEYS:
            self.must(aws.put_item(key))
            self.must(aws.put_object(key))

    def must(self, request):
        status, body = ask(request, self.port)
        if status != 200:
            raise RuntimeError(f"{self.name}: {request.headers}: {status} {body[:500]!r}")
        return body

    def must_run(self):
        for process in self.processes:
            process.must_run()

    def memory(self):
        return resident_mebibytes(self.processes[0].pid)

    def stop(self):
        for process in reversed(self.processes):
            process.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Latchkey(Contender):
    """`emulator serve`: with all services, unless the template restricts it."""

    name = "latchkey"
    executable = settings.EMULATOR

    def __init__(self, folder, mode="warm", template=None, flags=()):
        self.mode = mode
        self.template = template or full_template()
        self.flags = flags
        super().__init__(folder)

    @classmethod
    def is_built(cls):
        return os.access(cls.executable, os.X_OK)

    def start(self):
        template = self.folder / f"template-{time.monotonic_ns()}.json"
        template.write_text(json.dumps(self.template))
        data = tempfile.mkdtemp(dir=self.folder, prefix="data-")
        process = self.spawn(
            [self.executable, "serve", "--template", template, "--port", 0, "--aws-port", 0,
             "--data", data, "--mode", self.mode, "--quiet", *self.flags],
            stdout=subprocess.PIPE)
        lines = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(process, lines), daemon=True).start()
        ports = {}
        while len(ports) < 2:
            try:
                line = lines.get(timeout=START_SECONDS_MAX)
            except queue.Empty:
                raise TimeoutError("emulator does not print its URLs") from None
            if line is None:
                process.popen.wait()
                process.must_run()
            found = re.match(r"\s*(app|AWS)\s+https?://127\.0\.0\.1:(\d+)", line)
            if found:
                ports[found[1]] = int(found[2])
        self.app_port, self.port = ports["app"], ports["AWS"]

    @staticmethod
    def _read(process, lines):
        """Reads to the end: a full pipe would block the server."""
        for line in process.popen.stdout:
            lines.put(line.decode(errors="replace"))
        lines.put(None)

    def wait_until_ready(self):
        self.wait(Request("GET", "/_emulator/health", {}), self.app_port)

    def first_route_answer(self):
        return self.wait(aws.route(settings.ROUTE), self.app_port)

    def prepare_aws(self):
        """Table, bucket and role are created by the template."""
        self.fill()


class CargoLambda(Contender):
    """`cargo lambda watch` without a function: the empty function is a client of its API."""

    name = "cargo-lambda"
    clients = 1

    def start(self):
        self.port = free_port()
        self.spawn(
            [settings.VENV / "bin/cargo-lambda", "lambda", "watch", "--only-lambda-apis",
             "--invoke-address", "127.0.0.1", "--invoke-port", self.port],
            KEYS | {"CARGO": str(self._cargo())})
        self._open()
        for _ in range(self.clients):
            self.spawn(
                [settings.BUILD / "function/bootstrap"],
                {"AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self.port}/.rt",
                 "REPLY": settings.REPLY})

    def invoke_request(self):
        return aws.invoke("_")

    def _cargo(self):
        """It asks cargo for the enclosing package, which this script answers without Rust."""
        (self.folder / "src").mkdir(exist_ok=True)
        manifest = self.folder / "Cargo.toml"
        manifest.write_text(f'[package]\nname = "{settings.FUNCTION}"\nversion = "0.1.0"\n')
        identifier = f"path+file://{self.folder}#{settings.FUNCTION}@0.1.0"
        binary = {"kind": ["bin"], "crate_types": ["bin"], "name": settings.FUNCTION,
                  "src_path": str(self.folder / "src/main.rs"), "edition": "2021", "doc": True,
                  "doctest": False, "test": True}
        package = {"name": settings.FUNCTION, "version": "0.1.0", "id": identifier,
                   "dependencies": [], "targets": [binary], "features": {},
                   "manifest_path": str(manifest), "edition": "2021"}
        metadata = {"packages": [package], "workspace_members": [identifier],
                    "workspace_default_members": [identifier], "resolve": None, "version": 1,
                    "target_directory": str(self.folder / "target"),
                    "workspace_root": str(self.folder), "metadata": None}
        cargo = self.folder / "cargo"
        cargo.write_text(f"#!/bin/sh\ncat <<'METADATA'\n{json.dumps(metadata)}\nMETADATA\n")
        cargo.chmod(0o755)
        return cargo

    def _open(self):
        while True:
            self.processes[0].must_run()
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionError:
                time.sleep(0.0005)


class RuntimeInterfaceEmulator(Contender):
    """The runtime interface emulator of AWS's base images. It handles one event at a time."""

    name = "RIE"

    def start(self):
        self.port = free_port()
        machine = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
        (binary,) = settings.VENV.glob(
            f"lib/*/site-packages/samcli/local/rapid/aws-lambda-rie-{machine}")
        binary.chmod(0o755)
        self.spawn(
            [binary, "--log-level", "error",
             "--runtime-interface-emulator-address", f"127.0.0.1:{self.port}",
             "--runtime-api-address", f"127.0.0.1:{free_port()}",
             settings.BUILD / "function/bootstrap"],
            KEYS | {"REPLY": settings.REPLY})

    def invoke_request(self):
        return aws.invoke("function")


class FunctionsFramework(Contender):
    """A Python function under gunicorn, as started by the framework. It builds no event."""

    name = "functions-framework"

    def start(self):
        self.port = self.app_port = free_port()
        (self.folder / "main.py").write_text(
            "import flask\n\ndef empty(request):\n    return flask.jsonify(ok=True)\n")
        self.spawn(
            [settings.VENV / "bin/functions-framework", "--target", "empty", "--source", "main.py",
             "--host", "127.0.0.1", "--port", self.port], {"PYTHONDONTWRITEBYTECODE": "1"})

    def first_answer(self):
        return self.wait(aws.route(settings.ROUTE), self.port)


class MiniStack(Contender):
    name = "ministack"

    def start(self):
        self.port = free_port()
        self.spawn(
            [settings.VENV / "bin/ministack"],
            KEYS | {"GATEWAY_PORT": str(self.port), "BIND_HOST": "127.0.0.1",
                    "LOG_LEVEL": "WARNING", "MINISTACK_ACCOUNT_ID": settings.ACCOUNT,
                    "TMPDIR": str(self.folder)})

    def first_answer(self):
        return self.wait(aws.create_table("first"), self.port)


class Moto(Contender):
    name = "moto"

    def start(self):
        self.port = free_port()
        self.spawn(
            [settings.VENV / "bin/moto_server", "--host", "127.0.0.1", "--port", self.port],
            KEYS | {"MOTO_ACCOUNT_ID": settings.ACCOUNT, "TMPDIR": str(self.folder)})

    def first_answer(self):
        return self.wait(aws.create_table("first"), self.port)


class HTTPHost(Contender):
    """The executable `latchkey`, which serves a whole contract's HTTP in one process."""

    name = "latchkey --listen"
    executable = settings.FUNCTIONS / "latchkey"

    def __init__(self, folder, environment):
        self.environment = {name: str(value) for name, value in environment.items()}
        super().__init__(folder)

    def start(self):
        self.port = self.app_port = free_port()
        self.spawn(
            [self.executable, "--listen", f"127.0.0.1:{self.port}"],
            self.environment)

    def wait_until_ready(self):
        self.wait(Request("GET", "/_/ready", {}), self.port)

    def start_after_kill(self):
        process = self.processes.pop()
        process.popen.kill()
        process.popen.wait()
        self.start()
        self.wait_until_ready()


class SignInYardstick(Contender):
    """A program of `yardsticks` under uvicorn, with a number of workers on one database."""

    def __init__(self, folder, workers, environment, program="sign_in"):
        self.name = "FastAPI" if workers == 1 else f"FastAPI, {workers} workers"
        self.workers = workers
        self.program = program
        self.environment = environment
        super().__init__(folder)

    def start(self):
        self.port = self.app_port = free_port()
        self.spawn(
            [settings.VENV / "bin/uvicorn", f"{self.program}:app",
             "--app-dir", settings.ROOT / "Benchmarks/yardsticks", "--host", "127.0.0.1",
             "--port", self.port, "--workers", self.workers, "--loop", "uvloop",
             "--http", "httptools", "--no-access-log", "--log-level", "warning"],
            self.environment | {"PYTHONDONTWRITEBYTECODE": "1"})

    def wait_until_ready(self):
        self.wait(Request("GET", "/health", {}), self.port)


class Nothing(Contender):
    """A C program that responds without parsing requests, one client at a time."""

    name = "nothing"

    def start(self):
        self.port = free_port()
        self.spawn([settings.BUILD / "nothing", self.port, len(aws.OBJECT)])

    def first_answer(self):
        return self.wait(aws.get_object(aws.KEYS[0]), self.port)

    def prepare_aws(self):
        """It has no persistent state."""


def gateway_template():
    """One function with one route."""
    def function(reply, **more):
        return {
            "Type": "AWS::Serverless::Function",
            "Properties": {
                "Runtime": "provided.al2023", "Handler": "bootstrap", "MemorySize": 128,
                "Timeout": 30, "CodeUri": str(settings.BUILD / "function"),
                "Environment": {"Variables": {"REPLY": reply}},
            } | more,
        }

    event = {"Type": "HttpApi", "Properties": {
        "ApiId": {"Ref": "Api"}, "Method": "GET", "Path": settings.ROUTE,
        "PayloadFormatVersion": "2.0"}}
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Transform": "AWS::Serverless-2016-10-31",
        "Resources": {
            "Api": {"Type": "AWS::Serverless::HttpApi", "Properties": {}},
            "Empty": function(settings.REPLY, FunctionName=settings.FUNCTION),
            "Routed": function(
                settings.ROUTE_REPLY, FunctionName="routed", Events={"Get": event}),
        },
    }


def full_template():
    """The same, a slow function, and the resources of the AWS operations."""
    template = gateway_template()
    pausing = json.loads(json.dumps(template["Resources"]["Empty"]))
    pausing["Properties"]["FunctionName"] = settings.PAUSING_FUNCTION
    pausing["Properties"]["Environment"]["Variables"]["PAUSE_MS"] = str(settings.PAUSE_MS)
    trust = {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": settings.ACCOUNT}, "Action": "sts:AssumeRole"}]}
    template["Resources"] |= {
        "Pausing": pausing,
        "Table": {"Type": "AWS::DynamoDB::Table", "Properties": {
            "TableName": settings.TABLE, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}},
        "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": settings.BUCKET}},
        "Role": {"Type": "AWS::IAM::Role", "Properties": {
            "RoleName": settings.ROLE, "AssumeRolePolicyDocument": trust}},
    }
    return template
