"""Answers one event as a function does, on AWS's own runtime interface emulator.

    rie-bridge.py BOOTSTRAP

Starts the emulator, which is in the package of the SAM CLI, with BOOTSTRAP and the environment of
the fixture, invokes the function with the event of standard input, writes its response, and its log
to standard error.
"""

import ctypes
import importlib.util
import os
import pathlib
import platform
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from ports import free_port

PATIENCE_SECONDS = 30
PR_SET_CHILD_SUBREAPER = 36
INVOCATION = "/2015-03-31/functions/function/invocations"


def emulator():
    folder = importlib.util.find_spec("samcli").submodule_search_locations[0]
    machine = "arm64" if platform.machine() == "aarch64" else platform.machine()
    return pathlib.Path(folder) / f"local/rapid/aws-lambda-rie-{machine}"


def reap():
    """Waits for the emulator and the function, which it leaves to this process."""
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def invoke(port, event):
    """Tries until the emulator listens."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{INVOCATION}", data=event)
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return answer.read()
        except urllib.error.HTTPError:
            raise
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def main():
    bootstrap = sys.argv[1]
    # Otherwise the processes of a killed emulator get another parent, which may not wait for them.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    event = sys.stdin.buffer.read()
    port = free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [emulator(), "--runtime-interface-emulator-address", f"127.0.0.1:{port}",
             "--runtime-api-address", f"127.0.0.1:{free_port()}", bootstrap],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            answer = invoke(port, event)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            reap()
            log.seek(0)
            for line in log.read().decode(errors="replace").splitlines():
                # Only the function's lines: none of the emulator's, and not the error about its
                # end.
                if line.startswith('{"time":') and "runtime_api_next_failed" not in line:
                    print(line, file=sys.stderr)
    sys.stdout.buffer.write(answer + b"\n")


if __name__ == "__main__":
    main()
