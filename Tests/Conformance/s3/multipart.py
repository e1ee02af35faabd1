"""Multipart uploads."""

import hashlib
import time

from s3._s3 import (
    PART, Upload, bucket, client, get, head, keys, missing, put, raw, read, refused, shared,
    unique,
)

BIG = b"a" * PART


def parts_become_one_object():
    upload = Upload(ContentType="text/x", Metadata={"a": "b"})
    upload.add(BIG)
    upload.add(b"tail")
    tag = upload.complete()["ETag"]
    digests = b"".join(hashlib.md5(body).digest() for body in (BIG, b"tail"))
    assert tag == f'"{hashlib.md5(digests).hexdigest()}-2"'
    answer = get(upload.place["Bucket"], upload.place["Key"])
    assert (answer["ContentLength"], answer["ETag"]) == (PART + 4, tag)
    assert (answer["ContentType"], answer["Metadata"]) == ("text/x", {"a": "b"})
    assert answer["Body"].read() == BIG + b"tail"


def an_object_appears_when_its_upload_is_complete():
    upload = Upload()
    upload.add(b"x")
    missing(upload.place["Bucket"], upload.place["Key"])
    upload.complete()
    assert read(upload.place["Bucket"], upload.place["Key"]) == b"x"


def a_part_is_replaced_by_one_of_its_number():
    upload = Upload()
    upload.add(b"old", 1)
    upload.parts.clear()
    upload.add(b"new", 1)
    upload.complete()
    assert read(upload.place["Bucket"], upload.place["Key"]) == b"new"


def part_numbers_may_have_gaps():
    upload = Upload()
    upload.add(BIG, 3)
    upload.add(b"tail", 10_000)
    upload.complete()
    assert head(upload.place["Bucket"], upload.place["Key"])["ContentLength"] == PART + 4
    answer = get(upload.place["Bucket"], upload.place["Key"], PartNumber=10_000)
    assert (answer["Body"].read(), answer["PartsCount"]) == (b"tail", 2)
    with refused("InvalidPartNumber", 416, PartNumberRequested="4", ActualPartCount="2"):
        get(upload.place["Bucket"], upload.place["Key"], PartNumber=4)


def part_numbers_are_1_to_10000():
    upload = Upload()
    put(shared(), "part")
    for number in ("0", "-1", "10001", "x", ""):
        raw("GET", f"/{shared()}/part?partNumber={number}").refuses("InvalidArgument", 400)
        raw(
            "PUT", f"/{upload.place['Bucket']}/{upload.place['Key']}?partNumber={number}"
            f"&uploadId={upload.id}", body=b"x").refuses("InvalidArgument", 400)


def parts_that_are_not_listed_are_left_out():
    upload = Upload()
    upload.add(b"one", 1)
    upload.add(b"two", 2)
    upload.complete(upload.parts[1:])
    assert read(upload.place["Bucket"], upload.place["Key"]) == b"two"


def all_parts_but_the_last_have_5_mib():
    upload = Upload()
    upload.add(b"small")
    upload.add(b"last")
    with refused(
        "EntityTooSmall", 400, ProposedSize="5", MinSizeAllowed=str(PART), PartNumber="1"
    ):
        upload.complete()


def parts_are_listed_in_order():
    upload = Upload()
    upload.add(BIG)
    upload.add(b"x")
    with refused("InvalidPartOrder", 400, UploadId=upload.id):
        upload.complete(upload.parts[::-1])


def parts_must_match_what_was_uploaded():
    upload = Upload()
    tag = upload.add(b"x")["ETag"]
    other = '"d41d8cd98f00b204e9800998ecf8427e"'
    for part in ({"PartNumber": 1, "ETag": other}, {"PartNumber": 2, "ETag": tag}):
        with refused("InvalidPart", 400, PartNumber=str(part["PartNumber"]), UploadId=upload.id):
            upload.complete([part])


