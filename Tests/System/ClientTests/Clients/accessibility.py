"""axe, which checks the accessibility of a page. Where the security policy would stop its script,
the page's profile needs `bypass_csp`."""

from axe_playwright_python.base import AXE_SCRIPT

# Rules that a page can break when it is shown in other colours, and in another language.
COLOURS = {"runOnly": ["color-contrast"]}
WORDS = {"rules": {"color-contrast": {"enabled": False}}}


def check_axe(page, name, rules=None):
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("""rules => axe.run(document, {resultTypes: ['violations'], ...rules})
        .then(({violations}) => violations.map(
            ({id, nodes}) => [id, nodes.map(({html}) => html)]))""", rules or {})
    assert not found, (name, found)
