"""A browser without scripts: cookies, redirects within the issuer's origin, and forms."""

import html.parser
import urllib.parse

import requests

from settings import PASSWORD


class _Parser(html.parser.HTMLParser):
    """The forms and the text of a page."""

    def __init__(self, source):
        super().__init__()
        self.forms, self.words, self._form, self._hidden = [], [], None, 0
        self.feed(source)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self._form = {"action": found.get("action", ""), "fields": {}, "buttons": []}
            self.forms.append(self._form)
        elif tag in ("style", "script"):
            self._hidden += 1
        elif self._form is not None and tag in ("input", "button") and found.get("name"):
            pair = found["name"], found.get("value", "")
            if tag == "button" or found.get("type") == "submit":
                self._form["buttons"].append(pair)
            elif found.get("type") not in ("checkbox", "radio") or "checked" in found:
                self._form["fields"][pair[0]] = pair[1]

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        elif tag in ("style", "script"):
            self._hidden -= 1

    def handle_data(self, data):
        if not self._hidden:
            self.words.append(data)


class Page:
    """An answer: of the server, or a redirect that leaves it (`left`, with its parameters)."""

    def __init__(self, answer, origin):
        self.status, self.headers, self.url = answer.status_code, answer.headers, answer.url
        location = answer.headers.get("Location")
        self.location = location and urllib.parse.urljoin(answer.url, location)
        inside = self.location and (self.location + "/").startswith(origin + "/")
        self.left = None if inside else self.location
        parsed = _Parser(answer.text)
        self.forms, self.text, self.source = parsed.forms, parsed.text, answer.text

    @property
    def answer(self):
        """The parameters of the redirect, each of which may be there once."""
        assert self.left, f"no redirect to the client: {self}"
        parts = urllib.parse.urlsplit(self.left)
        assert "#" not in self.left, self.left
        pairs = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    def form(self, name):
        """The first form with a field or button of this name."""
        return next((form for form in self.forms
                     if name in form["fields"] or name in dict(form["buttons"])), None)

    def __repr__(self):
        return f"{self.status} {self.url} -> {self.location}: {self.text[:400]}"


class Browser:
    def __init__(self, server, user=None, language="en"):
        self.server, self.user = server, user
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Accept-Language"] = language
        # How often it has signed in, and decided about consent.
        self.sign_ins = self.consents = 0

    def send(self, method, url, **more):
        """One request."""
        answer = self.session.request(method, url, allow_redirects=False, timeout=60, **more)
        return Page(answer, self.server.origin)

    def open(self, url, method="GET", **more):
        if not url.startswith("http"):
            url = self.server.issuer + url
        page = self.send(method, url, **more)
        for _ in range(8):
            if page.location is None or page.left:
                return page
            assert page.status in (302, 303), page
            page = self.send("GET", page.location)
        raise AssertionError(f"too many redirects: {page}")

    def submit(self, page, form, button=None, **fields):
        """Sends a form of the page, whose origin a browser states."""
        values = form["fields"] | dict([button] if button else []) | fields
        url = urllib.parse.urljoin(page.url, form["action"])
        return self.open(
            url, "POST", data=values, headers={"Origin": self.server.origin, "Referer": page.url})

    def decide(self, page, decision):
        form = page.form("decision")
        assert ("decision", decision) in form["buttons"], form
        self.consents += 1
        return self.submit(page, form, ("decision", decision))

    def walk(self, page, decision="allow"):
        """Signs in and decides, until the browser leaves; without a decision, until its page."""
        for _ in range(6):
            if page.left:
                break
            if page.form("decision"):
                if decision is None:
                    break
                page = self.decide(page, decision)
            elif form := page.form("password") or page.form("currentPassword"):
                self.sign_ins += 1
                values = {"email": self.user.email, "password": PASSWORD,
                          "currentPassword": PASSWORD}
                page = self.submit(page, form, **{
                    name: value for name, value in values.items() if name in form["fields"]})
            else:
                break
        return page

    def sign_in(self):
        page = self.walk(self.open("/auth/ui/signin"))
        assert self.user.email in page.text, page
        self.sign_ins = 0
        return self

    def typed(self, code, page=None):
        """The page after the code of a device."""
        page = page or self.open("/oauth/device")
        return self.submit(page, page.form("user_code"), user_code=code)

    def connect(self, code, decision="allow"):
        """Types the code of a device, and decides."""
        return self.decide(self.typed(code), decision)

    def copy(self):
        """Another browser with the same cookies."""
        made = Browser(self.server, self.user)
        made.session.headers.update(self.session.headers)
        made.session.cookies.update(self.session.cookies)
        return made
