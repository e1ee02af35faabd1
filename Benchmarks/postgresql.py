"""A PostgreSQL server for row `flows`, which both sides use over its Unix socket."""

import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

import settings
from processes import Process

USER = "bench"
# Debian's user, as which the server runs if the benchmark runs as root.
SYSTEM_USER = "postgres"
START_SECONDS_MAX = 30


class PostgreSQL:
    """Syncs each commit, as PostgreSQL does by default; so do the databases of SQLite."""

    def __init__(self, folder):
        folder.mkdir()
        # The path of a socket must be short, and accessible to the server's user.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="latchkey-bench-", dir="/tmp"))
        self.log = folder / "postgresql.log"
        self.process = None
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise

    def start(self):
        os.chmod(self.folder, 0o755)
        if os.geteuid() == 0:
            user = pwd.getpwnam(SYSTEM_USER)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        subprocess.run(
            as_server([program("initdb"), "--pgdata", self.folder / "data", "--username", USER,
                       "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"]),
            check=True, stdout=subprocess.DEVNULL)
        self.process = Process(
            as_server([program("postgres"), "-D", self.folder / "data", "-c", "listen_addresses=",
                       "-c", f"unix_socket_directories={self.folder}",
                       "-c", "shared_buffers=256MB", "-c", "max_connections=200"]),
            self.log)
        end = time.monotonic() + START_SECONDS_MAX
        while not self.answers("SELECT 1"):
            self.process.must_run()
            if time.monotonic() > end:
                raise TimeoutError("PostgreSQL does not answer")
            time.sleep(0.05)

    def psql(self, sql, database):
        command = [program("psql"), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                   "--set=ON_ERROR_STOP=1", f"--host={self.folder}", f"--username={USER}",
                   f"--dbname={database}", f"--command={sql}"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def answers(self, sql):
        return self.psql(sql, "postgres").returncode == 0

    def run(self, sql, database):
        """The result of a statement, as text."""
        done = self.psql(sql, database)
        if done.returncode != 0:
            raise RuntimeError(f"PostgreSQL: {done.stderr.strip()}")
        return done.stdout.strip()

    def new_database(self, name):
        if not self.answers(f"CREATE DATABASE {name}"):
            raise RuntimeError(f"the database {name} cannot be created")
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def new_store(self, name, latchkey=settings.FUNCTIONS / "latchkey"):
        """The value of `STORE`, with the tables of that executable."""
        url = self.new_database(name)
        subprocess.run(
            [latchkey, "--migrate"], env={"STORE": url}, check=True,
            stdout=subprocess.DEVNULL)
        return url

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def program(name):
    """The path of a program of the newest installed version."""
    versions = sorted(
        pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not versions:
        raise RuntimeError("no PostgreSQL server: run scripts/install-packages test")
    return versions[-1] / name


def as_server(command):
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={SYSTEM_USER}", f"--regid={SYSTEM_USER}", "--clear-groups",
            "--", *command]
