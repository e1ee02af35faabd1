"""An app with passkeys: soft-webauthn is its authenticator, and python-fido2 judges the same."""

import urllib.parse

from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestationObject, CredentialCreationOptions, CredentialRequestOptions,
    PublicKeyCredentialRpEntity)
from judge import APP, case, run
from passkey_device import as_json, begin, decoded, encoded, with_bytes
from people import http
from soft_webauthn import SoftWebauthnDevice

# Browsers admit no RP ID that is an IP address.
ORIGIN = f"http://localhost:{urllib.parse.urlsplit(APP).port}"
judge = Fido2Server(
    PublicKeyCredentialRpEntity(name="Example", id="localhost"),
    verify_origin=lambda it: it == ORIGIN)

phone, desk = SoftWebauthnDevice(), SoftWebauthnDevice()
session = {}


def state(options):
    return {"challenge": options["challenge"], "user_verification": None}


def create(device, options, origin=ORIGIN):
    credential = as_json(device.create(with_bytes(options), origin))
    if origin == ORIGIN:
        assert CredentialCreationOptions.from_dict({"publicKey": options})
        judge.register_complete(state(options), credential)
    return credential


def get(device, options, origin=ORIGIN):
    credential = as_json(device.get(with_bytes(options), origin))
    if origin == ORIGIN:
        assert CredentialRequestOptions.from_dict({"publicKey": options})
        judge.authenticate_complete(state(options), [device.cred_as_attested()], credential)
    return credential


def sign_in(device, **more):
    ceremony, options = begin("signIn")
    credential = get(device, options, **more)
    return http(
        "POST", "/auth/passkeys/signin", {"ceremony": ceremony, "credential": credential})


def listed():
    status, answer = http("GET", "/auth/passkeys", token=session["accessToken"])
    assert status == 200, answer
    return {entry["name"]: entry for entry in answer["passkeys"]}, answer["signals"]


def refused(answer, status, code):
    assert (answer[0], answer[1]["error"]["code"]) == (status, code), answer


@case
def a_person_signs_up():
    ceremony, options = begin("signUp", email="ada@example.com", name="Ada")
    assert options["rp"]["id"] == "localhost" and options["excludeCredentials"] == []
    credential = create(phone, options)
    data = AttestationObject(decoded(credential["response"]["attestationObject"])).auth_data
    assert data.credential_data.credential_id == decoded(credential["id"])
    body = {"ceremony": ceremony, "credential": credential, "name": "Phone"}
    status, answer = http("POST", "/auth/passkeys/signup", body)
    assert status == 201, answer
    session.update(answer)
    user = answer["user"]
    assert (user["email"], user["emailVerified"]) == ("ada@example.com", False), user
    refused(http("POST", "/auth/passkeys/signup", body), 400, "INVALID_CEREMONY")


@case
def the_person_signs_out_and_in_again():
    user, token = session["user"], session["accessToken"]
    body = {"refreshToken": session["refreshToken"]}
    assert http("POST", "/auth/signout", body)[0] == 200
    assert http("GET", "/auth/me", token=token)[0] == 401
    status, answer = sign_in(phone)
    assert status == 200 and answer["user"] == user, answer
    session.update(answer)
    assert http("GET", "/auth/me", token=session["accessToken"])[0] == 200


@case
def a_second_passkey_is_added():
    token = session["accessToken"]
    ceremony, options = begin("add", token=token)
    assert [it["id"] for it in options["excludeCredentials"]] == [encoded(phone.credential_id)]
    assert decoded(options["user"]["id"]) == phone.user_handle
    body = {"ceremony": ceremony, "credential": create(desk, options), "name": "Desk"}
    status, answer = http("POST", "/auth/passkeys", body, token=token)
    assert status == 201, answer
    entries, signals = listed()
    assert list(entries) == ["Phone", "Desk"], entries
    assert entries["Phone"]["current"] and not entries["Desk"]["current"], entries
    assert signals["rpId"] == "localhost" and decoded(signals["userId"]) == phone.user_handle
    assert signals["allAcceptedCredentialIds"] == [
        encoded(phone.credential_id), encoded(desk.credential_id)]
    status, answer = sign_in(desk)
    assert status == 200 and answer["user"] == session["user"], answer


run()
