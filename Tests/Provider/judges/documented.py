"""The programs of docs/provider.md."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import requests
import server
from browser import Browser
from client import Client
from ports import free_port
from settings import secret

DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs/provider.md"
ISSUER, APP, NOTES = "http://localhost:8080/id", 9090, 9100


def the_programs_of_the_document_work():
    """Authlib, mcp: the app signs in, and the MCP server takes the tokens that are for it."""
    app, notes = free_port(), free_port()
    resource = f"http://127.0.0.1:{notes}/mcp"
    client = {"client_id": "printer", "client_secret": secret("printer"),
              "redirect_uris": [f"http://127.0.0.1:{app}/back"]}
    here = server.Server("/id", {"OAUTH": "on", "RATE_LIMITS": "off"}, {
        "OAUTH_CLIENTS": [client], "OAUTH_RESOURCES": [
            {"resource": resource, "scopes": {"notes": {"en": "read your notes"}}}]})
    programs = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "clients.json").write_text(json.dumps([client]))
        started = [subprocess.Popen(
            [sys.executable, "-c", text.replace(ISSUER, here.issuer).replace(
                str(APP), str(app)).replace(str(NOTES), str(notes))],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=server.end_with_parent) for text in programs]
        try:
            _signs_in(here, f"http://127.0.0.1:{app}/", started[0])
            _takes_tokens(Client(client | {
                "token_endpoint_auth_method": "client_secret_basic"}, here), resource, started[1])
        finally:
            for process in started:
                process.kill()
                process.communicate()


def _answer(process, method, url, **more):
    """The answer, as soon as there is one."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return requests.request(method, url, allow_redirects=False, timeout=20, **more)
        except requests.ConnectionError:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline, url
            time.sleep(0.05)


def _signs_in(here, url, process):
    answer = _answer(process, "GET", url)
    browser = Browser(here, here.user)
    page = browser.walk(browser.open(answer.headers["Location"]))
    answer = requests.get(page.left, cookies=answer.cookies, timeout=20)
    assert answer.ok and answer.json()["email"] == here.user.email, answer.text


def _takes_tokens(client, url, process):
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "check", "version": "1"}}}
    headers = {"Accept": "application/json, text/event-stream"}
    answer = _answer(process, "POST", url, json=asked, headers=headers)
    challenge = answer.headers["WWW-Authenticate"]
    metadata = requests.get(
        re.search(r'resource_metadata="([^"]+)"', challenge)[1], timeout=20).json()
    assert metadata["resource"] == url, metadata
    assert metadata["authorization_servers"] == [client.server.issuer], metadata
    for changes, status in (({"scope": "notes", "resource": url}, 200), ({"scope": "openid"}, 401)):
        token = client.grant(**changes)["access_token"]
        answer = requests.post(url, json=asked, timeout=20, headers=headers | {
            "Authorization": f"Bearer {token}"})
        assert answer.status_code == status, (answer.status_code, answer.text)
