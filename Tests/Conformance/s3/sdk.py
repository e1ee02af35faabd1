"""The SDK: transfers in parts, trailers, waiters, collections."""

import functools
import hashlib
import io

import boto3
from boto3.s3.transfer import TransferConfig
from s3._s3 import PART, bucket, client, get, head, put, refused, shared, unique

_IN_PARTS = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART)


@functools.cache
def _defaults():
    """boto3 as it is without settings: with checksums in trailers, which it verifies."""
    return boto3.client("s3")


def a_large_file_is_sent_and_fetched_in_parts():
    place, body = {"Bucket": shared(), "Key": unique("ä b+c%20&=?")}, bytes(range(251)) * 54_000
    _defaults().upload_fileobj(
        io.BytesIO(body), *place.values(), Config=_IN_PARTS,
        ExtraArgs={"ContentType": "video/mp4", "Metadata": {"a": "b"}})
    found = head(*place.values())
    assert found["ETag"].endswith('-3"') and found["ContentType"] == "video/mp4"
    assert (found["ContentLength"], found["Metadata"]) == (len(body), {"a": "b"})
    fetched = io.BytesIO()
    _defaults().download_fileobj(*place.values(), fetched, Config=_IN_PARTS)
    assert hashlib.md5(fetched.getvalue()).digest() == hashlib.md5(body).digest()
    # It asks for the length first.
    _defaults().copy(place, shared(), "managed")
    assert get(shared(), "managed")["Body"].read() == body


def a_stream_has_its_checksum_behind_it():
    key, body = unique(), b"streamed" * 40_000
    answer = _defaults().put_object(Bucket=shared(), Key=key, Body=io.BytesIO(body))
    found = _defaults().get_object(Bucket=shared(), Key=key)
    assert found["Body"].read() == body and found["ChecksumCRC32"] == answer["ChecksumCRC32"]
    for algorithm in ("CRC32", "SHA1", "SHA256"):
        answer = _defaults().put_object(
            Bucket=shared(), Key=key, Body=b"sum", ChecksumAlgorithm=algorithm)
        found = _defaults().get_object(Bucket=shared(), Key=key, ChecksumMode="ENABLED")
        name = f"Checksum{algorithm}"
        assert found["Body"].read() == b"sum" and found[name] == answer[name]


def waiters_and_collections_know_buckets():
    name = bucket("a/1", "a/2", "b")
    client().get_waiter("bucket_exists").wait(Bucket=name, WaiterConfig={"Delay": 1})
    client().get_waiter("object_exists").wait(Bucket=name, Key="b", WaiterConfig={"Delay": 1})
    found = boto3.resource("s3").Bucket(name).objects.filter(Prefix="a/")
    assert [entry.key for entry in found] == ["a/1", "a/2"]


def errors_have_their_classes():
    exceptions = client().exceptions
    for name, kind in ((shared(), exceptions.NoSuchKey), ("gone-bucket", exceptions.NoSuchBucket)):
        try:
            get(name, "none")
        except kind:
            continue
        raise AssertionError(f"expected {kind}")


def a_copy_is_an_object_of_its_own():
    put(shared(), "from ä", b"copy")
    client().copy_object(
        Bucket=shared(), Key="to", CopySource={"Bucket": shared(), "Key": "from ä"})
    put(shared(), "from ä", b"changed")
    assert get(shared(), "to")["Body"].read() == b"copy"
    with refused("NoSuchKey", 404):
        client().copy_object(
            Bucket=shared(), Key="to", CopySource={"Bucket": shared(), "Key": "never"})
