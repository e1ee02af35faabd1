"""Checksums and attributes of objects."""

import base64
import contextlib
import hashlib
import struct
import zlib

from harness.cases import differs
from s3._s3 import PART, Upload, client, get, head, md5, put, raw, refused, sha256, shared, unique

KNOWN = {
    "CRC32": "NhCmhg==", "CRC32C": "mnG7TA==", "CRC64NVME": "M3eFcAZSQlc=",
    "SHA1": "qvTGHdzF6KLavt4PO0gs2a6pQ00=",
    "SHA256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
}
BIG = b"a" * PART


def _crc32(body):
    return base64.b64encode(struct.pack(">I", zlib.crc32(body))).decode()


def each_checksum_is_compared_and_answered():
    for algorithm, value in KNOWN.items():
        answer = put(shared(), unique(), b"hello", **{f"Checksum{algorithm}": value})
        assert answer[f"Checksum{algorithm}"] == value
        assert answer["ChecksumType"] == "FULL_OBJECT"


def a_wrong_checksum_is_a_bad_digest():
    for algorithm, value in KNOWN.items():
        key = unique()
        with refused(
            "BadDigest", 400,
            f"The {algorithm} you specified did not match the calculated checksum."
        ):
            put(shared(), key, b"hello!", **{f"Checksum{algorithm}": value})
        with refused("404", 404):
            head(shared(), key)


def a_malformed_checksum_is_an_invalid_request():
    for algorithm in KNOWN:
        message = f"Value for x-amz-checksum-{algorithm.lower()} header is invalid."
        with refused("InvalidRequest", 400, message):
            put(shared(), unique(), b"hello", **{f"Checksum{algorithm}": "bad"})


def one_checksum_is_expected():
    with refused("InvalidRequest", 400, "Expecting a single x-amz-checksum- header."):
        put(
            shared(), unique(), b"hello", ChecksumCRC32=KNOWN["CRC32"],
            ChecksumSHA1=KNOWN["SHA1"])


def an_algorithm_needs_a_checksum():
    raw(
        "PUT", f"/{shared()}/{unique()}", {"x-amz-sdk-checksum-algorithm": "CRC32"}, b"hello"
    ).refuses("InvalidRequest", 400)


def a_checksum_may_follow_the_body():
    key = unique()
    client("when_supported").put_object(
        Bucket=shared(), Key=key, Body=b"hello", ChecksumAlgorithm="CRC32")
    assert head(shared(), key, ChecksumMode="ENABLED")["ChecksumCRC32"] == KNOWN["CRC32"]


def a_checksum_is_answered_if_asked():
    key = unique()
    put(shared(), key, b"hello", ChecksumSHA256=KNOWN["SHA256"])
    for call in (get, head):
        assert "ChecksumSHA256" not in call(shared(), key)
        answer = call(shared(), key, ChecksumMode="ENABLED")
        assert answer["ChecksumSHA256"] == KNOWN["SHA256"]
        assert answer["ChecksumType"] == "FULL_OBJECT"


def a_range_has_no_checksum():
    key = unique()
    put(shared(), key, b"hello", ChecksumSHA256=KNOWN["SHA256"])
    answer = get(shared(), key, ChecksumMode="ENABLED", Range="bytes=0-1")
    assert "ChecksumSHA256" not in answer


def the_digest_of_the_body_is_compared():
    path = f"/{shared()}/{unique()}"
    assert raw("PUT", path, {"Content-MD5": md5(b"hello")}, b"hello").status == 200
    raw("PUT", path, {"Content-MD5": md5(b"other")}, b"hello").refuses("BadDigest", 400)


def a_malformed_digest_is_invalid():
    for text in ("__invalid__", "000", "not base64", "MTIz", "dGVzdC1zdHJpbmc="):
        raw("PUT", f"/{shared()}/{unique()}", {"Content-MD5": text}, b"hello").refuses(
            "InvalidDigest", 400)


def the_hash_that_was_signed_is_compared():
    path = f"/{shared()}/{unique()}"
    raw("PUT", path, body=b"hello", payload=hashlib.sha256(b"x").hexdigest()).refuses(
        "XAmzContentSHA256Mismatch", 400)
    raw("PUT", path, body=b"hello", payload="something").refuses("InvalidArgument", 400)
    assert raw("PUT", path, body=b"hello", payload="UNSIGNED-PAYLOAD").status == 200


def parts_make_a_composite_checksum():
    upload = Upload(ChecksumAlgorithm="SHA256")
    assert upload.answer["ChecksumType"] == "COMPOSITE"
    for body in (BIG, b"tail"):
        upload.add(body, ChecksumAlgorithm="SHA256")
    answer = upload.complete()
    digests = b"".join(hashlib.sha256(body).digest() for body in (BIG, b"tail"))
    assert answer["ChecksumSHA256"] == f"{sha256(digests)}-2"
    assert answer["ChecksumType"] == "COMPOSITE"
    found = head(upload.place["Bucket"], upload.place["Key"], ChecksumMode="ENABLED")
    assert found["ChecksumSHA256"] == answer["ChecksumSHA256"]


