"""Row `flows`: sign-in and refresh through a route, compared with FastAPI and PyJWT on SQLite and
on PostgreSQL."""

import contextlib
import dataclasses
import json
import secrets
import subprocess
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

import settings
from contenders import HTTPHost, Latchkey, SignInYardstick
from load import Request, WrongAnswers, ask
from postgresql import PostgreSQL
from report import Result, Target, clients

NEW, RETURNING, REFRESH = "sign-in, new person", "sign-in, returning person", "refresh"
FLOWS = (NEW, RETURNING, REFRESH)
CLIENTS = (1, 8)
LISTENING, SQLITE, STUB = "SQLite, --listen", "SQLite", "DynamoDB stub"
# The first serves HTTP itself, as the yardstick does; requests to the others pass the emulator.
WAYS = (LISTENING, SQLITE, STUB)
# The same on PostgreSQL; the yardstick uses the same server.
SERVED_LISTENING, SERVED = "PostgreSQL, --listen", "PostgreSQL"
SERVED_WAYS = (SERVED_LISTENING, SERVED)
# The target of each flow on SQLite, as a multiple of the yardstick's rate. For the stub it is 1.
SQLITE_TIMES = {NEW: 1.5, RETURNING: 1.5, REFRESH: 2}
SERVED_TIMES = {SERVED_LISTENING: 1.5, SERVED: 2}
STUB_TIMES = 1

# More sign-ins in a second than any contender makes; a round ends early if they are used up.
SIGN_INS_A_SECOND_MAX = 2000
WARM_UP_SECONDS = 0.2
# Many, because a build without RATE_LIMITS allows 10 sign-ins of a person and 120 refreshes of a
# session in a minute. The returning users are not the refreshing ones, because the number of
# sessions of a user is limited.
MEMBERS, MEMBERS_QUICK = 512, 128
HOLDERS, HOLDERS_QUICK = 128, 32
SAMPLE_EVERY = 50
IDENTITY_TOKEN_SECONDS = 3600
# The load generator has a shorter time limit itself.
LOAD_GRACE_SECONDS = 60


@dataclasses.dataclass
class Contract:
    """The differences between contracts; `requires` must be in every response."""

    name: str
    algorithm: str
    prefix: str
    requires: tuple
    tells_new: bool
    # Settings that the contract's other functions need in order to start.
    listening: dict = dataclasses.field(default_factory=dict)


CONTRACTS = (
    Contract("latchkey", "ES256", "/auth",
             ('"tokenType":"Bearer"', '"expiresIn":', '"expiresAt":', '"user":{'), True,
             {"OMITTED_FUNCTIONS": "credentials,admin-login", "MAIL_URL": "smtp://127.0.0.1:1",
              "MAIL_FROM": "no-reply@example.com", "LINK_BASE": "https://app.example.com"}),
    Contract("whateat", "HS256", "/api/v1/auth",
             ('"expiresIn":', '"expiresAt":', '"user":{'), False),
)


class IdentityProvider:
    """Signs identity tokens with a key that all contenders trust."""

    def __init__(self, folder):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        self.key_file = folder / "jwks.json"
        self.key_file.write_text(json.dumps(
            {"keys": [public | {"kid": "bench", "use": "sig", "alg": "RS256"}]}))
        self.now = int(time.time())

    def sign_in(self, subject):
        """The body of a sign-in; its token can be used once with each contender."""
        claims = {
            "iss": settings.PROVIDER_ISSUER, "aud": settings.PROVIDER_AUDIENCE, "sub": subject,
            "iat": self.now, "exp": self.now + IDENTITY_TOKEN_SECONDS,
            "jti": secrets.token_hex(8), "email": email(subject), "email_verified": True}
        token = jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "bench"})
        return json.dumps(
            {"provider": settings.PROVIDER, "idToken": token}, separators=(",", ":"))

    def write_bodies(self, file, subjects):
        file.write_text("".join(f"{self.sign_in(subject)}\n" for subject in subjects))
        return file


def email(subject):
    return f"{subject}@example.com"


