"""Runs a Python handler on Lambda's Runtime API, as AWS's own runtime does.

python3 -c THIS [SOURCE]: the handler is _HANDLER of the code in LAMBDA_TASK_ROOT, or of SOURCE.
"""

import decimal
import http.client
import importlib
import json
import logging
import os
import socket
import sys
import time
import traceback
import types

BASE = "/2018-06-01/runtime"
# The first version of boto3 that reads AWS_ENDPOINT_URL.
BOTOCORE = (1, 31)


class API:
    def __init__(self):
        self.connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def next(self):
        self.connection.request("GET", BASE + "/invocation/next")
        response = self.connection.getresponse()
        return response.headers, response.read()

    def post(self, path, body, error=None):
        headers = {"Content-Type": "application/json"}
        if error:
            headers["Lambda-Runtime-Function-Error-Type"] = error
        self.connection.request("POST", BASE + path, body, headers)
        response = self.connection.getresponse()
        response.read()
        return response.status


class Context:
    """https://docs.aws.amazon.com/lambda/latest/dg/python-context.html"""

    def __init__(self, headers):
        self.aws_request_id = headers["Lambda-Runtime-Aws-Request-Id"]
        self.invoked_function_arn = headers["Lambda-Runtime-Invoked-Function-Arn"]
        self.function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = os.environ["AWS_LAMBDA_FUNCTION_VERSION"]
        self.memory_limit_in_mb = os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self.log_group_name = os.environ["AWS_LAMBDA_LOG_GROUP_NAME"]
        self.log_stream_name = os.environ["AWS_LAMBDA_LOG_STREAM_NAME"]
        self.identity = types.SimpleNamespace(
            cognito_identity_id=None, cognito_identity_pool_id=None
        )
        self.client_context = self._client(headers.get("Lambda-Runtime-Client-Context"))
        self._deadline = int(headers["Lambda-Runtime-Deadline-Ms"])

    @staticmethod
    def _client(text):
        if not text:
            return None
        given = json.loads(text)
        return types.SimpleNamespace(
            client=types.SimpleNamespace(**(given.get("client") or {})),
            custom=given.get("custom"),
            env=given.get("env"),
        )

    def get_remaining_time_in_millis(self):
        return max(0, self._deadline - int(time.time() * 1000))

    def log(self, message):
        sys.stdout.write(str(message))


class LogHandler(logging.StreamHandler):
    """A log record in the format of Lambda."""

    request_id = ""

    def __init__(self):
        super().__init__(sys.stdout)
        form = "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(request_id)s\t%(message)s"
        formatter = logging.Formatter(form, "%Y-%m-%dT%H:%M:%S")
        formatter.converter = time.gmtime
        self.setFormatter(formatter)

    def emit(self, record):
        record.request_id = record.aws_request_id = LogHandler.request_id
        super().emit(record)


class Failure(Exception):
    """The handler cannot be loaded."""

    def __init__(self, kind, message, advice=""):
        super().__init__(message)
        self.kind = kind
        self.advice = advice


# Packages whose name differs from the name of their module.
PACKAGES = {
    "bs4": "beautifulsoup4", "dateutil": "python-dateutil", "dotenv": "python-dotenv",
    "jwt": "PyJWT[crypto]", "PIL": "Pillow", "yaml": "PyYAML",
}


def advice(error, root):
    """The advice for a missing module."""
    import shlex

    python = shlex.quote(sys.executable)
    name = getattr(error, "name", None) or ""
    package = name.split(".")[0]
    if package in ("boto3", "botocore"):
        return "AWS's Python has boto3, this one has not: " + python + " -m pip install boto3"
    for folder in (root, os.path.dirname(root)):
        path = os.path.join(folder, "requirements.txt")
        if os.path.exists(path):
            install = python + " -m pip install -r " + shlex.quote(path)
            return "install what the code needs: " + install
    # A module of the function itself is not a missing package.
    own = os.environ["_HANDLER"].replace("/", ".").split(".")[0]
    if not package or package in (own, *sys.stdlib_module_names):
        return ""
    if package not in PACKAGES:
        # A package with the name of the module may be an unrelated one.
        return f"add the package that has the module {package} to requirements.txt beside the code"
    words = ["-m", "pip", "install", "--target", root, PACKAGES[package]]
    return f"install what the code needs: {python} {shlex.join(words)}"