def a_list_has_at_least_one_part():
    upload = Upload()
    upload.add(b"x")
    with refused("InvalidRequest", 400, "You must specify at least one part"):
        upload.complete([])
    path = f"/{upload.place['Bucket']}/{upload.place['Key']}?uploadId={upload.id}"
    raw("POST", path).refuses("MalformedXML", 400)


def completing_again_answers_the_same():
    upload = Upload()
    upload.add(b"x")
    first, second = upload.complete(), upload.complete()
    assert (first["ETag"], first["Key"]) == (second["ETag"], second["Key"])
    put(upload.place["Bucket"], upload.place["Key"], b"another")
    with refused("NoSuchUpload", 404):
        upload.complete()


def completing_again_with_other_parts_is_404():
    upload = Upload()
    upload.add(BIG)
    upload.add(b"x")
    upload.complete()
    with refused("NoSuchUpload", 404):
        upload.complete(upload.parts[:1])


def a_part_that_is_listed_twice_counts_once():
    upload = Upload()
    upload.add(b"one")
    upload.add(b"two")
    other, part = upload.parts
    upload.complete([{**other, "PartNumber": 2}, part])
    assert read(upload.place["Bucket"], upload.place["Key"]) == b"two"


def an_unknown_upload_is_404():
    upload = Upload()
    upload.add(b"x")
    upload.abort()
    for call in (upload.complete, upload.abort, lambda: upload.add(b"x")):
        with refused("NoSuchUpload", 404, UploadId=upload.id):
            call()


def an_upload_belongs_to_its_key():
    upload = Upload()
    upload.place["Key"] += "-other"
    with refused("NoSuchUpload", 404):
        upload.add(b"x")


def parts_are_listed_with_pages():
    upload = Upload()
    for _ in range(3):
        upload.add(b"x")
    first = client().list_parts(**upload.place, UploadId=upload.id, MaxParts=2)
    assert [part["PartNumber"] for part in first["Parts"]] == [1, 2]
    assert (first["IsTruncated"], first["NextPartNumberMarker"]) == (True, 2)
    rest = client().list_parts(**upload.place, UploadId=upload.id, PartNumberMarker=2)
    assert [part["PartNumber"] for part in rest["Parts"]] == [3]
    assert rest["IsTruncated"] is False


def uploads_are_listed_by_key():
    name = bucket()
    for key in ("b", "a/1", "c"):
        Upload(name, key)
    answer = client().list_multipart_uploads(Bucket=name)
    assert keys(answer, "Uploads") == ["a/1", "b", "c"]
    assert keys(client().list_multipart_uploads(Bucket=name, Prefix="a/"), "Uploads") == ["a/1"]


def uploads_have_pages():
    name = bucket()
    for key in ("a", "b"):
        Upload(name, key)
    first = client().list_multipart_uploads(Bucket=name, MaxUploads=1)
    assert (keys(first, "Uploads"), first["IsTruncated"]) == (["a"], True)
    rest = client().list_multipart_uploads(
        Bucket=name, KeyMarker=first["NextKeyMarker"],
        UploadIdMarker=first["NextUploadIdMarker"])
    assert keys(rest, "Uploads") == ["b"]


def a_complete_upload_is_not_listed():
    name = bucket()
    upload = Upload(name, "k")
    upload.add(b"x")
    upload.complete()
    assert "Uploads" not in client().list_multipart_uploads(Bucket=name)


def a_bucket_may_be_deleted_with_uploads_in_progress():
    name = bucket()
    Upload(name, "k").add(b"x")
    client().delete_bucket(Bucket=name)


def a_part_is_copied():
    source = unique()
    put(shared(), source, b"0123456789")
    upload = Upload()
    answer = client().upload_part_copy(
        **upload.place, UploadId=upload.id, PartNumber=1, CopySource=f"{shared()}/{source}",
        CopySourceRange="bytes=2-4")
    upload.complete([{"PartNumber": 1, "ETag": answer["CopyPartResult"]["ETag"]}])
    assert read(upload.place["Bucket"], upload.place["Key"]) == b"234"


