"""A copy of the repository in which the commands of the documents run."""

import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from ports import free_port

EXECUTABLES = pathlib.Path(os.environ["EXECUTABLES"])
# A block that hangs is ended after this; the slowest one needs ten seconds on an idle machine.
BLOCK_SECONDS_MAX = 400
SERVER_SECONDS_MAX = 120
# A line that starts a server, with its continuation lines.
SERVER = re.compile(
    r"^[^\n#]*(?:--listen|emulator serve|latchkey serve|http\.server)\b"
    r"(?:[^\n]*\\\n)*[^\n]*\n", re.MULTILINE)

# Commands that would compile, install or run for minutes: each checks what can be checked without.
INSTEAD = {
    "bin/make": """
        /usr/bin/make --dry-run "$@" >/dev/null && echo "make $*: dry run" """,
    "scripts/build": """
        [ "$1" != --debug ] || shift
        for part in "$@"; do
            case $part in
            functions | emulator | tests) ;;
            example-*) [ -f "Examples/${part#example-}/template.json" ] ;;
            *) echo "no part '$part'" >&2 && exit 2 ;;
            esac
        done
        echo "build $*: dry run" """,
    "scripts/test": """
        tested="$*"
        while [ $# -gt 0 ]; do
            case $1 in
            --filter)
                shift
                grep -rqF --include='*.swift' -e "struct $1 " -e "func \\`$1" Tests ||
                    { echo "no test '$1'" >&2; exit 2; } ;;
            *Tests)
                [ -n "$(compgen -G "Tests/*/$1")" ] ||
                    { echo "no target '$1'" >&2; exit 2; } ;;
            *) echo "unknown argument '$1'" >&2 && exit 2 ;;
            esac
            shift
        done
        echo "test $tested: dry run" """,
    "scripts/swift": """
        case $1 in
        run)
            shift
            [ "$1" != --quiet ] || shift
            program=$1 && shift
            # Minutes of simulation become steps.
            words=$(sed -E 's/--minutes [0-9]+/--steps 2000/' <<<"$*")
            [[ " $words" = *" --"@(steps|seed)" "* ]] || words+=" --steps 2000"
            status=0
            ".build/release/$program" $words || status=$?
            # A planted bug that is found is a failure.
            [[ $words != *--mutation* || $status != 1 ]] || status=0
            exit "$status" ;;
        test) exec scripts/test "${@:2}" ;;
        *) echo "swift $1: not known here" >&2 && exit 2 ;;
        esac """,
    ".ci/run": "echo 'ci: dry run'",
    # It would judge the scripts of this table, too.
    "scripts/lint-format": "echo 'lint-format: dry run'",
}
# Programs whose work takes minutes: their flags must be in their --help.
SLOW = ["scripts/bench", "scripts/startup-cost", "scripts/bench-dashboard", "scripts/bench-pages"]
FLAGS_ONLY = """
        for word in "$@"; do
            [[ $word != --* ]] || grep -qe "$word" "$0.original" ||
                { echo "$0 has no flag $word" >&2; exit 2; }
        done
        echo "$0 $*: dry run" """


