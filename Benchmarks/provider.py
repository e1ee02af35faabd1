"""Row `provider`: Latchkey as an OpenID provider beside Glewlwyd, with 1 and 8 clients.

Both sync each commit, sign ES256, and know one client with a secret. A code and, with Latchkey, a
refresh gives an ID token, too; only Latchkey replaces the refresh token.
"""

import base64
import contextlib
import hashlib
import http.client
import json
import subprocess
import urllib.parse

import glewlwyd
import settings
from contenders import HTTPHost
from flows import (
    CONTRACTS, IdentityProvider, LOAD_GRACE_SECONDS, WARM_UP_SECONDS, our_environment)
from glewlwyd import Glewlwyd
from limit import Limit
from load import Request, WrongAnswers, ask, replay
from report import Result, Target, clients
from servers import OURS, PASSWORD, ROUNDS_MAX, with_cost

CODE, REFRESH, USERINFO = "code", "refresh of a client", "userinfo"
OPERATIONS = (CODE, REFRESH, USERINFO)
CLIENTS = (1, 8)
TARGETS = {8: Target.times(3)}
# Many, because a user's grants are read with each code.
USERS, USERS_OF_GLEWLWYD = 1024, 32
# More codes in a second than the contender exchanges; a round ends early if they are used up.
CODES_A_SECOND_MAX, CODES_A_SECOND_MAX_OF_GLEWLWYD = 3000, 250
HOLDERS = 64
APP = {"client_id": "app", "client_secret": "the secret of the app, which is long"}
REDIRECT_URI = f"{settings.ISSUER}/back"
VERIFIER = "x" * 43
CHALLENGE = base64.urlsafe_b64encode(
    hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
HOST = urllib.parse.urlsplit(settings.ISSUER).netloc


def code_form(code, client, redirect_uri):
    return urllib.parse.urlencode({
        "grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER,
        "redirect_uri": redirect_uri} | client)


class Provider:
    """A contender, and how it is asked. A subclass has `make_codes` and `redirect_uri`."""

    def __init__(self, contender, folder, path, client, redirect_uri, rate):
        self.contender, self.folder, self.path = contender, folder, path
        self.client, self.redirect_uri, self.rate = client, redirect_uri, rate

    def forms(self, count):
        """A file of as many requests, each with its own code."""
        file = self.folder / "codes"
        file.write_text("".join(
            f"{code_form(code, self.client, self.redirect_uri)}\n"
            for code in self.make_codes(count)))
        return file

    def hold(self):
        """Tokens for the other operations."""
        answers = self.folder / "answers"
        self.load(1, "--bodies", self.forms(HOLDERS), "--form", "", "--answers", answers)
        return [json.loads(line.split("\t")[1]) for line in answers.read_text().splitlines()]

    def load(self, connections, *arguments):
        done = subprocess.run(
            [str(part) for part in (
                settings.BUILD / "flows", self.contender.app_port, self.path,
                "--connections", connections, *arguments)],
            capture_output=True, text=True, check=False, timeout=LOAD_GRACE_SECONDS)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        figures = json.loads(done.stdout)
        if figures["wrong"] or figures["broken"]:
            raise WrongAnswers(figures)
        return figures

    def measures(self, bench, operation, connections):
        if operation == CODE:
            def measure():
                count = int(self.rate * (bench.seconds + WARM_UP_SECONDS))
                file = self.forms(count)
                return with_cost(self.contender, lambda: self.load(
                    connections, "--bodies", file, "--form", "", "--seconds", bench.seconds,
                    "--require", '"id_token":'))()
            return measure
        return with_cost(self.contender, self.other_measure(bench, operation, connections))

    def replays(self, bench, requests, expected, connections):
        def measure():
            figures = replay(
                requests, self.contender.app_port, connections=connections, seconds=bench.seconds,
                expect=expected)
            figures["rate"] = figures["in_time"] / figures["seconds"]
            return figures
        return measure


class OurProvider(Provider):
    def __init__(self, bench, folder, stack):
        folder.mkdir()
        identities = IdentityProvider(folder)
        environment = our_environment(
            CONTRACTS[0], identities.key_file, "", STORE=f"sqlite:{folder / 'latchkey.db'}") | {
                "CONTRACT": CONTRACTS[0].name, "ISSUER": settings.ISSUER, "UI": "on",
                "OAUTH": "on", "OAUTH_CLIENTS": json.dumps([APP | {
                    "token_endpoint_auth_method": "client_secret_post", "first_party": True,
                    "id_token_signed_response_alg": "ES256", "redirect_uris": [REDIRECT_URI],
                    "grant_types": ["authorization_code", "refresh_token"]}])
            } | CONTRACTS[0].listening
        host = stack.enter_context(HTTPHost(folder, environment))
        host.wait_until_ready()
        super().__init__(
            host, folder, "/oauth/token", APP, REDIRECT_URI, CODES_A_SECOND_MAX)
        self.cookies = [self.sign_in(identities, number) for number in range(USERS)]
        self.turn = 0
        held = self.hold()
        self.tokens = folder / "tokens"
        self.tokens.write_text("".join(f"{one['refresh_token']}\n" for one in held))
        self.userinfo = [
            Request("GET", "/oauth/userinfo", {"Authorization": f"Bearer {one['access_token']}"})
            for one in held]

    def sign_in(self, identities, number):
        """The cookie of a new user's session."""
        body = identities.sign_in(f"user-{number}").encode()
        status, answer = ask(Request(
            "POST", "/auth/signin", {"Content-Type": "application/json"}, body),
            self.contender.app_port)
        if status != 200:
            raise RuntimeError(f"sign-in: {status} {answer[:300]!r}")
        tokens = json.loads(answer)
        return f"__Host-latchkey={tokens['refreshToken']}~{tokens['accessToken']}"

    def make_codes(self, count):
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": APP["client_id"], "scope": "openid profile",
            "redirect_uri": REDIRECT_URI, "state": "x", "nonce": "x",
            "code_challenge": CHALLENGE, "code_challenge_method": "S256"})
        connection = http.client.HTTPConnection("127.0.0.1", self.contender.app_port)
        with contextlib.closing(connection):
            for _ in range(count):
                self.turn += 1
                connection.request("GET", f"/oauth/authorize?{query}", None, {
                    "Host": HOST, "Cookie": self.cookies[self.turn % USERS]})
                response = connection.getresponse()
                response.read()
                location = response.getheader("Location") or ""
                found = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)
                if "code" not in found:
                    raise RuntimeError(f"no code: {response.status} {location}")
                yield found["code"][0]

    def other_measure(self, bench, operation, connections):
        if operation == USERINFO:
            return self.replays(bench, self.userinfo, '"sub":"', connections)
        form = urllib.parse.urlencode(APP | {"grant_type": "refresh_token"})
        return lambda: self.load(
            connections, "--tokens", self.tokens, "--form", f"{form}&refresh_token=",
            "--seconds", bench.seconds)