class Bodies:
    """Files of sign-ins, created before measuring; the same for every contender."""

    def __init__(self, bench, folder):
        provider = IdentityProvider(folder)
        members, holders = (
            [f"{kind}-{number}" for number in range(few if bench.is_quick else many)]
            for kind, many, few in (
                ("member", MEMBERS, MEMBERS_QUICK), ("holder", HOLDERS, HOLDERS_QUICK)))
        self.keys = provider.key_file
        self.holders = {email(holder) for holder in holders}
        self.first = provider.write_bodies(folder / "first", members + holders)
        self.rounds = {}
        count = int(SIGN_INS_A_SECOND_MAX * (bench.seconds + WARM_UP_SECONDS))
        # Continue with the known accounts after those of the previous round.
        turn = 0
        for connections in CLIENTS:
            for number in range(bench.rounds):
                if wanted(bench, NEW, connections):
                    self.rounds[NEW, connections, number] = provider.write_bodies(
                        folder / f"new-{connections}-{number}",
                        [f"new-{connections}-{number}-{one}" for one in range(count)])
                if wanted(bench, RETURNING, connections):
                    self.rounds[RETURNING, connections, number] = provider.write_bodies(
                        folder / f"returning-{connections}-{number}",
                        [members[(turn + one) % len(members)] for one in range(count)])
                    turn += count


class Side:
    """A running server, and the accounts that have signed in."""

    def __init__(self, contender, contract, prefix, key, folder):
        self.contender = contender
        self.contract = contract
        self.prefix = prefix
        self.key = key
        self.answers = folder / "answers"
        self.tokens = folder / "tokens"
        self.user_ids = {}

    def prepare(self, bodies):
        """Signs in all accounts for the rounds of known accounts and of refreshes."""
        self.contender.wait_until_ready()
        self.load("signin", 0, "--bodies", bodies.first, "--connections", 8, "--every", 1)
        tokens = []
        for body, answer in self.checked_sample():
            who = self.check_person(body, answer)
            self.user_ids[who] = answer["user"]["id"]
            if who in bodies.holders:
                tokens.append(answer["refreshToken"])
        if len(tokens) != len(bodies.holders):
            raise RuntimeError(f"{self.contender.name}: not everybody could sign in")
        self.tokens.write_text("".join(f"{token}\n" for token in tokens))

    def measures(self, bench, flow, connections, bodies):
        """A function that runs one round per call."""
        numbers = iter(range(bench.rounds))

        def measure():
            number = next(numbers)
            self.contender.must_run()
            limits = ["--connections", connections, "--every", SAMPLE_EVERY]
            if flow == REFRESH:
                figures = self.load("refresh", bench.seconds, "--tokens", self.tokens, *limits)
            else:
                if self.contract.tells_new:
                    limits += ["--require", f'"isNewUser":{json.dumps(flow == NEW)}']
                figures = self.load(
                    "signin", bench.seconds, "--bodies", bodies.rounds[flow, connections, number],
                    *limits)
            if not figures["counted"]:
                raise RuntimeError("no answer came in time")
            self.check_people(flow)
            return figures
        return measure

    def load(self, operation, seconds, *arguments):
        """Runs the load generator and returns its results. Raises for an unexpected response."""
        command = [settings.BUILD / "flows", self.contender.app_port, f"{self.prefix}/{operation}",
                   "--seconds", seconds, "--answers", self.answers, *arguments]
        for text in self.contract.requires:
            command += ["--require", text]
        try:
            done = subprocess.run(
                [str(part) for part in command], capture_output=True, text=True, check=False,
                timeout=seconds + LOAD_GRACE_SECONDS)
        except subprocess.TimeoutExpired as failure:
            raise RuntimeError("the load generator does not end") from failure
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        figures = json.loads(done.stdout)
        if figures["wrong"] or figures["broken"]:
            raise WrongAnswers(figures)
        return figures

    def checked_sample(self):
        """Checks a sample of the last requests and responses, including the access tokens."""
        for line in self.answers.read_text().splitlines():
            body, answer = map(json.loads, line.split("\t"))
            try:
                self.check_session(answer)
            except (jwt.PyJWTError, KeyError, TypeError) as failure:
                raise RuntimeError(
                    f"an access token does not verify: {type(failure).__name__}: {failure}"
                ) from failure
            yield body, answer

    def check_people(self, flow):
        for body, answer in self.checked_sample():
            who = answer["user"]["email"] if flow == REFRESH else self.check_person(body, answer)
            if self.user_ids.get(who) != (None if flow == NEW else answer["user"]["id"]):
                raise RuntimeError(f"{flow}: the answer is about another user: {answer['user']}")

    def check_session(self, answer):
        """Checks that the access token is valid and matches the response."""
        token = answer["accessToken"]
        claims = jwt.decode(
            token, self.key(token), algorithms=[self.contract.algorithm],
            audience=self.contract.name, issuer=settings.ISSUER,
            options={"require": ["iss", "aud", "sub", "iat", "exp", "jti", "sid"]})
        if (claims["sub"] != answer["user"]["id"] or claims["exp"] != answer["expiresAt"]
                or claims["exp"] - claims["iat"] != answer["expiresIn"]):
            raise RuntimeError(f"an access token and its answer differ: {claims}")

    @staticmethod
    def check_person(body, answer):
        """Checks that the account matches the identity token; returns its e-mail."""
        claims = jwt.decode(body["idToken"], options={"verify_signature": False})
        if answer["user"]["email"] != claims["email"]:
            raise RuntimeError(f"another user was signed in: {answer['user']}")
        return claims["email"]


