"""Answers one event as a function does, on the Runtime API of our own emulator.

    emulator-bridge.py EMULATOR BOOTSTRAP

Serves a template with BOOTSTRAP and the environment of the fixture, invokes the function with the
event of standard input, writes its response, and its log to standard error.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

PATIENCE_SECONDS = 60
# Variables that the emulator sets itself, or that belong to this process.
OTHERS = ("AWS_LAMBDA_", "LAMBDA_", "PATH", "PWD", "SHLVL", "_")

# Variables that the emulator adds and a fixture does not have.
EMULATORS = ("AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL")


def template(folder, bootstrap):
    """The function runs in the folder and the region of the fixture, with its credentials, which
    have no session token, and its endpoints."""
    script = folder / "function"
    region = os.environ.get("AWS_REGION", "us-east-1")
    script.write_text(
        f"#!/bin/sh\nunset {' '.join({*EMULATORS} - {*os.environ})}\n"
        f"cd '{os.getcwd()}' && AWS_REGION='{region}' exec '{bootstrap}'\n")
    script.chmod(0o755)
    variables = {n: v for n, v in os.environ.items() if not n.startswith(OTHERS)}
    file = folder / "template.json"
    file.write_text(json.dumps({"Resources": {"function": {
        "Type": "AWS::Serverless::Function",
        "Properties": {
            "FunctionName": "function", "CodeUri": str(script), "Handler": "bootstrap",
            "Runtime": "provided.al2023", "Timeout": PATIENCE_SECONDS, "MemorySize": 512,
            "Environment": {"Variables": variables},
        }}}}))
    return file


def endpoint(process):
    """The endpoint of AWS services, which the emulator prints when it is ready."""
    for line in process.stdout:
        if line.startswith("  AWS "):
            return line.split()[1]
    raise SystemExit(f"the emulator ended: {process.stderr.read()}")


def main():
    emulator, bootstrap = sys.argv[1:]
    event = sys.stdin.buffer.read()
    with tempfile.TemporaryDirectory() as folder:
        file = template(pathlib.Path(folder), bootstrap)
        process = subprocess.Popen(
            [emulator, "serve", "--template", file, "--ephemeral", "--no-watch",
             "--port", "0", "--aws-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            url = f"{endpoint(process)}/2015-03-31/functions/function/invocations"
            request = urllib.request.Request(url, data=event)
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                body = answer.read()
        finally:
            process.terminate()
            _, log = process.communicate(timeout=PATIENCE_SECONDS)
            for line in log.splitlines():
                text = line.partition("  ")[2]
                # Only the function's lines: none of the emulator's, and not the error about its
                # end.
                if text.startswith('{"time":') and "runtime_api_next_failed" not in text:
                    print(text, file=sys.stderr)
    sys.stdout.buffer.write(body + b"\n")


if __name__ == "__main__":
    main()
