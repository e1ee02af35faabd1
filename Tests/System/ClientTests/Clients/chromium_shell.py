"""Chromium without its windows (Debian's chromium-headless-shell): the browser's own engine, for
half of the processor time."""

import atexit
import functools
import os

from playwright.sync_api import sync_playwright

# Without it a tab's first page gets another process, for up to a third of its processor time.
ONE_PROCESS = "--renderer-process-limit=1"


def launch_chromium(playwright, *more):
    return playwright.chromium.launch(
        executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell"),
        args=["--no-sandbox", "--disable-gpu", *more])


@functools.cache
def shared_chromium(*more):
    """One browser for all cases, because it takes seconds to start. It ends with the script."""
    playwright = sync_playwright().start()
    atexit.register(playwright.stop)
    browser = launch_chromium(playwright, *more)
    atexit.register(browser.close)
    return browser
