"""An app with the latchkey template: sign-in, verifying tokens with PyJWT, storage."""

import json
import os
import urllib.request

import jwt
from judge import APP, case, client, clock, refused, run
from people import http, mint, sign_in

session = {}


@case
def a_person_signs_in():
    session.update(sign_in(email="ada@example.com"))
    assert session["isNewUser"] is True and session["tokenType"] == "Bearer"
    again = sign_in(email="ada@example.com")
    assert again["isNewUser"] is False and again["user"]["id"] == session["user"]["id"]
    status, me = http("GET", "/auth/me", token=session["accessToken"])
    assert status == 200 and me["id"] == session["user"]["id"], me
    assert me["authProviders"] == ["apple"]
    assert sign_in("google", email="ada@example.com")["user"]["id"] != session["user"]["id"]


@case
def a_nonce_of_ours_is_good_once():
    _, challenge = http("POST", "/auth/challenge")
    token = mint("google", nonce=challenge["nonce"])
    body = {"provider": "google", "idToken": token, "nonce": challenge["nonce"]}
    assert http("POST", "/auth/signin", body)[0] == 200
    status, answer = http("POST", "/auth/signin", body)
    assert status == 401, answer
    body["idToken"] = mint("google", nonce=challenge["nonce"])
    status, answer = http("POST", "/auth/signin", body)
    assert (status, answer["error"]["code"]) == (401, "NONCE_MISMATCH"), answer


@case
def an_id_token_that_lies_is_refused():
    for provider, lie in (
        ("apple", {"audience": "com.example.other"}),
        ("apple", {"expiresIn": -60}),
        ("apple", {"skewSeconds": 3600}),
        ("apple", {"claims": {"iss": "https://evil.example"}}),
        ("google", {"claims": {"sub": None}}),
    ):
        refuse(provider, lie)
    for fault in (
        "unknown-kid", "missing-kid", "wrong-key", "own-key-in-header", "alg-none",
        "hs256-with-public-key", "es256-with-wrong-key", "changed-payload", "changed-signature",
        "missing-signature", "crit-header", "padded", "expired", "issued-in-future",
        "wrong-issuer", "wrong-audience", "missing-subject",
    ):
        refuse("google", {"fault": fault})


def refuse(provider, lie):
    token = mint(provider, **lie)
    status, answer = http("POST", "/auth/signin", {"provider": provider, "idToken": token})
    assert (status, answer["error"]["code"]) == (401, "AUTH_FAILED"), (lie, status, answer)


@case
def pyjwt_verifies_an_access_token():
    with urllib.request.urlopen(f"{APP}/.well-known/openid-configuration") as answer:
        discovery = json.load(answer)
    assert discovery["issuer"] == APP
    token = session["accessToken"]
    keys = jwt.PyJWKClient(discovery["jwks_uri"])
    claims = jwt.decode(
        token, keys.get_signing_key_from_jwt(token).key, algorithms=["ES256"], audience="latchkey",
        issuer=discovery["issuer"], options={"require": ["exp", "iat", "sub", "jti"]})
    assert claims["sub"] == session["user"]["id"]
    assert claims["exp"] - claims["iat"] == session["expiresIn"] == 900
    assert jwt.get_unverified_header(token)["typ"] == "at+jwt"
    head, body, signature = token.split(".")
    forged = f"{head}.{body}.{signature[:-4]}{'AAAA' if signature[-4:] != 'AAAA' else 'BBBB'}"
    try:
        jwt.decode(
            forged, keys.get_signing_key_from_jwt(forged).key, algorithms=["ES256"],
            audience="latchkey")
        raise AssertionError("a forged token was verified")
    except jwt.InvalidSignatureError:
        pass


