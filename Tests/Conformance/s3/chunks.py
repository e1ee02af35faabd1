"""Bodies in chunks."""

import hashlib
import hmac
import os

from s3._s3 import REGION, get, missing, raw, read, shared, unique

_TRAILING = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
_CRC = "x-amz-checksum-crc32"
_LENGTH = {"x-amz-decoded-content-length": "11"}


def _put(key, body):
    return raw(
        "PUT", f"/{shared()}/{key}", {**_LENGTH, "x-amz-trailer": _CRC}, body.encode(),
        payload=_TRAILING)


def chunks_are_joined_and_the_trailer_is_kept():
    key = unique()
    answer = _put(key, f"6\r\nhello \r\n5\r\nworld\r\n0\r\n{_CRC}:DUoRhQ==\r\n\r\n")
    assert (answer.status, answer.headers[_CRC]) == (200, "DUoRhQ==")
    assert "ChecksumCRC32" not in get(shared(), key)
    answer = get(shared(), key, ChecksumMode="ENABLED")
    assert (answer["Body"].read(), answer["ChecksumCRC32"]) == (b"hello world", "DUoRhQ==")
    assert answer["ChecksumType"] == "FULL_OBJECT"


def invalid_chunks_store_nothing():
    whole = "b\r\nhello world\r\n0\r\n"
    key = unique()
    for body, code in (
        (f"6\r\nhello \r\n0\r\n{_CRC}:DUoRhQ==\r\n\r\n", "IncompleteBody"),
        (f"c\r\nhello world!\r\n0\r\n{_CRC}:DUoRhQ==\r\n\r\n", "IncompleteBody"),
        ("b\r\nhello world", "IncompleteBody"), ("b\r\nhello worldX\r\n", "IncompleteBody"),
        ("ffffffff\r\nhello world\r\n", "IncompleteBody"),
        ("fffffffff\r\nhello world\r\n", "IncompleteBody"),
        ("-b\r\nhello world\r\n", "IncompleteBody"), ("\r\n", "IncompleteBody"),
        ("", "IncompleteBody"),
        (f"{whole}\r\n", "MalformedTrailerError"),
        (f"{whole}nonsense\r\n\r\n", "MalformedTrailerError"),
        (f"{whole}{_CRC}:AAAAAA==\r\n\r\n", "BadDigest"),
        (f"{whole}{_CRC}:AAAA\r\n\r\n", "InvalidRequest"),
    ):
        _put(key, body).refuses(code, 400)
    missing(shared(), key)


def _mac(key, text):
    return hmac.digest(key, text.encode(), "sha256")


def _signed(sent, chunks):
    """The chunks with their signatures, each of which signs the one before."""
    secret = os.environ["AWS_SECRET_ACCESS_KEY"]
    date, previous = sent["X-Amz-Date"], sent["Authorization"].split("Signature=")[1]
    key = f"AWS4{secret}".encode()
    for part in (date[:8], REGION, "s3", "aws4_request"):
        key = _mac(key, part)
    body = ""
    for chunk in (*chunks, ""):
        previous = _mac(key, "\n".join((
            "AWS4-HMAC-SHA256-PAYLOAD", date, f"{date[:8]}/{REGION}/s3/aws4_request", previous,
            hashlib.sha256(b"").hexdigest(), hashlib.sha256(chunk.encode()).hexdigest()))).hex()
        body += f"{len(chunk):x};chunk-signature={previous}\r\n{chunk}\r\n"
    return body


def signed_chunks_are_verified_one_by_one():
    def put(old="", new=""):
        return raw(
            "PUT", f"/{shared()}/{key}", _LENGTH, payload="STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
            body=lambda sent: _signed(sent, ("hello ", "world")).replace(old, new).encode())

    key = unique()
    for old, new in (
        ("world", "w0rld"), ("chunk-signature=", "chunk-signature=0"), (";chunk", ";c"),
    ):
        put(old, new).refuses("SignatureDoesNotMatch", 403)
    missing(shared(), key)
    assert put().status == 200
    assert read(shared(), key) == b"hello world"
