"""The dashboard in Chromium: one browser for all cases, each with a profile of its own, in which no
policy may be violated, no script may fail, and no request may leave the machine."""

import contextlib
import functools
import os
import re
import urllib.parse

from browsers import eventually
from chromium_shell import ONE_PROCESS, shared_chromium
from judge import APP

CONTROL = os.environ["CONTROL_URL"]
PLAYGROUND = os.environ["PLAYGROUND"]
HOSTILE = "<img src=x onerror=\"document.title='hacked'\">"
MILLISECONDS_MAX = 60_000
chromium = functools.partial(shared_chromium, ONE_PROCESS)


class Dashboard:
    """A profile of the browser, and a page of the dashboard."""

    def __init__(self, context):
        self.context = context
        self.problems = []
        self.requests = []
        context.set_default_timeout(MILLISECONDS_MAX)
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("request", lambda request: self.requests.append(request.url))
        self.page = None

    def _heard(self, message):
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(message.text)

    def open(self, place="timeline"):
        page = self.context.new_page()
        page.goto(f"{CONTROL}/#/{place}")
        self._wait(page, place)
        self.page = self.page or page
        return page

    def go(self, place):
        self.page.goto(f"{CONTROL}/#/{place}")
        self._wait(self.page, place)
        return self.page

    @staticmethod
    def _wait(page, place):
        """The screen before has headings too."""
        name = re.split(r"[/?]", place)[0]
        page.locator(f"main .screen.{name} h2:visible").first.wait_for()

    def requests_of(self, title):
        """The rows of the timeline that are called so, the newest first."""
        return self.page.locator(".requests tbody tr").filter(
            has=self.page.get_by_role("link", name=title, exact=True))

    def open_request(self, title, outcome=""):
        """The newest request of that title and outcome, with its calls."""
        self.requests_of(title).filter(has_text=outcome).first.get_by_role("link").click()
        self.page.locator(".waterfall tbody tr").first.wait_for()
        return self.page.locator(".waterfall")

    def check(self):
        assert not self.problems, self.problems
        hosts = {urllib.parse.urlsplit(url).hostname for url in self.requests}
        assert hosts <= {"localhost", "127.0.0.1", None}, hosts


@functools.cache
def everyday():
    """The profile of the cases that need none of their own: its files are kept."""
    shown = Dashboard(chromium().new_context())
    shown.open()
    return shown


@contextlib.contextmanager
def dashboard(place="timeline", **settings):
    """A page that was just opened, in a profile of its own if it has settings or no place yet."""
    if place is not None and not settings:
        shown = everyday()
        shown.page.goto(f"{CONTROL}/#/{place}")
        shown.problems.clear()
        shown.requests.clear()
        shown.page.reload()
        shown.go(place)
        yield shown
        shown.check()
        return
    context = chromium().new_context(**settings)
    try:
        shown = Dashboard(context)
        if place is not None:
            shown.open(place)
        yield shown
        shown.check()
    finally:
        context.close()


def texts(locator):
    return [re.sub(r"\s+", " ", text).strip() for text in locator.all_inner_texts()]


__all__ = [
    "APP", "CONTROL", "HOSTILE", "PLAYGROUND", "Dashboard", "chromium", "dashboard", "eventually",
    "texts"]