class GlewlwydProvider(Provider):
    def __init__(self, bench, folder, stack):
        folder.mkdir()
        contender = stack.enter_context(Glewlwyd(folder))
        accounts = [f"user-{number}@example.com" for number in range(USERS_OF_GLEWLWYD)]
        contender.prepare(accounts, PASSWORD)
        super().__init__(
            contender, folder, "/api/oidc/token", glewlwyd.CLIENT, settings.ISSUER,
            CODES_A_SECOND_MAX_OF_GLEWLWYD)
        self.cookies = [contender.sign_in(account, PASSWORD) for account in accounts]
        self.turn = 0
        held = self.hold()
        self.requests = {
            REFRESH: ([glewlwyd.refresh_request(one["refresh_token"]) for one in held],
                      '"access_token":"'),
            USERINFO: ([glewlwyd.me_request(one["access_token"]) for one in held], '"sub":"')}

    def make_codes(self, count):
        for _ in range(count):
            self.turn += 1
            yield self.contender.code(self.cookies[self.turn % USERS_OF_GLEWLWYD], CHALLENGE)

    def other_measure(self, bench, operation, connections):
        return self.replays(bench, *self.requests[operation], connections)


class LimitProvider(Provider):
    """What the machine allows: it verifies a signature and reads a row, or writes a page."""

    def __init__(self, bench, folder, stack):
        folder.mkdir()
        contender = stack.enter_context(Limit(folder))
        contender.wait_until_ready()
        super().__init__(contender, folder, "/", {}, "", 0)

    def measures(self, bench, operation, connections):
        requests = self.contender.requests("GET" if operation == USERINFO else "POST")
        return with_cost(self.contender, self.replays(
            bench, requests, '"emailVerified":true', connections))


def provider(bench):
    folder = bench.folder / "provider"
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        started = {OURS: OurProvider(bench, folder / "latchkey", stack)}
        if glewlwyd.is_present():
            started[Glewlwyd.name] = GlewlwydProvider(bench, folder / "glewlwyd", stack)
        started[Limit.name] = LimitProvider(bench, folder / "limit", stack)
        for operation in OPERATIONS:
            for connections in CLIENTS:
                what = f"{operation}, {clients(connections)}"
                if not bench.wants(what):
                    continue
                measured = bench.measure(
                    Result("provider", what, "1/s", {}, TARGETS.get(connections),
                           shows_tail=True, shows_cost=True),
                    {name: one.measures(bench, operation, connections)
                     for name, one in started.items()}, min(bench.rounds, ROUNDS_MAX))
                bench.add(measured)