def parts_make_the_checksum_of_the_full_object():
    upload = Upload(ChecksumAlgorithm="CRC32", ChecksumType="FULL_OBJECT")
    for body in (BIG, b"tail"):
        upload.add(body, ChecksumAlgorithm="CRC32")
    value = _crc32(BIG + b"tail")
    answer = upload.complete(ChecksumType="FULL_OBJECT", ChecksumCRC32=value)
    assert (answer["ChecksumCRC32"], answer["ChecksumType"]) == (value, "FULL_OBJECT")


def the_checksum_of_a_full_object_counts_with_its_type():
    upload = Upload(ChecksumAlgorithm="CRC32", ChecksumType="FULL_OBJECT")
    upload.add(b"hello", ChecksumAlgorithm="CRC32")
    message = "The crc32 you specified did not match the calculated checksum."
    with refused("BadDigest", 400, message):
        upload.complete(ChecksumCRC32=KNOWN["CRC32"])
    with refused("BadDigest", 400, message):
        upload.complete(ChecksumType="FULL_OBJECT", ChecksumCRC32=_crc32(b"other"))


def each_part_of_a_composite_has_its_checksum():
    upload = Upload(ChecksumAlgorithm="CRC32")
    upload.add(b"hello", ChecksumAlgorithm="CRC32")
    part = {"PartNumber": 1, "ETag": upload.parts[0]["ETag"]}
    with refused("InvalidRequest", 400, "It was missing for part 1 in the request."):
        upload.complete([part])
    with refused("InvalidPart", 400):
        upload.complete([part | {"ChecksumCRC32": _crc32(b"other")}])
    with refused("BadDigest", 400, "The sha256 you specified for part 1 did not match"):
        upload.complete([part | {"ChecksumSHA256": KNOWN["SHA256"]}])
    upload.complete()


def an_upload_without_checksum_takes_none():
    upload = Upload()
    upload.add(b"hello")
    with refused("InvalidRequest", 400, "created using the null checksum mode"):
        upload.complete(ChecksumType="FULL_OBJECT")
    with refused("InvalidPart", 400):
        upload.complete([upload.parts[0] | {"ChecksumCRC32": KNOWN["CRC32"]}])


def a_part_has_the_algorithm_of_its_upload():
    upload = Upload(ChecksumAlgorithm="SHA256")
    with refused(
        "InvalidRequest", 400, "expected checksum Type: sha256, actual checksum Type: crc32"
    ):
        upload.add(b"hello", ChecksumCRC32=KNOWN["CRC32"])


def some_types_need_another_algorithm():
    for algorithm, kind in (
        ("SHA1", "FULL_OBJECT"), ("SHA256", "FULL_OBJECT"), ("CRC64NVME", "COMPOSITE")
    ):
        with refused("InvalidRequest", 400, f"The {kind} checksum type cannot be used with the"):
            Upload(ChecksumAlgorithm=algorithm, ChecksumType=kind)
    with refused("InvalidRequest", 400, "can only be used with the x-amz-checksum-algorithm"):
        Upload(ChecksumType="COMPOSITE")
    with refused("InvalidRequest", 400, "Value for x-amz-checksum-type header is invalid."):
        Upload(ChecksumAlgorithm="CRC32", ChecksumType="BOTH")
    with refused("InvalidRequest", 400, "Checksum algorithm provided is unsupported."):
        Upload(ChecksumAlgorithm="MD5")


def an_upload_says_its_algorithm_and_type():
    for algorithm, more, kind in (
        ("CRC32", {}, "COMPOSITE"), ("CRC32C", {"ChecksumType": "FULL_OBJECT"}, "FULL_OBJECT"),
        ("CRC64NVME", {}, "FULL_OBJECT"), ("sha1", {"ChecksumType": "COMPOSITE"}, "COMPOSITE"),
    ):
        answer = Upload(ChecksumAlgorithm=algorithm, **more).answer
        assert answer["ChecksumAlgorithm"] == algorithm.upper(), answer
        assert answer["ChecksumType"] == kind, answer


def a_part_gets_the_checksum_of_its_upload():
    assert Upload(ChecksumAlgorithm="CRC32").add(b"hello")["ChecksumCRC32"] == KNOWN["CRC32"]
    upload = Upload()
    assert upload.add(b"hello", ChecksumCRC32C=KNOWN["CRC32C"])["ChecksumCRC32C"]
    listed = client().list_parts(**upload.place, UploadId=upload.id)["Parts"][0]
    assert "ChecksumCRC32C" not in listed