def load(name, source):
    root = os.environ["LAMBDA_TASK_ROOT"]
    sys.path = [root] + [path for path in sys.path if path]
    module_name, dot, function_name = name.rpartition(".")
    if not dot:
        raise Failure(
            "Runtime.MalformedHandlerName", f"Bad handler '{name}': not enough values to unpack"
        )
    try:
        if source is None:
            module = importlib.import_module(module_name.replace("/", "."))
        else:
            module = types.ModuleType(module_name)
            sys.modules[module_name] = module
            exec(compile(source, module_name + ".py", "exec"), module.__dict__)
    except ImportError as error:
        raise Failure(
            "Runtime.ImportModuleError",
            f"Unable to import module '{module_name}': {error}",
            advice(error, root),
        ) from error
    except SyntaxError as error:
        where = f"{error.filename} line {error.lineno}"
        raise Failure(
            "Runtime.UserCodeSyntaxError", f"Syntax error in {where}: {error.msg}"
        ) from error
    handler = getattr(module, function_name, None)
    if handler is None:
        raise Failure(
            "Runtime.HandlerNotFound",
            f"Handler '{function_name}' missing on module '{module_name}'",
        )
    return handler


def check_botocore():
    botocore = sys.modules.get("botocore")
    version = getattr(botocore, "__version__", "")
    if version and tuple(int(part) for part in version.split(".")[:2]) < BOTOCORE:
        print(
            f"[WARNING] boto3's botocore {version} ignores AWS_ENDPOINT_URL and calls AWS itself; "
            f"it needs {BOTOCORE[0]}.{BOTOCORE[1]}: {sys.executable} -m pip install --upgrade boto3"
        )


def number(value):
    if isinstance(value, decimal.Decimal):
        return float(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def error_body(kind, message, frames, request_id=None):
    error = {"errorMessage": message, "errorType": kind, "stackTrace": frames}
    if request_id:
        error["requestId"] = request_id
    return json.dumps(error).encode()


def invoke(api, handler, headers, body):
    context = Context(headers)
    LogHandler.request_id = context.aws_request_id
    path = "/invocation/" + context.aws_request_id
    trace = headers.get("Lambda-Runtime-Trace-Id")
    if trace:
        os.environ["_X_AMZN_TRACE_ID"] = trace
    try:
        result = handler(json.loads(body), context)
    except Exception as error:
        kind = type(error).__name__
        frames = traceback.format_list(traceback.extract_tb(error.__traceback__)[1:])
        print(f"[ERROR] {kind}: {error}\nTraceback (most recent call last):")
        print("".join(frames), end="")
        if isinstance(error, ImportError):
            print(advice(error, os.environ["LAMBDA_TASK_ROOT"]))
        reply = error_body(kind, str(error), frames, context.aws_request_id)
        sys.stdout.flush()
        return api.post(path + "/error", reply, kind)
    try:
        reply = json.dumps(result, default=number, ensure_ascii=False).encode()
    except Exception as error:
        message = f"Unable to marshal response: {error}"
        kind = "Runtime.MarshalError"
        print(f"[ERROR] {kind}: {message}")
        sys.stdout.flush()
        body = error_body(kind, message, [], context.aws_request_id)
        return api.post(path + "/error", body, kind)
    sys.stdout.flush()
    if api.post(path + "/response", reply) == 413:
        message = "Response payload size exceeded maximum allowed payload size."
        kind = "Function.ResponseSizeTooLarge"
        api.post(path + "/error", error_body(kind, message, [], context.aws_request_id), kind)
    return None


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else None
    sys.argv = [""]
    sys.dont_write_bytecode = True
    sys.stdout.reconfigure(line_buffering=True)
    logging.getLogger().addHandler(LogHandler())
    api = API()
    try:
        handler = load(os.environ["_HANDLER"], source)
    except BaseException as error:
        kind = error.kind if isinstance(error, Failure) else "Runtime." + type(error).__name__
        print(f"[ERROR] {kind}: {error}")
        cause = error.__cause__ or error
        if not isinstance(cause, (Failure, SyntaxError)):
            frames = traceback.extract_tb(cause.__traceback__)
            shown = [frame for frame in frames if not frame.filename.startswith(("<", "frozen"))]
            print("".join(traceback.format_list(shown)), end="")
        if isinstance(error, Failure) and error.advice:
            print(error.advice)
        sys.stdout.flush()
        api.post("/init/error", error_body(kind, str(error), []), kind)
        sys.exit(1)
    check_botocore()
    while True:
        invoke(api, handler, *api.next())


main()