def template(contract):
    """The contract's own template, without the throttling of its API."""
    path = settings.TEMPLATES / f"{contract.name}.json"
    document = json.loads(path.read_text())
    for resource in document["Resources"].values():
        properties = resource.get("Properties", {})
        properties.pop("DefaultRouteSettings", None)
        if "CodeUri" in properties:
            properties["CodeUri"] = str((path.parent / properties["CodeUri"]).resolve())
    return document


def our_environment(contract, keys, secret, **more):
    """The functions' environment: the benchmark's keys, no rate limits, no logging.

    A build that does not know RATE_LIMITS limits each address, which TRUSTED_HOPS lets the load
    generator change with every request.
    """
    return {
        "APPLE_ISSUER": settings.PROVIDER_ISSUER, "APPLE_JWKS_FILE": keys,
        "APPLE_CLIENT_IDS": settings.PROVIDER_AUDIENCE,
        "ID_TOKEN_AGE_SECONDS_MAX": IDENTITY_TOKEN_SECONDS, "TRUSTED_HOPS": 1,
        "RATE_LIMITS": "off", "LOG_LEVEL": "error",
    } | ({"JWT_SECRET": secret} if contract.algorithm == "HS256" else {}) | more


def start_ours(folder, way, contract, keys, secret, server=None, host=HTTPHost):
    folder.mkdir()
    if server:
        name = f"{contract.name}_{SERVED_WAYS.index(way)}_{host.name.split()[0]}"
        more = {"STORE": server.new_store(name, host.executable), "MASTER_KEY": secret}
    else:
        more = {} if way == STUB else {"STORE": f"sqlite:{folder / 'latchkey.db'}"}
    environment = our_environment(contract, keys, secret, **more)
    if way in (LISTENING, SERVED_LISTENING):
        return host(folder, environment | {
            "CONTRACT": contract.name, "ISSUER": settings.ISSUER} | contract.listening)
    file = folder / "environment"
    file.write_text("".join(f"{name}={value}\n" for name, value in environment.items()))
    return Latchkey(
        folder, template=template(contract),
        flags=["--env-file", file, "--parameter", f"Issuer={settings.ISSUER}"])


def published_key(contender):
    """Finds the key of an access token in the published key set."""
    cache = {}

    def key(token):
        if not cache:
            status, body = ask(
                Request("GET", "/.well-known/jwks.json", {}), contender.app_port)
            if status != 200:
                raise RuntimeError(f"the key set could not be read: {status}")
            cache.update({one.key_id: one for one in jwt.PyJWKSet.from_json(body).keys})
        return cache[jwt.get_unverified_header(token)["kid"]]
    return key