def the_checksum_of_all_parts_is_compared():
    kept = {"ChecksumCRC32": "FKTmaw==-1", "ChecksumType": "COMPOSITE"}
    full = {"ChecksumCRC32": KNOWN["CRC32"], "ChecksumType": "FULL_OBJECT"}
    for kind, more, code in (
        ("COMPOSITE", {"ChecksumType": "FULL_OBJECT"}, "InvalidRequest"),
        ("COMPOSITE", {"ChecksumCRC32": "bad"}, "BadDigest"),
        ("COMPOSITE", {"ChecksumCRC32": KNOWN["CRC32"]}, "BadDigest"),
        ("COMPOSITE", {"ChecksumCRC32C": KNOWN["CRC32C"]}, "BadDigest"),
        ("COMPOSITE", {}, kept), ("COMPOSITE", kept, kept), ("FULL_OBJECT", {}, full),
        ("FULL_OBJECT", {"ChecksumType": "COMPOSITE"}, "InvalidRequest"),
    ):
        upload = Upload(ChecksumAlgorithm="CRC32", ChecksumType=kind)
        upload.add(b"hello")
        with contextlib.nullcontext() if code in (kept, full) else refused(code, 400):
            answer = upload.complete(**more)
            assert answer.items() >= code.items(), answer


def a_part_of_a_full_object_has_no_checksum_of_its_own():
    upload = Upload(ChecksumAlgorithm="CRC32", ChecksumType="FULL_OBJECT")
    upload.add(BIG)
    upload.add(b"tail")
    upload.complete()
    answer = get(upload.place["Bucket"], upload.place["Key"], PartNumber=2, ChecksumMode="ENABLED")
    assert answer["Body"].read() == b"tail" and "ChecksumCRC32" not in answer


def a_part_is_answered_with_its_own_checksum():
    upload = Upload(ChecksumAlgorithm="CRC32")
    for body in (BIG, b"tail"):
        upload.add(body, ChecksumAlgorithm="CRC32")
    upload.complete()
    answer = get(
        upload.place["Bucket"], upload.place["Key"], PartNumber=2, ChecksumMode="ENABLED")
    assert (answer["ChecksumCRC32"], answer["ChecksumType"]) == (_crc32(b"tail"), "COMPOSITE")


ALL = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]


def _attributes(key, names=ALL, name=None, **more):
    return client().get_object_attributes(
        Bucket=name or shared(), Key=key, ObjectAttributes=names, **more)


def attributes_are_those_that_were_asked_for():
    key = unique()
    tag = put(shared(), key, b"hello", ChecksumSHA1=KNOWN["SHA1"])["ETag"].strip('"')
    answer = _attributes(key)
    assert (answer["ETag"], answer["ObjectSize"]) == (tag, 5)
    assert answer["StorageClass"] == "STANDARD"
    assert answer["Checksum"] == {"ChecksumSHA1": KNOWN["SHA1"], "ChecksumType": "FULL_OBJECT"}
    assert "ObjectParts" not in answer and answer["LastModified"]
    few = _attributes(key, ["ObjectSize"])
    assert "ETag" not in few and few["ObjectSize"] == 5


def attributes_must_be_named():
    path = f"/{shared()}/k?attributes"
    raw("GET", path).refuses("InvalidRequest", 400)
    raw("GET", path, {"x-amz-object-attributes": "Color"}).refuses("InvalidArgument", 400)
    with refused("NoSuchKey", 404):
        _attributes("none")


def parts_are_listed_with_their_checksums():
    upload = Upload(ChecksumAlgorithm="SHA256")
    for body in (BIG, b"tail"):
        upload.add(body, ChecksumAlgorithm="SHA256")
    upload.complete()
    answer = _attributes(upload.place["Key"], name=upload.place["Bucket"])
    parts = answer["ObjectParts"]
    assert (parts["TotalPartsCount"], parts["IsTruncated"]) == (2, False)
    assert [part["Size"] for part in parts["Parts"]] == [PART, 4]
    assert parts["Parts"][1]["ChecksumSHA256"] == sha256(b"tail")
    assert "-" not in answer["Checksum"]["ChecksumSHA256"]
    page = _attributes(
        upload.place["Key"], name=upload.place["Bucket"], MaxParts=1)["ObjectParts"]
    assert (page["IsTruncated"], page["NextPartNumberMarker"]) == (True, 1)
    page = _attributes(
        upload.place["Key"], name=upload.place["Bucket"], MaxParts=1,
        PartNumberMarker=1)["ObjectParts"]
    assert [part["PartNumber"] for part in page["Parts"]] == [2] and not page["IsTruncated"]


def a_copy_has_no_parts():
    upload = Upload(ChecksumAlgorithm="SHA256")
    upload.add(b"hello", ChecksumAlgorithm="SHA256")
    upload.complete()
    key = unique("copy")
    answer = client().copy_object(Bucket=shared(), Key=key, CopySource=upload.place)
    assert answer["CopyObjectResult"]["ChecksumSHA256"] == KNOWN["SHA256"]
    answer = _attributes(key)
    assert "ObjectParts" not in answer and answer["Checksum"]["ChecksumType"] == "FULL_OBJECT"


def parts_without_checksums_are_counted():
    upload = Upload()
    upload.add(b"x")
    upload.complete()
    answer = _attributes(upload.place["Key"], name=upload.place["Bucket"])
    assert answer["ObjectParts"] == {"TotalPartsCount": 1}


@differs("a checksum that no client asked for is not computed")
def every_object_has_a_checksum():
    key = unique()
    put(shared(), key, b"hello")
    assert head(shared(), key, ChecksumMode="ENABLED")["ChecksumCRC64NVME"] == KNOWN["CRC64NVME"]
