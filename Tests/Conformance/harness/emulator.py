"""Starts and stops the emulator that is judged.

It verifies signatures, keeps nothing, and has free ports. Its addresses are in the environment.
"""

import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import tempfile
import threading

TEMPLATE = (
    pathlib.Path(__file__).resolve().parents[2] / "System/ClientTests/Templates/storage.json")
KEY = "latchkey"


@contextlib.contextmanager
def running(executable):
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [executable, "serve", "--template", str(TEMPLATE), "--ephemeral", "--no-watch",
             "--strict", "--port", "0", "--aws-port", "0"],
            cwd=home, env={"PATH": "/usr/bin:/bin", "TZ": "UTC"}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=_end_with_parent)
        try:
            os.environ.update(_environment(process, home))
            yield
        finally:
            process.terminate()
            process.wait()


def _end_with_parent():
    """Also if this process is killed (prctl(2), PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _environment(process, home):
    addresses = {}
    said = []
    for line in process.stdout:
        said.append(line)
        words = line.split()
        if len(words) == 2 and words[0] in ("app", "AWS"):
            addresses[words[0]] = words[1]
        if len(addresses) == 2:
            break
    else:
        raise SystemExit("conformance: the emulator has not started:\n" + "".join(said))
    # Later output must be read, or it would wait for that.
    threading.Thread(target=process.stdout.read, daemon=True).start()
    return {
        "APP_URL": addresses["app"], "AWS_ENDPOINT_URL": addresses["AWS"],
        "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY,
        "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": f"{home}/config",
        "AWS_SHARED_CREDENTIALS_FILE": f"{home}/credentials",
    }
