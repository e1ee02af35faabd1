"""Child processes that end with the benchmark, even if it is killed."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def free_port():
    """A free port, because not all yardsticks can choose one themselves."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A server in its own process group."""

    def __init__(self, command, log, environment=None, directory=None, stdout=None):
        self.began = time.perf_counter()
        self.log = log
        with open(log, "ab") as output:
            self.popen = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL,
                stdout=stdout or output, stderr=output, cwd=directory,
                env={"PATH": "/usr/bin:/bin", "HOME": str(log.parent)} | (environment or {}),
                start_new_session=True,
                preexec_fn=lambda: _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
            )
        self.pid = self.popen.pid

    def must_run(self):
        if self.popen.poll() is not None:
            with open(self.log, errors="replace") as text:
                raise RuntimeError(
                    f"{self.popen.args[0]} ended with {self.popen.returncode}:\n"
                    f"{text.read()[-2000:]}")

    def stop(self, patience=3):
        """SIGTERM first, so that it can end its own children."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(patience)
        if self.popen.stdout:
            self.popen.stdout.close()


def descendants(pid):
    """The process and its descendants."""
    found = []
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        try:
            for thread in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{thread}/children") as children:
                    waiting += [int(child) for child in children.read().split()]
        except OSError:
            continue
    return found


@contextlib.contextmanager
def on_one_processor():
    """All processes started within run on one processor.

    With one client, the processes and threads that work on a request take turns. If they are on
    several processors, each turn wakes a sleeping one, and their placement by the scheduler varies.
    """
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def wait_until_idle(pid, seconds_max=20):
    """Waits until the process has finished what it does in the background after its start."""
    until = time.perf_counter() + seconds_max
    before = -1
    while time.perf_counter() < until:
        spent = _processor_ticks(pid)
        if spent == before:
            return
        before = spent
        time.sleep(0.3)
    raise TimeoutError(f"process {pid} is never idle")


def _processor_ticks(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def processor_seconds(pid):
    """The processor time of the process and its descendants so far."""
    return sum(map(_processor_ticks, descendants(pid))) / os.sysconf("SC_CLK_TCK")


def resident_mebibytes(pid):
    """The memory of a server without the functions that it runs."""
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0
