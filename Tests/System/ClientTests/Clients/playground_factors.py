"""Cases of the playground: password reset, second factor, step-up."""

import json

from browsers import browser
from judge import case
from people import PASSWORD
from playground_page import NAME, PAGE, Playground, eventually, mail, mailed_link, traced


@case
def a_password_is_reset_by_the_mailed_link_or_code():
    with browser(NAME) as app:
        playground = Playground(app)
        email = playground.registered("phone")
        # By the link, in a tab of its own: it ends the phone's session.
        playground.does("laptop", "forgot", email=email)
        link = mailed_link(email, "reset")
        assert link.startswith(f"{PAGE}/reset-password?token="), link
        tab = playground.opened(link)
        assert app.run(tab, "return location.href;") == PAGE + "/"
        playground.ask("laptop", """
            const form = find('.waiting');
            if (!form.querySelector('.code').hidden) throw new Error('asks for a code');
            form.elements.password.value = args[1];
            form.querySelector('button').click();""", PASSWORD + "2", tab=tab)
        says = playground.says("laptop", tab)
        assert says.startswith("The password is new"), says
        playground.reload()
        playground.does("phone", "refresh")
        assert playground.statuses("phone") == [401]
        says = playground.does("laptop", "logIn", email=email, password=PASSWORD)
        assert says.startswith("INVALID_CREDENTIALS"), says
        says = playground.does("laptop", "logIn", email=email, password=PASSWORD + "2")
        assert says == "Welcome.", says
        # By the code of another mail.
        old = mail(email)
        playground.does("phone", "forgot", email=email)
        assert len(playground.traces("phone")) == 1
        code = mail(email, known=old)
        says = playground.does("phone", "finish", code=code, password=PASSWORD + "3")
        assert says.startswith("The password is new"), says
        assert "password3" not in app.run(playground.tab, "return JSON.stringify(sessionStorage);")


@case
def an_authenticator_app_is_set_up_and_asked_for():
    with browser(NAME) as app:
        playground = Playground(app)
        email = playground.registered("phone")
        playground.does("phone", "enrol")
        size = eventually(lambda: playground.ask(
            "phone", "return find('.factor img').naturalWidth || null;"))
        assert size > 20, size
        secret = playground.ask("phone", "return find('.factor code').textContent;")
        says = playground.proves("phone", "code", "000000")
        assert says.startswith("WRONG_CODE"), says
        says = playground.proves("phone", "code")
        assert says.startswith("On."), says
        assert len(playground.traces("phone")) == 1
        assert "totp/confirm" in json.dumps(traced(playground.traces("phone")[0]))
        codes = playground.ask(
            "phone", "return [...find('.codes').children].map(({textContent}) => textContent);")
        assert len(codes) == 10 == len(set(codes)), codes
        kept = app.run(playground.tab, "return JSON.stringify(sessionStorage);")
        assert not [one for one in (secret, PASSWORD, *codes) if one in kept], kept
        playground.does("phone", "signOut")
        assert not playground.ask("phone", "return find('.factor').childElementCount;")

        # The app's code, then a recovery code, which cannot be used again.
        assert "second factor" in playground.does("phone", "logIn", email=email, password=PASSWORD)
        assert playground.who("phone") == "Signed out"
        assert playground.proves("phone", "code") == "Welcome."
        assert playground.who("phone") == email
        playground.does("laptop", "logIn", email=email, password=PASSWORD)
        assert playground.proves("laptop", "recoveryCode", codes[0]) == "Welcome."
        playground.does("laptop", "signOut")
        playground.does("laptop", "logIn", email=email, password=PASSWORD)
        says = playground.proves("laptop", "recoveryCode", codes[0])
        assert says.startswith("WRONG_CODE"), says
        # Without it the password is enough again.
        playground.does("phone", "unenrol")
        assert playground.proves("phone", "recoveryCode", codes[1]) == "Off."
        playground.does("laptop", "logIn", email=email, password=PASSWORD)
        assert playground.who("laptop") == email


@case
def a_trusted_device_proves_more_before_a_sensitive_change():
    with browser(NAME) as app:
        playground = Playground(app)
        email = playground.registered("phone")
        # Unlike registering, it names the device.
        playground.does("phone", "signOut")
        playground.does("phone", "logIn", email=email, password=PASSWORD)
        playground.does("phone", "enrol")
        playground.proves("phone", "code")
        codes = playground.ask(
            "phone", "return [...find('.codes').children].map(({textContent}) => textContent);")
        playground.does("phone", "trust")
        assert playground.proves("phone", "code").startswith("Trusted."), playground.says("phone")
        playground.does("phone", "signOut")
        says = playground.does("phone", "logIn", email=email, password=PASSWORD)
        assert says == "Welcome.", says
        says = playground.does("phone", "deleteAccount")
        assert says.startswith("Refused for now"), says
        assert playground.statuses("phone") == [403]
        says = playground.proves("phone", "password", PASSWORD)
        assert says.startswith("SECOND_FACTOR_REQUIRED") or "factor" in says.lower(), says
        playground.proves("phone", "recoveryCode", codes[0])
        eventually(lambda: playground.who("phone") == "Signed out" or None)
        assert playground.says("phone").startswith("Deleted"), playground.says("phone")
        titles = playground.ask("phone", """return [...device.querySelectorAll('article h4')]
            .map(({textContent}) => textContent).slice(0, 4);""")
        assert titles == [
            "Delete the account", "Prove who you are", "Prove who you are", "Delete the account"
        ], titles
        assert len(playground.traces("phone")) == 1
