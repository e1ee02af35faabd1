"""Two other relying parties, py_webauthn and python-fido2, on the same vectors.

usage: judges.py FOLDER    with specification.json and generated.json
"""

import json
import pathlib
import sys

from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorData,
    CollectedClientData,
    PublicKeyCredentialRpEntity,
    RegistrationResponse,
)
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.cose import COSEAlgorithmIdentifier

ALGORITHMS = [
    COSEAlgorithmIdentifier(number) for number in (-7, -8, -35, -36, -257)
    if number in set(COSEAlgorithmIdentifier)
]


def decode(part):
    return {
        name: bytes.fromhex(value) for name, value in part.items() if isinstance(value, str)
    }


def by_fido2(file, case):
    made, used = decode(case["registration"]), decode(case["authentication"])
    party = PublicKeyCredentialRpEntity(name="Example", id=file["rpId"])
    server = Fido2Server(party, verify_origin=lambda origin: origin == file["origin"])
    data = AttestationObject(made["attestationObject"]).auth_data
    credential = data.credential_data
    state = {"challenge": bytes_to_base64url(made["challenge"]), "user_verification": None}
    server.register_complete(state, RegistrationResponse(
        raw_id=credential.credential_id,
        response=AuthenticatorAttestationResponse(
            client_data=CollectedClientData(made["clientDataJSON"]),
            attestation_object=AttestationObject(made["attestationObject"]))))
    state = {"challenge": bytes_to_base64url(used["challenge"]), "user_verification": None}
    server.authenticate_complete(
        state, [AttestedCredentialData(credential)], AuthenticationResponse(
            raw_id=credential.credential_id,
            response=AuthenticatorAssertionResponse(
                client_data=CollectedClientData(used["clientDataJSON"]),
                authenticator_data=AuthenticatorData(used["authenticatorData"]),
                signature=used["signature"])))


def by_webauthn(file, case):
    made, used = decode(case["registration"]), decode(case["authentication"])
    identifier = AttestationObject(made["attestationObject"]).auth_data.credential_data
    name = bytes_to_base64url(identifier.credential_id)
    registered = verify_registration_response(
        credential={
            "id": name, "rawId": name, "type": "public-key",
            "response": {
                "clientDataJSON": bytes_to_base64url(made["clientDataJSON"]),
                "attestationObject": bytes_to_base64url(made["attestationObject"]),
            },
        },
        expected_challenge=made["challenge"], expected_rp_id=file["rpId"],
        expected_origin=file["origin"], supported_pub_key_algs=ALGORITHMS)
    verify_authentication_response(
        credential={
            "id": name, "rawId": name, "type": "public-key",
            "response": {
                "clientDataJSON": bytes_to_base64url(used["clientDataJSON"]),
                "authenticatorData": bytes_to_base64url(used["authenticatorData"]),
                "signature": bytes_to_base64url(used["signature"]),
            },
        },
        expected_challenge=used["challenge"], expected_rp_id=file["rpId"],
        expected_origin=file["origin"], credential_current_sign_count=0,
        credential_public_key=registered.credential_public_key)


# Missing features of a library. py_webauthn has no P-384, also not in certificates (every sixteenth
# is of such an authority), and wants the roots of real manufacturers for the other formats.
UNSUPPORTED = {
    "by_fido2": lambda name: name == "packed-ed448",
    "by_webauthn": lambda name: name in {
        "packed-ed448", "packed-es384", "tpm-es256", "android-key-es256", "apple-es256",
        "fido-u2f-es256",
    } or name.startswith("ES384 ") or name.endswith(" 16 certificate"),
}


def main(folder):
    """Prints how many pairs each library accepts; 1 if one refuses a pair that it should accept."""
    failed = 0
    for name in ("specification.json", "generated.json"):
        file = json.loads((pathlib.Path(folder) / name).read_text())
        for judge in (by_fido2, by_webauthn):
            accepted = 0
            for case in file["cases"]:
                try:
                    judge(file, case)
                    accepted += 1
                except Exception as error:
                    if not UNSUPPORTED[judge.__name__](case["name"]):
                        failed = 1
                        print(f"{judge.__name__} refuses {case['name']}: {error!r}")
            print(f"{judge.__name__}: {name}: {accepted} of {len(file['cases'])} pairs accepted")
    return failed


sys.exit(main(sys.argv[1]))