class Sandbox:
    def __init__(self, root):
        self.root = root
        self.output = ""
        self.servers = []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="documents"))
        self.home = self.folder / "home"
        self.copy = self.folder / "latchkey"
        self.home.mkdir()
        self.copy_files()
        for name, script in INSTEAD.items():
            self.program(name, script)
        for name in SLOW:
            path = self.copy / name
            path.rename(path.with_name(path.name + ".original"))
            self.program(name, FLAGS_ONLY)
        for name in "emulator", "latchkey":
            (self.copy / "bin" / name).symlink_to(EXECUTABLES / name)
        self.ports = {}
        self.variables = {}
        return self

    def __exit__(self, *error):
        for server in self.servers:
            end(server)
        shutil.rmtree(self.folder, ignore_errors=True)

    def copy_files(self):
        listed = subprocess.run(
            ["git", "-C", self.root, "ls-files", "-z"], capture_output=True, text=True, check=False)
        names = listed.stdout.split("\0")[:-1] or [
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*")
            if path.is_file() and path.relative_to(self.root).parts[0] not in (
                ".build", ".venv", ".cache", ".git")]
        for name in names:
            if (self.root / name).is_file():
                place = self.copy / name
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.root / name, place)
        (self.copy / ".build").mkdir()
        for name in "release", "debug":
            (self.copy / ".build" / name).symlink_to(EXECUTABLES)
        (self.copy / "bin").mkdir()
        git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.com", "-C", self.copy]
        for command in ["init", "-q"], ["add", "-A"], ["commit", "-qm", "copy"]:
            subprocess.run([*git, *command], check=True, capture_output=True)

    def program(self, name, script):
        path = self.copy / name
        path.write_text("#!/bin/bash\nset -euo pipefail\n" + script + "\n")
        path.chmod(0o755)

    def environment(self):
        path = [self.copy / "bin", pathlib.Path(os.environ["PATH"].split(":")[0])]
        return {
            "PATH": ":".join(map(str, path)) + ":/usr/bin:/bin", "HOME": str(self.home),
            "TMPDIR": str(self.home), "LC_ALL": "C.UTF-8", "GIT_PAGER": "cat",
            "PYTHONUNBUFFERED": "1",
            "AWS_EC2_METADATA_DISABLED": "true", **self.variables}

    def syntax_problem(self, text):
        checked = subprocess.run(
            ["bash", "-n"], input=text, capture_output=True, text=True, check=False)
        return checked.stderr

    def problem(self, text):
        """What is wrong with a block, or nothing."""
        self.output = ""
        text = self.moved(text)
        servers = SERVER.findall(text)
        rest = SERVER.sub("", text)
        problem = self.shell_problem(rest) if rest.strip() else None
        for server in servers if not problem else []:
            # What precedes the only server prepares it, such as `cd`.
            problem = problem or self.server_problem(text if len(servers) == 1 and
                                                     text.endswith(server) else server)
        return problem

    def shell_problem(self, text):
        process = self.start(text)
        try:
            self.output, _ = process.communicate(timeout=BLOCK_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            end(process)
            return f"not finished after {BLOCK_SECONDS_MAX} s"
        if process.returncode:
            return f"status {process.returncode}: {self.output}"
        return None if self.output or quiet(text) else "it prints nothing"

    def moved(self, text):
        """The block with ports that are free here, of servers that it talks to."""
        text = text.replace("emulator serve", "emulator serve --port 0 --aws-port 0 --ephemeral")
        text = re.sub(r"latchkey serve$", "latchkey serve 127.0.0.1:8080", text, flags=re.MULTILINE)
        if "/notes" in text:
            ports = self.emulator("docs/python-example")
        elif "127.0.0.1:8000/mcp" in text:
            ports = self.emulator("docs/mcp-example") if "curl" in text else {}
        elif re.search(
                r"127\.0\.0\.1:800\d|\bemulator (faults|gate|trace|record|audit)\b", text):
            ports = self.emulator(".")
        else:
            ports = {}
        if re.search(r"\$URL\b|latchkey\.db", text):
            self.server()
        for port, moved in ports.items():
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{moved}")
        text = text.replace("http.server 5173", f"http.server {free_port()}")
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{free_port()}")

    def server(self):
        """`latchkey --listen` in the copy, whose address is `$URL`."""
        if "URL" in self.variables:
            return
        url = f"http://127.0.0.1:{free_port()}"
        process = self.start(f"exec {EXECUTABLES}/latchkey --listen {url[7:]}")
        self.servers.append(process)
        self.wait(process, lambda: answers(url + "/_/ready"))
        self.variables["URL"] = url

    def wait(self, process, ready):
        deadline = time.monotonic() + SERVER_SECONDS_MAX
        while not ready() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if not ready():
            end(process)
            raise AssertionError(f"no server: {drain(process)}")

    def emulator(self, folder):
        """An emulator for the folder's template, or Latchkey's: its ports by documented port."""
        if folder in self.ports:
            return self.ports[folder]
        ready = self.home / f"ready{len(self.ports)}"
        template = "" if folder != "." else (
            "--template Functions/Templates/latchkey.json --playground Examples/playground"
            " --executables .build/release")
        server = self.start(
            f"cd {folder}; exec {EXECUTABLES}/emulator serve --port 0 --aws-port 0 --ephemeral"
            f" {template} --ready-file {ready}")
        self.servers.append(server)
        self.wait(server, ready.exists)
        addresses = json.loads(ready.read_text())
        names = {8000: "url", 8001: "awsUrl", 8002: "controlUrl", 8003: "playgroundUrl"}
        self.ports[folder] = {
            port: addresses[name].rsplit(":", 1)[1].rstrip("/")
            for port, name in names.items() if addresses.get(name)}
        if folder == ".":
            self.variables["LATCHKEY_EMULATOR_URL"] = addresses["url"]
            # The last request, for `emulator trace last`.
            answers(addresses["url"] + "/auth/me")
        return self.ports[folder]

    def server_problem(self, text):
        """What is wrong with a server: it must get ready, and end when it is told to."""
        process = self.start(text)
        deadline = time.monotonic() + SERVER_SECONDS_MAX
        ready = False
        while not ready and process.poll() is None and time.monotonic() < deadline:
            self.output += available(process)
            ready = "http://127.0.0.1:" in self.output or '"listening"' in self.output
        if process.poll() is None and ready:
            end(process)
            self.output += drain(process)
            return None
        end(process)
        return f"no server: status {process.returncode}: {self.output}{drain(process)}"

    def start(self, text):
        return subprocess.Popen(
            ["bash", "-eu", "-o", "pipefail", "-c", text], cwd=self.copy, env=self.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True)


def quiet(text):
    """Whether a block only sets variables, redirects its output or makes folders."""
    text = re.sub(r"<<(\w+)\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    silent = re.compile(r"export |[A-Za-z_]+=|.*>|mkdir|umask|cp |cd |perl -pi |sqlite3 |  +")
    return all(silent.match(line) for line in lines)


def answers(url):
    """Whether a server answers, whatever it says."""
    try:
        urllib.request.urlopen(url, timeout=5).close()
        return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def available(process):
    """The output until now, without waiting for more than a moment."""
    readable, _, _ = select.select([process.stdout], [], [], 0.1)
    return os.read(process.stdout.fileno(), 1 << 16).decode(errors="replace") if readable else ""


def drain(process):
    rest = ""
    while process.poll() is None or select.select([process.stdout], [], [], 0)[0]:
        more = os.read(process.stdout.fileno(), 1 << 16).decode(errors="replace")
        if not more:
            break
        rest += more
    return rest


def end(process):
    """Ends a block's processes: politely, then not."""
    for number in signal.SIGTERM, signal.SIGKILL:
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(timeout=5)
            return
        except subprocess.TimeoutExpired:
            pass
