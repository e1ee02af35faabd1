"""A tab of Firefox or WebKit for the pages, with the names that Playwright has for the same."""

import base64
import contextlib
import fnmatch
import os
import pathlib

from browsers import browser, eventually

SCREENSHOTS = os.environ.get("SCREENSHOTS")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Tab:
    def __init__(self, app):
        self.app, self.tab = app, app.open("about:blank")

    def do(self, command, **parameters):
        return self.app.do(self.tab, command, **parameters)

    @property
    def url(self):
        return self.do("url")

    def goto(self, url):
        self.do("go", url=url)

    def find(self, selector):
        """All elements of a CSS selector, or `text=` and the whole text of a button or link."""
        using = "css selector"
        if selector.startswith("text="):
            using, text = "xpath", selector[5:]
            selector = ("//*[self::button or self::a or self::summary]"
                        f"[normalize-space()='{text}']")
        return [found[ELEMENT] for found in self.do("find", using=using, value=selector)]

    def _on(self, selector, command, **parameters):
        """Does it with the first element, as soon as there is one and the page stays."""
        def attempt():
            try:
                found = self.find(selector)
                return (self.do(command, id=found[0], **parameters),) if found else None
            except RuntimeError as error:
                # The page was left meanwhile.
                assert "stale" in str(error) or "no such" in str(error), error
                return None
        return eventually(attempt)[0]

    def fill(self, selector, text):
        self._on(selector, "clear")
        self._on(selector, "type", text=text)

    def click(self, selector):
        self._on(selector, "click")

    def text_content(self, selector):
        return self._on(selector, "text")

    def wait_for_text(self, selector, text):
        eventually(lambda: text in self.text_content(selector) or None)

    def is_visible(self, selector):
        return any(self.do("is shown", id=found) for found in self.find(selector))

    def wait_for_url(self, pattern):
        """As in a shell, but that "?" is itself."""
        pattern = pattern.replace("?", "[?]")
        eventually(lambda: fnmatch.fnmatchcase(self.url, pattern) or None)

    def picture(self, name):
        # WebKit under Xvfb may never answer.
        if SCREENSHOTS and self.app.name == "firefox":
            path = pathlib.Path(SCREENSHOTS) / f"{self.app.name}-{name}.png"
            path.write_bytes(base64.b64decode(self.do("picture")))


@contextlib.contextmanager
def tab(name, **settings):
    """A tab of a new browser."""
    with browser(name, **settings) as app:
        yield Tab(app)
