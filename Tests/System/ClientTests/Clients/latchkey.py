"""An app with the latchkey template: sign-in, verifying tokens with PyJWT, storage."""

import json
import os
import urllib.request

import jwt
from judge import APP, case, client, clock, refused, run
from people import http, sign_in

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


run()
