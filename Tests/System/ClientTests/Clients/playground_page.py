"""The playground in a browser (BROWSER): its page, and what mails and traces say."""

import os
import time
import urllib.request
import uuid

import browsers
from judge import APP
from people import PASSWORD, http

PAGE = os.environ["PLAYGROUND"]
NAME = os.environ["BROWSER"]
# Selectors within a device's part of the page.
FIND = ("const device = document.getElementById(`device-${args[0]}`).closest('section');"
        "const find = (selector) => device.querySelector(selector);")
HOSTILE = "<img src=x onerror=\"document.title='hacked'\">"


def eventually(value):
    """As `browsers.eventually`. While a page is left, its script cannot be run."""
    return browsers.eventually(value, passing=Exception)


class Playground:
    def __init__(self, app):
        self.app = app
        self.tab = self.opened(PAGE)

    def opened(self, url):
        tab = self.app.open(url)
        self.shown(tab)
        return tab

    def reload(self):
        self.app.reload(self.tab)
        self.shown(self.tab)

    def shown(self, tab):
        """Waits until its script has made the page."""
        eventually(lambda: self.ask("phone", "return find('.who').textContent || null;", tab=tab))

    def ask(self, device, body, *args, tab=None):
        return self.app.run(tab or self.tab, FIND + body, device, *args)

    def who(self, device, tab=None):
        return self.ask(device, "return find('.who').textContent;", tab=tab)

    def says(self, device, tab=None):
        """The outcome of the last step."""
        return eventually(lambda: self.ask(
            device, "return find('.says').textContent || null;", tab=tab))

    def press(self, device, action, **values):
        self.ask(device, """
            const button = find(`button[data-do=${args[1]}]`)
                ?? find(`form[data-do=${args[1]}] button:not([data-do])`);
            for (const [name, value] of Object.entries(args[2])) {
                button.form.elements[name].value = value;
            }
            button.click();""", action, values)

    def does(self, device, action, **values):
        self.press(device, action, **values)
        return self.says(device)

    def registered(self, device):
        """Signs a new account with PASSWORD in, and returns its address."""
        email = address()
        self.does(device, "register", email=email, password=PASSWORD)
        says = self.does(device, "finish", code=mail(email), password=PASSWORD)
        assert says == "Welcome.", says
        return email

    def proves(self, device, way, answer=None):
        """Answers the question for a proof, with a code of the page's own app if none is given."""
        self.ask(device, """
            const {way} = find('.proof').elements;
            way.value = args[1];
            way.dispatchEvent(new Event('change'));""", way)
        if answer is None:
            self.ask(device, "find('[data-do=compute]').click();")
            answer = eventually(lambda: self.ask(
                device, "return find('.proof').elements.answer.value || null;"))
        self.ask(device, """
            find('.proof').elements.answer.value = args[1];
            find('.says').textContent = '';
            find('.proof button:not([type])').click();""", answer)
        return self.says(device)

    def statuses(self, device):
        """Those of the requests of the last step."""
        return self.ask(device, """return [...find('article').querySelectorAll('.status')]
            .map(({textContent}) => Number(textContent));""")

    def traces(self, device):
        return self.ask(device, """return [...find('article').querySelectorAll('li > a')]
            .map(({href}) => href);""")

    def sign_in(self, device, provider, email=None, name=None):
        """By the provider's own page."""
        self.press(device, provider)
        self.choose(email, name)
        eventually(lambda: self.who(device) != "Signed out" or None)
        return self.says(device)

    def choose(self, email=None, name=None):
        """An account on the provider's page."""
        self.on_page("button.main")
        self.app.run(self.tab, """
            if (args[0]) {
                document.querySelector('.other').checked = true;
                document.forms[0].elements.new_email.value = args[0];
                document.forms[0].elements.new_name.value = args[1] ?? '';
            }
            document.querySelector('button.main').click();""", email, name)

    def on_page(self, selector):
        eventually(lambda: self.app.run(
            self.tab, "return location.pathname.startsWith('/_idp/')"
            " && Boolean(document.querySelector(args[0])) || null;", selector))


def address():
    return f"{uuid.uuid4()}@example.com"


def mail(to, known=None):
    """The code of the newest mail to the address, if that is not the one in `known`. A mail whose
    first attempt fails is sent again one to two minutes later."""
    deadline = time.monotonic() + 180
    while True:
        code = plain(f"/_emulator/mail/wait/code?to={to}&timeoutSeconds=180")
        if code != known:
            return code
        assert time.monotonic() < deadline, plain(f"/_emulator/mail?to={to}")
        time.sleep(0.05)


def mailed_link(to, part=""):
    """The newest mailed link that contains `part`."""
    return plain(f"/_emulator/mail/wait/link?to={to}&contains={part}&timeoutSeconds=180")


def plain(path):
    with urllib.request.urlopen(APP + path) as answer:
        return answer.read().decode().strip()


def traced(link):
    """The target of a step's link, in the dashboard."""
    status, answer = http("GET", f"/_emulator/traces/{link.rpartition('/#/timeline/')[2]}")
    assert status == 200, answer
    return answer