def start_yardstick(folder, workers, contract, keys, signing_key, server=None, program="sign_in",
                    **more):
    folder.mkdir()
    file = folder / "signing-key"
    file.write_bytes(signing_key)
    database = str(folder / "yardstick.db")
    if server:
        database = server.new_database(f"{contract.name}_yardstick_{workers}")
        program = "sign_in_postgresql"
    return SignInYardstick(folder, workers, {
        "ALGORITHM": contract.algorithm, "SIGNING_KEY": str(file), "JWKS": str(keys),
        "DATABASE": database, "ISSUER": settings.ISSUER,
        "AUDIENCE": contract.name, "PROVIDER_ISSUER": settings.PROVIDER_ISSUER,
        "PROVIDER_AUDIENCE": settings.PROVIDER_AUDIENCE} | more, program)


def title(flow, contract, way, connections):
    return f"{flow}, {contract.algorithm}, {way}, {clients(connections)}"


def wanted(bench, flow, connections, contracts=CONTRACTS, ways=WAYS + SERVED_WAYS):
    return any(
        bench.wants(title(flow, contract, way, connections))
        for contract in contracts for way in ways)


def flows(bench):
    folder = bench.folder / "flows"
    folder.mkdir()
    bodies = Bodies(bench, folder)

    def are_wanted(contract, ways):
        return any(
            wanted(bench, flow, count, [contract], ways) for flow in FLOWS for count in CLIENTS)

    for contract in CONTRACTS:
        if are_wanted(contract, WAYS):
            compare_contract(bench, folder / contract.name, contract, bodies, WAYS)
    if any(are_wanted(contract, SERVED_WAYS) for contract in CONTRACTS):
        with PostgreSQL(folder / "server") as server:
            for contract in CONTRACTS:
                if are_wanted(contract, SERVED_WAYS):
                    compare_contract(
                        bench, folder / f"{contract.name}-served", contract, bodies, SERVED_WAYS,
                        server)


def compare_contract(bench, folder, contract, bodies, ways, server=None):
    folder.mkdir()
    secret = secrets.token_hex(32)
    private = ec.generate_private_key(ec.SECP256R1())
    is_secret = contract.algorithm == "HS256"
    yardstick_key = secret.encode() if is_secret else private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())
    with contextlib.ExitStack() as stack:
        ours = {}
        for way in ways:
            own = folder / way.replace(" ", "-")
            contender = stack.enter_context(
                start_ours(own, way, contract, bodies.keys, secret, server))
            key = (lambda _: secret) if is_secret else published_key(contender)
            ours[way] = Side(contender, contract, contract.prefix, key, own)
        yardsticks = []
        for workers in (1, 2):
            own = folder / f"yardstick-{workers}"
            contender = stack.enter_context(
                start_yardstick(own, workers, contract, bodies.keys, yardstick_key, server))
            key = (lambda _: secret) if is_secret else lambda _: private.public_key()
            # Its responses contain the fields of all contracts.
            yardsticks.append(Side(contender, contract, "/auth", key, own))
        for side in [*ours.values(), *yardsticks]:
            side.prepare(bodies)
        for flow in FLOWS:
            for connections in CLIENTS:
                compare_flow(bench, contract, flow, connections, bodies, ours, yardsticks)


def compare_flow(bench, contract, flow, connections, bodies, ours, yardsticks):
    """One line for each way to run Latchkey, from the same rounds, beside the faster yardstick."""
    ways = [way for way in ours if bench.wants(title(flow, contract, way, connections))]
    if not ways:
        return
    # With one client a second worker would be idle.
    beside = {side.contender.name: side for side in yardsticks[:connections]}
    sides = {way: ours[way] for way in ways} | beside
    measured = bench.measure(Result("flows", "", "1/s", {}), {
        name: side.measures(bench, flow, connections, bodies) for name, side in sides.items()})
    best = sorted(beside, key=lambda name: measured.median(name) or 0, reverse=True)
    for way in ways:
        if way in SERVED_WAYS:
            target = Target.times_with_tail(SERVED_TIMES[way])
        elif way == STUB:
            target = Target.times(STUB_TIMES)
        else:
            target = Target.times_with_tail(SQLITE_TIMES[flow])
        names = {way: Latchkey.name} | {name: name for name in best}

        def part(found, names=names):
            return {names[name]: found[name] for name in names if name in found}

        bench.add(Result(
            "flows", title(flow, contract, way, connections), "1/s", part(measured.rounds),
            target, part(measured.failures), part(measured.details), shows_tail=True))
