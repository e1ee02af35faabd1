"""Chromium, Firefox and WebKit, each with one profile: tabs, scripts, virtual authenticators."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from chromium_shell import shared_chromium
from ports import free_port

SECONDS_MAX = 60
# Answers what the asynchronous function with this body returns, or throws its error.
WRAPPED = """
const done = arguments[arguments.length - 1];
(async (...args) => { %s })(...arguments[0]).then(
    (value) => done({value: value ?? null}),
    (error) => done({error: `${error.code ?? error.name}: ${error.message}`}));
"""

# Actions of a person in Marionette and in WebDriver (W3C WebDriver section 6). It needs no
# script of the page.
COMMANDS = {
    "go": ("Navigate", "POST /url"),
    "url": ("GetCurrentURL", "GET /url"), "title": ("GetTitle", "GET /title"),
    "find": ("FindElements", "POST /elements"),
    "click": ("ElementClick", "POST /element/{id}/click"),
    "clear": ("ElementClear", "POST /element/{id}/clear"),
    "type": ("ElementSendKeys", "POST /element/{id}/value"),
    "text": ("GetElementText", "GET /element/{id}/text"),
    "is shown": ("IsElementDisplayed", "GET /element/{id}/displayed"),
    "picture": ("TakeScreenshot", "GET /screenshot"),
}


class ScriptError(Exception):
    """An error of the page: its code or name, and its message."""


class Chromium:
    name = "chromium"

    def __init__(self, stack):
        self.context = shared_chromium().new_context()
        stack.callback(self.context.close)

    def open(self, url):
        page = self.context.new_page()
        page.goto(url)
        return page

    def reload(self, page):
        page.reload()

    def run(self, page, body, *args):
        answer = page.evaluate(
            "async (args) => { try { return {value: await (async (...args) => { %s })(...args)} }"
            " catch (error) { return {error: `${error.code ?? error.name}: ${error.message}`} } }"
            % body, list(args))
        return unpacked(answer)

    def add_authenticator(self, page):
        devtools = self.context.new_cdp_session(page)
        devtools.send("WebAuthn.enable", {"enableUI": False})
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal",
            "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True}})


class Firefox:
    """By Marionette, the protocol of its own that geckodriver uses."""

    name = "firefox"
    preferences = {
        "marionette.port": 0, "security.webauth.webauthn_enable_softtoken": True,
        "security.webauth.webauthn_enable_usbtoken": False,
        "browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False,
        "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
    }

    def __init__(self, stack, scripts=True):
        preferences = self.preferences | {"javascript.enabled": scripts}
        profile = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        (profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in preferences.items()))
        start(stack, [
            "firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
            os.environ | {"HOME": str(profile)})
        port = eventually(lambda: int((profile / "MarionetteActivePort").read_text()))
        self.socket = stack.enter_context(
            socket.create_connection(("127.0.0.1", port), SECONDS_MAX))
        self.stream = stack.enter_context(self.socket.makefile("rb"))
        self.count = 0
        self._receive()
        self._send("WebDriver:NewSession", capabilities={"pageLoadStrategy": "normal"})
        self.current = self._send("WebDriver:GetWindowHandle")["value"]
        self.is_used = False

    def _receive(self):
        length = b""
        while (character := self.stream.read(1)) not in (b":", b""):
            length += character
        return json.loads(self.stream.read(int(length)))

    def _send(self, name, **parameters):
        self.count += 1
        message = json.dumps([0, self.count, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, answer = self._receive()
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return answer

    def _switch(self, tab):
        if tab != self.current:
            self._send("WebDriver:SwitchToWindow", handle=tab)
            self.current = tab

    def open(self, url):
        tab = self.current
        if self.is_used:
            tab = self._send("WebDriver:NewWindow", type="tab")["handle"]
        self.is_used = True
        self._switch(tab)
        self._send("WebDriver:Navigate", url=url)
        return tab

    def reload(self, tab):
        self._switch(tab)
        self._send("WebDriver:Refresh")

    def run(self, tab, body, *args):
        self._switch(tab)
        answer = self._send(
            "WebDriver:ExecuteAsyncScript", script=WRAPPED % body, args=[list(args)],
            sandbox=None, scriptTimeout=SECONDS_MAX * 1000)
        return unpacked(answer["value"])

    def do(self, tab, command, **parameters):
        self._switch(tab)
        answer = self._send(f"WebDriver:{COMMANDS[command][0]}", **parameters)
        return answer.get("value") if isinstance(answer, dict) else answer

    def add_authenticator(self, tab):
        self._switch(tab)
        self._send(
            "WebAuthn:AddVirtualAuthenticator", protocol="ctap2_1", transport="internal",
            hasResidentKey=True, hasUserVerification=True, isUserConsenting=True,
            isUserVerified=True)


class WebKit:
    """WebKitGTK's MiniBrowser by WebDriver. It has no WebAuthn: an authenticator of the page."""

    name = "webkit"
    program = next(
        iter(pathlib.Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")), "MiniBrowser")

    def __init__(self, stack, scripts=True):
        home = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        screen = start(
            stack, ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"],
            os.environ, stdout=subprocess.PIPE)
        display = screen.stdout.readline().decode().strip()
        port = free_port()
        start(stack, ["WebKitWebDriver", f"--port={port}"], os.environ | {
            "DISPLAY": f":{display}", "HOME": home, "XDG_RUNTIME_DIR": home,
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "GTK_A11Y": "none",
            "NO_AT_BRIDGE": "1"})
        self.base = f"http://127.0.0.1:{port}"
        eventually(lambda: self._send("GET", "/status")["ready"] or None)
        session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": {
            "webkitgtk:browserOptions": {
                "binary": str(self.program), "args": ["--automation"] + (
                    [] if scripts else ["--enable-javascript-markup=false"])}}}})["sessionId"]
        self.base += f"/session/{session}"
        stack.callback(self._send, "DELETE", "")
        self._send("POST", "/timeouts", {"script": SECONDS_MAX * 1000})
        self.current = self._send("GET", "/window")
        self.is_used = False

    def _send(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, headers={"Content-Type": "application/json"},
            data=None if method != "POST" else json.dumps(body or {}).encode())
        try:
            with urllib.request.urlopen(request, timeout=SECONDS_MAX) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()}") from None

    def _switch(self, tab):
        if tab != self.current:
            self._send("POST", "/window", {"handle": tab})
            self.current = tab

    def open(self, url):
        tab = self.current
        if self.is_used:
            tab = self._send("POST", "/window/new", {"type": "tab"})["handle"]
        self.is_used = True
        self._switch(tab)
        self._send("POST", "/url", {"url": url})
        return tab

    def reload(self, tab):
        self._switch(tab)
        self._send("POST", "/refresh")

    def run(self, tab, body, *args):
        self._switch(tab)
        return unpacked(self._send(
            "POST", "/execute/async", {"script": WRAPPED % body, "args": [list(args)]}))

    def do(self, tab, command, **parameters):
        self._switch(tab)
        method, path = COMMANDS[command][1].split()
        return self._send(method, path.format(**parameters), parameters)

    def add_authenticator(self, tab):
        self.run(tab, "await import('/Tests/Web/pages/authenticator.js');")


def unpacked(answer):
    if "error" in answer:
        raise ScriptError(answer["error"])
    return answer.get("value")


def start(stack, command, environment, stdout=subprocess.DEVNULL):
    """Starts a program, which ends with the stack, and with it what it has started."""
    program = subprocess.Popen(
        command, env=environment, stdout=stdout, stderr=subprocess.DEVNULL, start_new_session=True)

    def end():
        program.terminate()
        try:
            program.wait(10)
        except subprocess.TimeoutExpired:
            pass
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        if program.stdout:
            program.stdout.close()

    stack.callback(end)
    return program


def eventually(value, passing=(OSError, ValueError)):
    """The value, as soon as it can be had. `passing`: errors that end by themselves."""
    deadline = time.monotonic() + SECONDS_MAX
    while True:
        try:
            found = value()
            if found is not None:
                return found
        except AssertionError:
            raise
        except passing:
            if time.monotonic() > deadline:
                raise
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.02)


@contextlib.contextmanager
def browser(name, **settings):
    kind = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}[name]
    with contextlib.ExitStack() as stack:
        yield kind(stack, **settings)