@case
def credentials_reach_their_owners_prefix_and_nothing_else():
    theirs = sign_in(email="eve@example.com")
    storage = {}
    for name, token in (("ada", session["accessToken"]), ("eve", theirs["accessToken"])):
        status, storage[name] = http("POST", "/auth/credentials", {}, token)
        assert status == 200, storage[name]
        assert storage[name]["endpoint"] == os.environ["AWS_ENDPOINT_URL"]
    own, bucket = storage["ada"]["prefix"], storage["ada"]["bucket"]
    assert own == f"users/{session['user']['id']}/", own
    ada, eve = (client("s3", of(storage[name])) for name in ("ada", "eve"))
    for s3, name in ((ada, "ada"), (eve, "eve")):
        s3.put_object(Bucket=bucket, Key=storage[name]["prefix"] + "a.txt", Body=name.encode())
    assert ada.get_object(Bucket=bucket, Key=own + "a.txt")["Body"].read() == b"ada"
    listed = ada.list_objects_v2(Bucket=bucket, Prefix=own)["Contents"]
    assert [item["Key"] for item in listed] == [own + "a.txt"]
    foreign = storage["eve"]["prefix"]
    for call in (
        lambda: ada.get_object(Bucket=bucket, Key=foreign + "a.txt"),
        lambda: ada.put_object(Bucket=bucket, Key=foreign + "b.txt", Body=b""),
        lambda: ada.put_object(Bucket=bucket, Key="b.txt", Body=b""),
        lambda: ada.delete_object(Bucket=bucket, Key=foreign + "a.txt"),
        lambda: ada.list_objects_v2(Bucket=bucket, Prefix=foreign),
        lambda: ada.list_objects_v2(Bucket=bucket),
        lambda: ada.list_buckets(),
    ):
        with refused("AccessDenied", 403):
            call()
    status, reader = http(
        "POST", "/auth/credentials",
        {"access": "read", "prefix": "photos/", "durationSeconds": 900}, session["accessToken"])
    assert status == 200 and reader["prefix"] == own + "photos/", reader
    s3 = client("s3", of(reader))
    with refused("AccessDenied", 403):
        s3.put_object(Bucket=bucket, Key=own + "photos/x", Body=b"")
    with refused("AccessDenied", 403):
        s3.get_object(Bucket=bucket, Key=own + "a.txt")
    assert s3.list_objects_v2(Bucket=bucket, Prefix=own + "photos/")["KeyCount"] == 0
    clock({"seconds": 901})
    try:
        with refused("ExpiredToken", 400):
            s3.list_objects_v2(Bucket=bucket, Prefix=own + "photos/")
    finally:
        clock({"reset": True})


def of(storage):
    """The credentials with the names that STS uses."""
    keys = storage["credentials"]
    return {
        "AccessKeyId": keys["accessKeyId"], "SecretAccessKey": keys["secretAccessKey"],
        "SessionToken": keys["sessionToken"]}


@case
def a_refresh_token_has_one_successor():
    old = sign_in(email="rita@example.com")["refreshToken"]
    status, first = http("POST", "/auth/refresh", {"refreshToken": old})
    assert status == 200, first
    status, second = http("POST", "/auth/refresh", {"refreshToken": old})
    assert status == 200 and second["refreshToken"] == first["refreshToken"], second
    status, third = http("POST", "/auth/refresh", {"refreshToken": first["refreshToken"]})
    assert status == 200 and third["refreshToken"] != first["refreshToken"]
    status, reused = http("POST", "/auth/refresh", {"refreshToken": old})
    assert (status, reused["error"]["code"]) == (401, "INVALID_REFRESH_TOKEN"), reused
    status, ended = http("POST", "/auth/refresh", {"refreshToken": third["refreshToken"]})
    assert (status, ended["error"]["action"]) == (401, "reauthenticate"), ended


@case
def whoever_signs_out_is_out():
    status, listed = http("GET", "/auth/sessions", token=session["accessToken"])
    assert status == 200 and [item["current"] for item in listed["sessions"]].count(True) == 1
    assert http("POST", "/auth/signout", {"scope": "all"}, session["accessToken"])[0] == 200
    status, answer = http("GET", "/auth/me", token=session["accessToken"])
    assert (status, answer["error"]["code"]) == (401, "UNAUTHORIZED"), answer


run()
