"""An app whose tokens are bound to its key (RFC 9449), with PyJWT and cryptography."""

import base64
import contextlib
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile
import time
import uuid

import jwt
from browsers import eventually
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from judge import APP, case, fetch, run
from people import http, mint
from ports import free_port

DOCUMENTS = pathlib.Path(__file__).resolve().parents[4] / "docs"
session = {}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class App:
    """Makes proofs with a key of its own."""

    def __init__(self, algorithm="ES256"):
        self.algorithm = algorithm
        self.key = (
            ec.generate_private_key(ec.SECP256R1()) if algorithm == "ES256"
            else ed25519.Ed25519PrivateKey.generate())
        by_name = jwt.algorithms.get_default_algorithms()[algorithm]
        public = by_name.to_jwk(self.key.public_key(), as_dict=True)
        self.jwk = {name: public[name] for name in ("crv", "kty", "x", "y") if name in public}

    def thumbprint(self):
        text = json.dumps(self.jwk, sort_keys=True, separators=(",", ":"))
        return encoded(hashlib.sha256(text.encode()).digest())

    def proof(self, method, path, token=None, head=(), **claims):
        content = {"jti": str(uuid.uuid4()), "htm": method, "htu": APP + path,
                   "iat": int(time.time())}
        if token:
            content["ath"] = encoded(hashlib.sha256(token.encode()).digest())
        return jwt.encode(
            content | claims, self.key, algorithm=self.algorithm,
            headers={"typ": "dpop+jwt", "jwk": self.jwk} | dict(head))

    def ask(self, method, path, body=None, token=None, proof=None):
        headers = {"DPoP": proof or self.proof(method, path, token)}
        if token:
            headers["Authorization"] = f"DPoP {token}"
        return http(method, path, body, more=headers)

    def sign_in(self, **more):
        body = {"provider": "apple", "idToken": mint(email=f"{uuid.uuid4()}@example.com")}
        return self.ask("POST", "/auth/signin", body, **more)


app, thief = App(), App()


@case
def discovery_names_the_algorithms():
    _, discovery = http("GET", "/.well-known/openid-configuration")
    assert "ES256" in discovery["dpop_signing_alg_values_supported"], discovery


@case
def a_session_is_bound_to_the_key_that_was_proven():
    status, body = app.sign_in()
    assert status == 200 and body["tokenType"] == "DPoP", body
    session.update(body)
    claims = jwt.decode(body["accessToken"], options={"verify_signature": False})
    assert claims["cnf"] == {"jkt": app.thumbprint()}, claims
    status, me = app.ask("GET", "/auth/me", token=body["accessToken"])
    assert status == 200 and me["id"] == body["user"]["id"], me


@case
def without_the_key_an_access_token_is_of_no_use():
    token = session["accessToken"]
    status, answer = http("GET", "/auth/me", token=token)
    assert (status, answer["error"]["code"]) == (401, "DPOP_PROOF_REQUIRED"), answer
    spent = app.proof("GET", "/auth/me", token)
    assert app.ask("GET", "/auth/me", token=token, proof=spent)[0] == 200
    for proof in (
        spent,
        thief.proof("GET", "/auth/me", token),
        app.proof("GET", "/auth/me"),
        app.proof("GET", "/auth/me", token + "x"),
        app.proof("POST", "/auth/me", token),
        app.proof("GET", "/auth/sessions", token),
        app.proof("GET", "/auth/me", token, htu="https://evil.example/auth/me"),
        app.proof("GET", "/auth/me", token, iat=int(time.time()) - 301),
        app.proof("GET", "/auth/me", token, iat=int(time.time()) + 90),
        "garbage",
    ):
        status, answer = app.ask("GET", "/auth/me", token=token, proof=proof)
        assert (status, answer["error"]["code"]) == (401, "INVALID_DPOP_PROOF"), (proof, answer)