def _copy(wanted):
    source = unique()
    put(shared(), source, b"0123456789")
    upload = Upload()
    client().upload_part_copy(
        **upload.place, UploadId=upload.id, PartNumber=1, CopySource=f"{shared()}/{source}",
        CopySourceRange=wanted)


def a_copied_range_has_two_ends():
    for wanted in ("0-2", "bytes=0", "bytes=2-", "bytes=-2", "bytes=2-1", "bytes=0-1,3-4"):
        with refused("InvalidArgument", 400, "must be of the form bytes=first-last"):
            _copy(wanted)


def a_copied_range_is_within_the_source():
    with refused("InvalidArgument", 400, "not valid for source object of size: 10"):
        _copy("bytes=0-10")
    with refused("InvalidRequest", 400, "invalid for the source object size"):
        _copy("bytes=10-11")


def an_upload_is_completed_only_if_there_is_no_object():
    upload = Upload()
    upload.add(b"x")
    put(upload.place["Bucket"], upload.place["Key"], b"there")
    with refused("PreconditionFailed", 412, Condition="If-None-Match"):
        upload.complete(IfNoneMatch="*")


def an_upload_is_completed_only_over_the_tag():
    key = unique()
    tag = put(shared(), key, b"old")["ETag"]
    upload = Upload(key=key)
    upload.add(b"x")
    with refused("PreconditionFailed", 412, Condition="If-Match"):
        upload.complete(IfMatch='"other"')
    upload.complete(IfMatch=tag)


def an_object_that_was_written_meanwhile_is_a_conflict():
    upload = Upload()
    upload.add(b"x")
    time.sleep(1)
    tag = put(upload.place["Bucket"], upload.place["Key"], b"new")["ETag"]
    with refused("ConditionalRequestConflict", 409):
        upload.complete(IfMatch=tag)


def a_size_that_is_sent_must_be_right():
    upload = Upload()
    upload.add(b"1234")
    with refused("InvalidRequest", 400, "does not match what was computed: 4"):
        upload.complete(MpuObjectSize=5)
    upload.complete(MpuObjectSize=4)


def a_part_of_an_object_is_read_by_its_number():
    upload = Upload()
    upload.add(BIG)
    upload.add(b"tail")
    upload.complete()
    answer = get(upload.place["Bucket"], upload.place["Key"], PartNumber=2)
    assert answer["Body"].read() == b"tail"
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 206
    assert (answer["PartsCount"], answer["ContentLength"]) == (2, 4)
    assert answer["ContentRange"] == f"bytes {PART}-{PART + 3}/{PART + 4}"
    assert "x-amz-checksum-parts" not in answer["ResponseMetadata"]["HTTPHeaders"]
    answer = head(upload.place["Bucket"], upload.place["Key"], PartNumber=1)
    assert (answer["PartsCount"], answer["ContentLength"]) == (2, PART)


def a_part_that_does_not_exist_is_416():
    upload = Upload()
    upload.add(b"x")
    upload.complete()
    with refused("InvalidPartNumber", 416, PartNumberRequested="2", ActualPartCount="1"):
        get(upload.place["Bucket"], upload.place["Key"], PartNumber=2)


def an_object_that_was_put_at_once_has_one_part():
    key = unique()
    put(shared(), key, b"abc")
    answer = get(shared(), key, PartNumber=1)
    assert (answer["Body"].read(), answer["ContentRange"]) == (b"abc", "bytes 0-2/3")
    assert "PartsCount" not in answer
    put(shared(), "empty")
    answer = get(shared(), "empty", PartNumber=1)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    with refused("InvalidPartNumber", 416, ActualPartCount="1"):
        get(shared(), key, PartNumber=2)


def a_part_has_no_range():
    key = unique()
    put(shared(), key, b"abc")
    with refused("InvalidRequest", 400, "Cannot specify both Range header and partNumber"):
        get(shared(), key, PartNumber=1, Range="bytes=0-1")
