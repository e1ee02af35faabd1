"""Runs the command blocks of the documents as written, in a copy of the repository.

A block succeeds if its shell does (`set -eu -o pipefail`), if it prints what the comments after its
`curl` lines say, and, where it starts a server, if that server gets ready and ends when it is asked
to. A command that would compile the product or run for minutes is checked without running it: see
document_sandbox.py.
"""

import json
import pathlib
import re

from document_sandbox import Sandbox
from judge import case, run

ROOT = pathlib.Path(__file__).resolve().parents[4]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "Events/*.md", "Benchmarks/*.md", "Web/*.md",
                    "Deployments/**/*.md", "Examples/**/*.md")
    for path in ROOT.glob(pattern) if path.name != "CHANGELOG.md")

# Blocks that cannot run here: a document, a part of the block's text, the reason.
ELSEWHERE = [
    ("docs/adding.md", "--only session/", "needs the code of the example, and compiles it"),
    ("docs/adding.md", "LATCHKEY_UPDATE_GOLDEN", "compiles a test target and changes its files"),
    ("docs/adding.md", "Contracts/Diary", "compiles the example"),
    ("docs/administration.md", "argon2", "needs a package that only benchmarks install"),
    ("docs/configuration.md", "aws kms", "needs AWS"),
    ("CONTRIBUTING.md", "docker build", "needs a container engine"),
    ("CONTRIBUTING.md", "No account yet", "compiles the change"),
    ("CONTRIBUTING.md", "xargs perl", "compiles the change"),
    ("CONTRIBUTING.md", "git checkout", "undoes the changes"),
    ("docs/audit.md", "journalctl", "needs a machine with systemd"),
    ("docs/client.md", "docker run", "needs a container engine"),
    ("docs/debugging.md", "lldb", "needs a debugger's terminal"),
    ("docs/deploying.md", "scripts/deploy", "needs AWS; tested with stand-ins for sam and aws"),
    ("docs/deploying.md", "--resolve-s3", "needs AWS"),
    ("docs/deploying.md", "inviteFirstAdministrator", "needs AWS"),
    ("docs/deploying.md", "photos/template.yaml", "needs the reader's template"),
    ("docs/deploying.md", "/photos -H", "needs the reader's template"),
    ("docs/deploying.md", "LatchkeyStack=latchkey", "needs AWS"),
    ("docs/deploying.md", "aws secretsmanager", "needs AWS"),
    ("docs/deploying.md", "terraform init", "needs AWS"),
    ("docs/deploying.md", "sam delete", "needs AWS"),
    ("docs/deploying.md", "aws acm", "needs AWS"),
    ("docs/deploying.md", "aws sesv2", "needs AWS"),
    ("docs/deploying.md", "podman pull", "needs a container engine"),
    ("docs/deploying.md", "docker run", "needs a container engine"),
    ("docs/deploying.md", "docker compose", "needs a container engine"),
    ("docs/deploying.md", "kubectl", "needs a cluster"),
    ("docs/emulator.md", "docker build", "needs a container engine"),
    ("docs/emulator.md", "container build", "needs Apple's container"),
    ("docs/emulator.md", "emulator serve --host 0.0.0.0", "listens on every address"),
    ("docs/emulator.md", "docker run --rm", "needs a container engine"),
    ("docs/emulator.md", "pip install boto3", "installs from PyPI; its server runs below"),
    ("docs/mcp-on-lambda.md", "pip install \"PyJWT", "installs from PyPI; its server runs below"),
    ("docs/mcp-on-lambda.md", "desk.py", "installs from PyPI; Tests/Provider is such a client"),
    ("docs/mcp-on-lambda.md", "uvicorn", "runs on; Tests/Provider runs the program"),
    ("docs/one-machine.md", "apt-get install", "needs a machine with systemd"),
    ("docs/one-machine.md", "admin invite", "needs the Debian package"),
    ("docs/one-machine.md", "systemctl edit", "needs a machine with systemd"),
    ("docs/one-machine.md", "daemon-reload", "needs a download, and systemd"),
    ("docs/one-machine.md", "latchkey-backup", "needs a machine with systemd"),
    ("docs/one-machine.md", "systemctl stop", "needs a machine with systemd"),
    ("docs/operating.md", "invoke()", "needs a deployment in AWS"),
    ("docs/operating.md", "$AUDIT_FUNCTION", "needs a deployment in AWS"),
    ("docs/operating.md", "SECRET=…", "needs a deployment in AWS"),
    ("docs/operating.md", "systemd-run", "needs a machine with systemd"),
    ("docs/operating.md", "systemctl restart", "needs a machine with systemd"),
    ("docs/operating.md", "latchkey_owner@db.example.com", "needs the reader's PostgreSQL"),
    ("docs/operating.md", "aws dynamodb restore", "needs AWS"),
    ("docs/operating.md", "cd /var/lib/latchkey", "needs the Debian package"),
    ("docs/operating.md", "latchkey restore latchkey-2026", "needs a server that is stopped"),
    ("docs/operating.md", "STORE=dynamodb:latchkey", "needs AWS"),
    ("docs/provider.md", "oauth/introspect", "needs that server; Tests/Provider asks"),
    ("docs/releasing.md", "git tag --sign", "needs the maintainers' key"),
    ("docs/releasing.md", "gpg --verify", "needs a download"),
    ("docs/store-costs.md", "--costs", "replays every fixture; OtherStoreReplayTests does it"),
    ("README.md", "tar -xzf", "needs a download"),
    ("Benchmarks/README.md", "--strip-debug", "compiles the product"),
    ("Benchmarks/README.md", "perf record", "needs a build with symbols"),
]


