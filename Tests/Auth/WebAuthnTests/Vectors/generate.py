#!/usr/bin/env python3
"""Generates registrations and assertions by the method of WebAuthn section 16.

usage: generate.py > generated.json

Every random value is derived with HKDF-SHA-256 from a fixed text, and ECDSA uses the nonces of RFC
6979, so that each run prints the same bytes. Needs PyPI `cryptography` 44 or later.
"""
import base64
import datetime
import hashlib
import json
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID

SEED = b"Latchkey WebAuthn test vectors"
RP_ID = "example.org"
ORIGIN = "https://example.org"
TOP_ORIGIN = "https://example.com"
SUBJECT = [
    (NameOID.COUNTRY_NAME, "AA"), (NameOID.ORGANIZATION_NAME, "Latchkey"),
    (NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"),
    (NameOID.COMMON_NAME, "Test vectors"),
]
AAGUID_EXTENSION = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")


class Random:
    """The values of one case, in order."""

    def __init__(self, info):
        self.info, self.count = info.encode(), 0

    def bytes(self, length):
        salt = self.count.to_bytes(2, "big")
        self.count += 1
        return HKDF(hashes.SHA256(), length, salt, self.info).derive(SEED)

    def number(self, below):
        return int.from_bytes(self.bytes(8), "big") % below


# CBOR in the CTAP2 canonical form.

def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for code, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 1 << 8 * width:
            return bytes([major << 5 | code]) + value.to_bytes(width, "big")
    raise ValueError(value)


def cbor(item):
    if item is True or item is False:
        return b"\xf5" if item else b"\xf4"
    if isinstance(item, int):
        return head(0, item) if item >= 0 else head(1, -1 - item)
    if isinstance(item, bytes):
        return head(2, len(item)) + item
    if isinstance(item, str):
        return head(3, len(item.encode())) + item.encode()
    if isinstance(item, list):
        return head(4, len(item)) + b"".join(map(cbor, item))
    entries = sorted((cbor(key), cbor(value)) for key, value in item.items())
    return head(5, len(entries)) + b"".join(key + value for key, value in entries)


# Credentials.

def is_prime(n, bases):
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in bases:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


SMALL = [p for p in range(3, 2000) if all(p % q for q in range(2, int(p ** 0.5) + 1))]


def prime(random, bits):
    n = int.from_bytes(random.bytes(bits // 8), "big") | 3 << bits - 2 | 1
    while any(n % p == 0 for p in SMALL) or n % 65537 == 1 or not is_prime(n, SMALL[:24]):
        n += 2
    return n


def rsa_key(bits):
    random = Random(f"RSA {bits}")
    p, q = prime(random, bits // 2), prime(random, bits // 2)
    d = rsa.rsa_recover_private_exponent(65537, p, q)
    return rsa.RSAPrivateNumbers(
        p=p, q=q, d=d, dmp1=rsa.rsa_crt_dmp1(d, p), dmq1=rsa.rsa_crt_dmq1(d, q),
        iqmp=rsa.rsa_crt_iqmp(p, q),
        public_numbers=rsa.RSAPublicNumbers(e=65537, n=p * q)).private_key()


RSA_KEYS = [rsa_key(2048), rsa_key(3072)]


class EllipticCredential:
    def __init__(self, random, algorithm, number, curve, width, digest):
        self.algorithm, self.digest = algorithm, digest
        order = {32: ec.SECP256R1, 48: ec.SECP384R1, 66: ec.SECP521R1}[width]
        # One byte less than the order, so that the number is in range.
        self.key = ec.derive_private_key(int.from_bytes(random.bytes(width - 1), "big"), order())
        point = self.key.public_key().public_numbers()
        self.public = {1: 2, 3: algorithm, -1: number, -2: point.x.to_bytes(width, "big"),
                       -3: point.y.to_bytes(width, "big")}

    def sign(self, message):
        return self.key.sign(message, ec.ECDSA(self.digest, deterministic_signing=True))


class Ed25519Credential:
    algorithm = -8

    def __init__(self, random):
        self.key = ed25519.Ed25519PrivateKey.from_private_bytes(random.bytes(32))
        self.public = {1: 1, 3: -8, -1: 6, -2: self.key.public_key().public_bytes_raw()}

    def sign(self, message):
        return self.key.sign(message)


class RSACredential:
    algorithm = -257

    def __init__(self, random):
        self.key = RSA_KEYS[random.number(len(RSA_KEYS))]
        n = self.key.public_key().public_numbers().n
        self.public = {1: 3, 3: -257, -1: n.to_bytes(self.key.key_size // 8, "big"),
                       -2: b"\x01\x00\x01"}

    def sign(self, message):
        return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())


CREDENTIALS = {
    "ES256": lambda r: EllipticCredential(r, -7, 1, "P-256", 32, hashes.SHA256()),
    "ES384": lambda r: EllipticCredential(r, -35, 2, "P-384", 48, hashes.SHA384()),
    "ES512": lambda r: EllipticCredential(r, -36, 3, "P-521", 66, hashes.SHA512()),
    "EdDSA": Ed25519Credential,
    "RS256": RSACredential,
}


# Ceremonies.

def sha256(data):
    return hashlib.sha256(data).digest()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def client_data(random, type, challenge, embedding):
    members = {"type": type, "challenge": base64url(challenge), "origin": ORIGIN,
               "crossOrigin": embedding != "none"}
    if embedding == "named":
        members["topOrigin"] = TOP_ORIGIN
    if random.number(2):
        members["extraData"] = "other members may follow: " + base64url(random.bytes(16))
    return json.dumps(members, separators=(",", ":")).encode()


def flags(random, base, eligible=None):
    value = base | random.number(2) << 2
    if eligible is None:
        eligible = random.number(2)
    if eligible:
        value |= 0x08 | random.number(2) << 4
    return value, bool(eligible)


def header(flags, count):
    return sha256(RP_ID.encode()) + bytes([flags]) + count.to_bytes(4, "big")


def certificate(serial, key, digest, subject=None, authority=False, extension=None):
    """Signed by its own key: nothing here looks at chains."""
    name = x509.Name([
        x509.NameAttribute(identifier, value)
        for identifier, value in (SUBJECT if subject is None else subject)])
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name)
        .public_key(key.public_key()).serial_number(serial)
        .not_valid_before(datetime.datetime(2024, 1, 1))
        .not_valid_after(datetime.datetime(2054, 1, 1)))
    if authority is not None:
        builder = builder.add_extension(
            x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    if extension:
        value, is_critical = extension
        builder = builder.add_extension(
            x509.UnrecognizedExtension(AAGUID_EXTENSION, value), critical=is_critical)
    deterministic = isinstance(key, ec.EllipticCurvePrivateKey) or None
    signed = builder.sign(key, digest, ecdsa_deterministic=deterministic)
    return signed.public_bytes(serialization.Encoding.DER)


def statement(random, format, number, credential, aaguid, message):
    if format == "none":
        return "none", {}
    if format == "self":
        return "packed", {"alg": credential.algorithm, "sig": credential.sign(message)}
    names = list(CREDENTIALS)
    attester = CREDENTIALS[names[number % len(names)]](random)
    serial = 1 + int.from_bytes(random.bytes(8), "big")
    extension = (b"\x04\x10" + aaguid, False) if random.number(2) else None
    digest = None if attester.algorithm == -8 else hashes.SHA256()
    leaf = certificate(serial, attester.key, digest, extension=extension)
    return "packed", {"alg": attester.algorithm, "sig": attester.sign(message), "x5c": [leaf]}


def case(name, number, algorithm, format, embedding, has_extensions, id_length, counts):
    random = Random(name)
    credential = CREDENTIALS[algorithm](random)
    aaguid, credential_id = random.bytes(16), random.bytes(min(id_length, 255 * 32))
    challenge = random.bytes(32)
    created = client_data(random, "webauthn.create", challenge, embedding)
    value, eligible = flags(random, 0x41 | (0x80 if has_extensions else 0))
    data = (header(value, counts[0]) + aaguid + len(credential_id).to_bytes(2, "big")
            + credential_id + cbor(credential.public))
    if has_extensions:
        data += cbor({"credProtect": 2, "hmac-secret": True, "minPinLength": 6})
    format_name, attestation = statement(
        random, format, number, credential, aaguid, data + sha256(created))
    registration = {
        "challenge": challenge, "clientDataJSON": created,
        "attestationObject": cbor(
            {"fmt": format_name, "attStmt": attestation, "authData": data})}
    challenge = random.bytes(32)
    got = client_data(random, "webauthn.get", challenge, embedding)
    later, _ = flags(random, 0x01 | (0x80 if has_extensions else 0), eligible)
    assertion = header(later, counts[1])
    if has_extensions:
        assertion += cbor({"hmac-secret": random.bytes(48)})
    authentication = {
        "challenge": challenge, "authenticatorData": assertion, "clientDataJSON": got,
        "signature": credential.sign(assertion + sha256(got))}
    return {
        "name": name, "embedding": embedding,
        "registration": {key: item.hex() for key, item in registration.items()},
        "authentication": {key: item.hex() for key, item in authentication.items()},
        "expected": {
            "aaguid": aaguid.hex(), "credentialId": credential_id.hex(),
            "algorithm": credential.algorithm, "attestation": format,
            "registrationFlags": value, "authenticationFlags": later, "counts": counts}}


def cases():
    # (format, embedding, extensions, bytes of the credential ID, signature counts)
    variants = [
        ("none", "none", False, 32, [0, 0]), ("none", "none", True, 16, [0, 0]),
        ("none", "none", False, 1, [1, 2]), ("none", "none", True, 1023, [41, 42]),
        ("none", "unnamed", False, 32, [0, 0]), ("none", "named", False, 32, [0, 0]),
        ("none", "named", True, 64, [7, 4294967295]), ("none", "none", False, 255, [0, 1]),
        ("none", "none", False, 256, [255, 256]), ("none", "none", False, 64, [65535, 65536]),
        ("self", "none", False, 32, [0, 0]), ("self", "none", True, 20, [3, 9]),
        ("self", "unnamed", True, 32, [0, 0]), ("self", "named", False, 128, [0, 5]),
        ("self", "none", False, 1022, [0, 0]), ("certificate", "none", False, 32, [0, 0]),
        ("certificate", "none", True, 48, [10, 11]), ("certificate", "named", False, 32, [0, 0]),
        ("certificate", "unnamed", True, 32, [0, 0]),
        ("certificate", "none", False, 96, [1000000, 1000001]),
    ]
    for algorithm in CREDENTIALS:
        for number, variant in enumerate(variants, 1):
            yield case(f"{algorithm} {number:02} {variant[0]}", number, algorithm, *variant)


# Attestation certificates, most of them with one fault, all with the same key.

def elements(der):
    """The elements of a DER sequence, each with its head."""
    def read(data):
        length, start = data[1], 2
        if length & 0x80:
            start = 2 + (length & 0x7F)
            length = int.from_bytes(data[2:start], "big")
        return start, start + length
    start, end = read(der)
    body, found = der[start:end], []
    while body:
        _, end = read(body)
        found.append(body[:end])
        body = body[end:]
    return found


def sequence(parts):
    body = b"".join(parts)
    length = len(body)
    if length < 128:
        return b"\x30" + bytes([length]) + body
    width = (length.bit_length() + 7) // 8
    return b"\x30" + bytes([0x80 | width]) + length.to_bytes(width, "big") + body


def version_1(der, key):
    """Without the version and without extensions."""
    body, algorithm, _ = elements(der)
    return signed_again(sequence(elements(body)[1:-1]), algorithm, key)


def version_2(der, key):
    """With the extensions that only version 3 may have."""
    body, algorithm, _ = elements(der)
    return signed_again(
        sequence([b"\xa0\x03\x02\x01\x01"] + elements(body)[1:]), algorithm, key)


def signed_again(body, algorithm, key):
    signature = key.sign(body, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    content = b"\x00" + signature
    return sequence([body, algorithm, b"\x03" + bytes([len(content)]) + content])


def certificates():
    random = Random("certificates")
    secret, aaguid = random.bytes(31), random.bytes(16)
    key = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256R1())

    def subject(identifier, value):
        return [(name, text if name != identifier else value) for name, text in SUBJECT
                if name != identifier or value is not None]

    unit = NameOID.ORGANIZATIONAL_UNIT_NAME
    good = certificate(1, key, hashes.SHA256())
    wrapped = b"\x04\x10" + aaguid
    faults = [
        ("meets every requirement", "accepted", good),
        ("with the AAGUID", "accepted",
         certificate(1, key, hashes.SHA256(), extension=(wrapped, False))),
        ("with another AAGUID", "wrongAAGUID",
         certificate(1, key, hashes.SHA256(), extension=(b"\x04\x10" + bytes(16), False))),
        ("with the AAGUID wrapped once", "wrongAAGUID",
         certificate(1, key, hashes.SHA256(), extension=(aaguid, False))),
        ("with a byte behind the AAGUID", "wrongAAGUID",
         certificate(1, key, hashes.SHA256(), extension=(wrapped + b"\x00", False))),
        ("with the AAGUID marked critical", "badCertificate",
         certificate(1, key, hashes.SHA256(), extension=(wrapped, True))),
        ("of an authority", "badCertificate",
         certificate(1, key, hashes.SHA256(), authority=True)),
        ("without basic constraints", "badCertificate",
         certificate(1, key, hashes.SHA256(), authority=None)),
        ("of version 1", "badCertificate", version_1(good, key)),
        ("of version 2", "badCertificate", version_2(good, key)),
        ("without a subject", "badCertificate",
         certificate(1, key, hashes.SHA256(), subject=[])),
        ("without a unit", "badCertificate",
         certificate(1, key, hashes.SHA256(), subject=subject(unit, None))),
        ("with another unit", "badCertificate", certificate(
            1, key, hashes.SHA256(), subject=subject(unit, "authenticator attestation"))),
        ("with two units", "badCertificate", certificate(
            1, key, hashes.SHA256(), subject=SUBJECT + [(unit, "Another")])),
        ("without a country", "badCertificate", certificate(
            1, key, hashes.SHA256(), subject=subject(NameOID.COUNTRY_NAME, None))),
        ("without an organization", "badCertificate", certificate(
            1, key, hashes.SHA256(), subject=subject(NameOID.ORGANIZATION_NAME, None))),
        ("without a common name", "badCertificate", certificate(
            1, key, hashes.SHA256(), subject=subject(NameOID.COMMON_NAME, None))),
        ("with a byte behind it", "badCertificate", good + b"\x00"),
        ("without its last byte", "badCertificate", good[:-1]),
        ("that is empty", "badCertificate", b""),
        ("that is not a certificate", "badCertificate", b"\x30\x03\x02\x01\x01"),
    ]
    return {"privateKey": secret.rjust(32, b"\x00").hex(), "aaguid": aaguid.hex(),
            "cases": [{"name": name, "verdict": verdict, "der": der.hex()}
                      for name, verdict, der in faults]}


json.dump({"rpId": RP_ID, "origin": ORIGIN, "topOrigin": TOP_ORIGIN, "cases": list(cases()),
           "certificates": certificates()}, sys.stdout, indent=1)
print()
