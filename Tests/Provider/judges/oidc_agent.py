"""oidc-agent."""

import contextlib
import os
import pathlib
import re
import subprocess
import tempfile
import time

import requests
import server
from client import Client, good, signed_in
from ports import free_port
from server import main
from settings import AGENT, secret


@contextlib.contextmanager
def _agent(home):
    """The environment of a running agent."""
    environment = {"HOME": home, "PATH": "/usr/bin:/bin", "OIDC_CONFIG_DIR": home, "TMPDIR": home}
    path = pathlib.Path(home, "socket")
    process = subprocess.Popen(
        ["oidc-agent", "--console", "--socket-path", path], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=server.end_with_parent)
    try:
        while process.poll() is None and not path.exists():
            time.sleep(0.01)
        yield environment | {"OIDC_SOCK": str(path)}
    finally:
        process.terminate()
        process.wait()


def a_command_line_signs_in_and_refreshes():
    """oidc-agent: code with PKCE on a loopback port, and a token of a refresh."""
    client = Client("agent")
    _walk(AGENT, "--manual", "--client-id", client.id, "--client-secret", client.secret,
          "--redirect-uri", client.redirect_uri)


def a_command_line_registers():
    """oidc-agent: the same with a registration."""
    port = free_port()
    _walk(port, "--access-token", secret("registration"), "--port", str(port))


def a_command_line_without_a_browser_signs_in():
    """oidc-agent: the device grant, with the code of the page."""
    client = Client("agent")
    _walk(None, "--manual", "--client-id", client.id, "--client-secret", client.secret,
          "--redirect-uri", client.redirect_uri, flow="device")


def _walk(port, *arguments, flow="code"):
    with tempfile.TemporaryDirectory() as home, _agent(home) as environment:
        command = ["oidc-gen", "--iss", main().issuer, *arguments, "--flow", flow,
                   "--scope", "openid email offline_access", "--prompt", "none", "--no-scheme",
                   "--pw-cmd", "echo x", "--no-url-call", "--confirm-yes", "check"]
        with subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, preexec_fn=server.end_with_parent) as process:
            said = []
            for line in process.stdout:
                said.append(line)
                if found := re.search(r"http\S+/oauth/authorize\?\S+", line):
                    browser = signed_in()
                    left = browser.walk(browser.open(found[0])).left
                    assert left and left.startswith(f"http://localhost:{port}"), left
                    requests.get(left, timeout=60)
                elif found := re.search(r"\b[A-Z]{4}-[A-Z]{4}\b", line):
                    signed_in().connect(found[0])
        assert process.returncode == 0, "".join(said)
        tokens = [subprocess.run(
            ["oidc-token", *more, "check"], env=environment, text=True, check=True,
            stdout=subprocess.PIPE).stdout.strip() for more in ([], ["--force-new"])]
    assert tokens[0] != tokens[1] and os.path.sep not in tokens[0], tokens
    for token in tokens:
        assert good(Client("cli").userinfo(token))["email"] == main().user.email