class Block:
    def __init__(self, document, line, text):
        self.document, self.line, self.text = document, line, text

    def __str__(self):
        return f"{self.document}:{self.line}"

    @property
    def expected(self):
        """What the comments after the block's `curl` lines say that they print."""
        for comment in re.findall(r"^curl .*?  +# (\S.*)$", self.text, re.MULTILINE):
            try:
                yield json.loads(comment)
            except ValueError:
                pass


def blocks(document):
    text = (ROOT / document).read_text()
    for found in re.finditer(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(document, text.count("\n", 0, found.start()) + 1, found.group(1))


ALL = [block for document in DOCUMENTS for block in blocks(document)]


def reason(block):
    return next(
        (reason for document, part, reason in ELSEWHERE
         if document == block.document and part in block.text), None)


def values(text):
    """The JSON values that an output consists of."""
    decoder, position = json.JSONDecoder(), 0
    while position < len(text):
        try:
            value, position = decoder.raw_decode(text, position)
            yield value
        except ValueError:
            position += 1


@case
def every_block_that_cannot_run_here_exists():
    unused = [
        (document, part) for document, part, _ in ELSEWHERE
        if not any(block.document == document and part in block.text for block in ALL)]
    assert not unused, f"no block has {unused}"
    assert len(ALL) > 2 * len(ELSEWHERE), len(ALL)


@case
def a_block_that_fails_or_does_nothing_is_noticed():
    for text in ("false | true", "true", "echo $UNSET", "make nonsense", "emulator nonsense",
                 "latchkey --listen 127.0.0.1:8080 --nonsense", "scripts/test NonsenseTests",
                 "scripts/swift test --filter NonsenseTests"):
        assert SANDBOX.problem(text + "\n"), f"{text}: no problem noticed"


def check(document):
    def documented():
        problems = []
        for block in ALL:
            if block.document != document:
                continue
            if reason(block):
                problem = SANDBOX.syntax_problem(block.text)
            else:
                problem = SANDBOX.problem(block.text)
                missing = [value for value in block.expected
                           if value not in list(values(SANDBOX.output))]
                problem = problem or (missing and f"not printed: {missing}")
            if problem:
                problems.append(f"{block}\n{block.text}{problem}")
        assert not problems, "\n" + "\n\n".join(problems)

    documented.__name__ = "the_commands_of_" + re.sub(r"\W", "_", document)
    case(documented)


for name in sorted({block.document for block in ALL}):
    check(name)

with Sandbox(ROOT) as SANDBOX:
    run()