@contextlib.contextmanager
def own_apis(issuer):
    """The APIs of the documents: functions of an authorization and a proof for GET /notes, which
    return the user's id, or the status of a refusal."""
    text = "".join((DOCUMENTS / f"{name}.md").read_text() for name in ("deploying", "web-client"))
    blocks = re.findall(r"^```(?:python|js)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)

    def program(part):
        block = next(block for block in blocks if part in block)
        return block.replace("https://auth.example.com", issuer).replace("3000", str(port))

    def python(authorization, proof=None):
        proven = proof and module["proven"](proof, "GET", f"{url}/notes?page=2")
        try:
            return module["user"](authorization, proven)
        except jwt.PyJWKClientConnectionError:
            return 503
        except jwt.PyJWTError:
            return 401

    def node(authorization, proof=None):
        headers = {"Authorization": authorization} | ({"DPoP": proof} if proof else {})
        status, _, text = fetch("GET", f"{url}/notes?page=2", headers=headers)
        return text.decode().removeprefix("the notes of ") if status == 200 else status

    port, module = free_port(), {}
    url = f"http://localhost:{port}"
    exec(program("def proven(") + program("def user("), module)
    with tempfile.TemporaryDirectory() as folder:
        for name, part in {"user.mjs": "function user(", "proofs.mjs": "const proven =",
                           "api.mjs": "createServer("}.items():
            (pathlib.Path(folder) / name).write_text(program(part))
        process = subprocess.Popen(["node", f"{folder}/api.mjs"], stderr=subprocess.DEVNULL)
        try:
            eventually(lambda: fetch("OPTIONS", f"{url}/notes")[0])
            allowed = fetch("OPTIONS", f"{url}/notes")[1]["Access-Control-Allow-Headers"]
            assert "dpop" in allowed, allowed
            yield url, [python, node]
        finally:
            process.terminate()
            process.wait()


@case
def apis_of_ones_own_verify_proofs_too():
    token, id = session["accessToken"], session["user"]["id"]
    bearer = http("POST", "/auth/guest", {})[1]
    issuer = jwt.decode(token, options={"verify_signature": False})["iss"]
    with own_apis(issuer) as (url, checks):
        def proof(by=app, method="GET", of=token, **claims):
            return by.proof(method, "", of, **{"htu": f"{url}/notes", **claims})

        now = int(time.time())
        for check in checks:
            spent = proof()
            assert check(f"DPoP {token}", spent) == id, check
            assert check(f"DPoP {token}", proof(htu=f"{url}/notes?page=3")) == id, check
            assert check(f"Bearer {bearer['accessToken']}") == bearer["user"]["id"], check
            for scheme, used, wrong in (
                ("Bearer", token, None), ("DPoP", token, None), ("Bearer", token, proof()),
                ("DPoP", bearer["accessToken"], proof(of=bearer["accessToken"])),
                *(("DPoP", token, wrong) for wrong in (
                    spent, proof(thief), proof(method="POST"), proof(of=token + "x"),
                    proof(of=None), proof(htu=f"{url}/other"),
                    proof(htu="https://evil.example/notes"), proof(iat=now - 90),
                    proof(iat=now + 90), proof(jti=None), proof(head={"typ": "JWT"}),
                    proof(head={"jwk": app.jwk | {"d": app.jwk["x"]}}), proof(head={"jwk": []}),
                    proof()[:-8] + "AAAAAAAA", token, "x")),
            ):
                assert check(f"{scheme} {used}", wrong) == 401, (check, scheme, wrong)
    with own_apis(f"http://127.0.0.1:{free_port()}") as (_, checks):
        assert [check(f"Bearer {bearer['accessToken']}") for check in checks] == [503, 503]


@case
def without_the_key_a_refresh_token_is_of_no_use():
    body = {"refreshToken": session["refreshToken"]}
    status, answer = http("POST", "/auth/refresh", body)
    assert (status, answer["error"]["code"]) == (400, "DPOP_PROOF_REQUIRED"), answer
    status, answer = thief.ask("POST", "/auth/refresh", body)
    assert (status, answer["error"]["code"]) == (400, "INVALID_DPOP_PROOF"), answer
    proof = app.proof("POST", "/auth/refresh")
    status, answer = app.ask("POST", "/auth/refresh", body, proof=proof)
    assert status == 200 and answer["tokenType"] == "DPoP", answer
    session.update(answer)
    body = {"refreshToken": session["refreshToken"]}
    status, answer = app.ask("POST", "/auth/refresh", body, proof=proof)
    assert (status, answer["error"]["code"]) == (400, "INVALID_DPOP_PROOF"), answer


@case
def other_apps_keep_using_bearer_tokens():
    body = {"provider": "apple", "idToken": mint(email=f"{uuid.uuid4()}@example.com")}
    status, bearer = http("POST", "/auth/signin", body)
    assert status == 200 and bearer["tokenType"] == "Bearer", bearer
    assert http("GET", "/auth/me", token=bearer["accessToken"])[0] == 200
    # With its first proof the app's tokens become bound to its key.
    status, bound = app.ask("POST", "/auth/refresh", {"refreshToken": bearer["refreshToken"]})
    assert status == 200 and bound["tokenType"] == "DPoP", bound
    assert http("POST", "/auth/refresh", {"refreshToken": bound["refreshToken"]})[0] == 400


@case
def an_ed25519_key_is_as_good():
    other = App("EdDSA")
    status, body = other.sign_in()
    assert status == 200, body
    for method, path in (
        ("GET", "/auth/me"), ("GET", "/auth/sessions"), ("GET", "/auth/devices"),
        ("GET", "/auth/methods"), ("GET", "/auth/export"), ("DELETE", "/auth/account"),
    ):
        status, answer = other.ask(method, path, token=body["accessToken"])
        assert status in (200, 204), (path, status, answer)


@case
def the_key_signs_out():
    body = {"refreshToken": session["refreshToken"]}
    assert http("POST", "/auth/signout", body)[0] == 400
    assert app.ask("POST", "/auth/signout", body, token=session["accessToken"])[0] == 200
    assert app.ask("POST", "/auth/refresh", body)[0] == 401


run()
