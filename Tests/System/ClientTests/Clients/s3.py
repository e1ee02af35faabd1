"""boto3 with S3, with the SDK's defaults: checksums in trailers."""

import base64
import hashlib
import io
import threading
import time
import zlib

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError
from judge import case, client, fetch, refused, resource, run

MIB = 1 << 20
s3 = client("s3")


def put(key, body=b"body", **more):
    return s3.put_object(Bucket="judged", Key=key, Body=body, **more)


def get(key, **more):
    return s3.get_object(Bucket="judged", Key=key, **more)


@case
def buckets_come_and_go():
    s3.create_bucket(Bucket="second")
    s3.get_waiter("bucket_exists").wait(Bucket="second", WaiterConfig={"Delay": 1})
    names = [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
    assert names == sorted(names) and {"judged", "second"} <= set(names), names
    s3.put_object(Bucket="second", Key="k", Body=b"")
    with refused("BucketNotEmpty", 409):
        s3.delete_bucket(Bucket="second")
    s3.delete_object(Bucket="second", Key="k")
    s3.delete_bucket(Bucket="second")
    with refused("404", 404):
        s3.head_bucket(Bucket="second")
    with refused("NoSuchBucket", 404, "The specified bucket does not exist"):
        s3.list_objects_v2(Bucket="second")
    with refused("InvalidBucketName", 400):
        s3.create_bucket(Bucket="no_underscores.")


@case
def an_object_keeps_its_bytes_and_its_headers():
    body = bytes(range(256)) * 40
    etag = put(
        "docs/ä b+c%20&=?.bin", body, ContentType="image/png", CacheControl="max-age=60",
        ContentDisposition='attachment; filename="x"', Metadata={"Name": "value", "n": "1"},
    )["ETag"]
    assert etag == f'"{hashlib.md5(body).hexdigest()}"'
    found = get("docs/ä b+c%20&=?.bin")
    assert found["Body"].read() == body
    assert found["ETag"] == etag and found["ContentType"] == "image/png"
    assert found["CacheControl"] == "max-age=60"
    assert found["ContentDisposition"] == 'attachment; filename="x"'
    assert found["Metadata"] == {"name": "value", "n": "1"}, found["Metadata"]
    assert found["ContentLength"] == len(body) and found["AcceptRanges"] == "bytes"
    put("plain")
    assert get("plain")["ContentType"] == "binary/octet-stream"
    put("empty", b"")
    assert get("empty")["Body"].read() == b""


@case
def the_head_of_an_object_tells_its_length():
    put("head", b"x" * 1234, ContentType="text/plain", Metadata={"a": "b"})
    head = s3.head_object(Bucket="judged", Key="head")
    assert head["ContentType"] == "text/plain" and head["Metadata"] == {"a": "b"}
    assert head["LastModified"] == get("head")["LastModified"]
    assert head["ContentLength"] == 1234, head["ContentLength"]


@case
def what_is_not_there_is_named():
    with refused("NoSuchKey", 404, "The specified key does not exist.") as absent:
        get("never")
    assert absent.response["Error"]["Key"] == "never"
    assert isinstance(absent.error, s3.exceptions.NoSuchKey)
    with refused("404", 404):
        s3.head_object(Bucket="judged", Key="never")
    with refused("NoSuchBucket", 404) as absent:
        s3.get_object(Bucket="nobodys", Key="k")
    assert isinstance(absent.error, s3.exceptions.NoSuchBucket)
    # Deleting a missing key succeeds.
    deleted = s3.delete_object(Bucket="judged", Key="never")
    assert deleted["ResponseMetadata"]["HTTPStatusCode"] == 204


@case
def ranges_are_parts():
    put("range", b"0123456789")
    for asked, body, told in (
        ("bytes=0-3", b"0123", "bytes 0-3/10"),
        ("bytes=4-", b"456789", "bytes 4-9/10"),
        ("bytes=-2", b"89", "bytes 8-9/10"),
        ("bytes=8-100", b"89", "bytes 8-9/10"),
    ):
        part = get("range", Range=asked)
        assert part["Body"].read() == body and part["ContentRange"] == told, asked
        assert part["ResponseMetadata"]["HTTPStatusCode"] == 206
        assert part["ContentLength"] == len(body)
    with refused("InvalidRange", 416):
        get("range", Range="bytes=10-")


@case
def conditions_are_kept():
    etag = put("cond", b"1")["ETag"]
    modified = get("cond", IfMatch=etag)["LastModified"]
    with refused("304", 304):
        get("cond", IfNoneMatch=etag)
    with refused("304", 304):
        get("cond", IfModifiedSince=modified)
    with refused("PreconditionFailed", 412):
        get("cond", IfMatch='"other"')
    with refused("PreconditionFailed", 412):
        put("cond", b"2", IfNoneMatch="*")
    with refused("PreconditionFailed", 412):
        put("cond", b"2", IfMatch='"other"')
    put("cond", b"2", IfMatch=etag)
    assert get("cond")["Body"].read() == b"2"


@case
def of_racing_first_writers_one_wins():
    outcomes = []
    own = client("s3", max_pool_connections=8)

    def write(number):
        try:
            own.put_object(
                Bucket="judged", Key="first", Body=str(number).encode(), IfNoneMatch="*")
            outcomes.append(number)
        except ClientError as error:
            assert error.response["Error"]["Code"] in (
                "PreconditionFailed", "ConditionalRequestConflict")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [get("first")["Body"].read()] == [str(number).encode() for number in outcomes]


@case
def checksums_are_verified_and_returned():
    for algorithm, name in (
        ("CRC32", "ChecksumCRC32"), ("SHA1", "ChecksumSHA1"), ("SHA256", "ChecksumSHA256"),
    ):
        answer = put("sum", b"sum", ChecksumAlgorithm=algorithm)
        found = get("sum", ChecksumMode="ENABLED")
        assert found["Body"].read() == b"sum" and found[name] == answer[name], found
    crc = base64.b64encode(zlib.crc32(b"sum").to_bytes(4, "big")).decode()
    assert put("sum", b"sum")["ChecksumCRC32"] == crc
    # A stream has its checksum in a trailer, and chunk framing is not stored.
    put("stream", io.BytesIO(b"streamed" * 40_000))
    assert get("stream")["Body"].read() == b"streamed" * 40_000
    with refused("BadDigest", 400):
        put("sum", b"other", ChecksumCRC32=crc)
    with refused("BadDigest", 400):
        put("sum", b"x", ContentMD5=base64.b64encode(hashlib.md5(b"y").digest()).decode())
    with refused("InvalidDigest", 400):
        put("sum", b"x", ContentMD5="nonsense")
    older = client(
        "s3", request_checksum_calculation="when_required",
        response_checksum_validation="when_required")
    older.put_object(Bucket="judged", Key="older", Body=b"older")
    assert older.get_object(Bucket="judged", Key="older")["Body"].read() == b"older"


@case
def a_large_upload_is_made_of_parts():
    body = bytes(range(251)) * (13 * MIB // 251)
    config = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)
    s3.upload_fileobj(
        io.BytesIO(body), "judged", "large", Config=config,
        ExtraArgs={"ContentType": "video/mp4", "Metadata": {"a": "b"}})
    head = get("large", Range="bytes=0-0")
    assert head["ETag"].endswith('-3"') and head["ContentType"] == "video/mp4", head
    assert head["ContentRange"] == f"bytes 0-0/{len(body)}" and head["Metadata"] == {"a": "b"}
    assert get("large")["Body"].read() == body


@case
def a_download_in_parts_is_the_whole():
    # It requests the length first, with HEAD.
    config = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)
    into = io.BytesIO()
    s3.download_fileobj("judged", "large", into, Config=config)
    assert into.getvalue() == get("large")["Body"].read()


@case
def an_upload_in_parts_by_hand():
    upload = s3.create_multipart_upload(Bucket="judged", Key="parts")["UploadId"]
    ask = {"Bucket": "judged", "Key": "parts", "UploadId": upload}
    uploads = s3.list_multipart_uploads(Bucket="judged")["Uploads"]
    assert upload in [item["UploadId"] for item in uploads]
    etags = [
        s3.upload_part(**ask, PartNumber=number, Body=body)["ETag"]
        for number, body in ((1, b"a" * 5 * MIB), (2, b"end"))
    ]
    assert [part["Size"] for part in s3.list_parts(**ask)["Parts"]] == [5 * MIB, 3]
    parts = [{"PartNumber": number + 1, "ETag": etag} for number, etag in enumerate(etags)]
    with refused("InvalidPart", 400):
        s3.complete_multipart_upload(
            **ask, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": '"no"'}]})
    with refused("InvalidPartOrder", 400):
        s3.complete_multipart_upload(**ask, MultipartUpload={"Parts": parts[::-1]})
    done = s3.complete_multipart_upload(**ask, MultipartUpload={"Parts": parts})
    digests = b"".join(bytes.fromhex(etag.strip('"')) for etag in etags)
    assert done["ETag"] == f'"{hashlib.md5(digests).hexdigest()}-2"', done["ETag"]
    assert get("parts", Range="bytes=-4")["Body"].read() == b"aend"
    with refused("NoSuchUpload", 404):
        s3.list_parts(**ask)


@case
def an_upload_that_is_given_up_leaves_nothing():
    upload = s3.create_multipart_upload(Bucket="judged", Key="aborted")["UploadId"]
    ask = {"Bucket": "judged", "Key": "aborted", "UploadId": upload}
    small = [s3.upload_part(**ask, PartNumber=number, Body=b"x")["ETag"] for number in (1, 2)]
    with refused("EntityTooSmall", 400):
        s3.complete_multipart_upload(**ask, MultipartUpload={"Parts": [
            {"PartNumber": number + 1, "ETag": etag} for number, etag in enumerate(small)]})
    s3.abort_multipart_upload(**ask)
    assert "Uploads" not in s3.list_multipart_uploads(Bucket="judged")
    with refused("NoSuchKey", 404):
        get("aborted")


@case
def lists_come_page_by_page():
    keys = [f"list/{folder}/{number:02}" for folder in ("a", "b") for number in range(12)]
    for key in keys + ["list/top", "list/ünï"]:
        put(key, b"12")
    pages = list(s3.get_paginator("list_objects_v2").paginate(
        Bucket="judged", Prefix="list/", PaginationConfig={"PageSize": 7}))
    listed = [item["Key"] for page in pages for item in page["Contents"]]
    assert listed == keys + ["list/top", "list/ünï"] and len(pages) == 4, listed
    assert all(item["Size"] == 2 for page in pages for item in page["Contents"])
    assert pages[0]["IsTruncated"] and pages[0]["KeyCount"] == 7
    folders = s3.list_objects_v2(Bucket="judged", Prefix="list/", Delimiter="/")
    assert [item["Prefix"] for item in folders["CommonPrefixes"]] == ["list/a/", "list/b/"]
    assert [item["Key"] for item in folders["Contents"]] == ["list/top", "list/ünï"]
    assert folders["KeyCount"] == 4
    after = s3.list_objects_v2(Bucket="judged", Prefix="list/a/", StartAfter="list/a/09")
    assert [item["Key"] for item in after["Contents"]] == ["list/a/10", "list/a/11"]
    older = s3.get_paginator("list_objects").paginate(
        Bucket="judged", Prefix="list/a/", PaginationConfig={"PageSize": 5})
    assert sum(len(page["Contents"]) for page in older) == 12
    names = [item.key for item in resource("s3").Bucket("judged").objects.filter(Prefix="list/b/")]
    assert names == [key for key in keys if key.startswith("list/b/")]


@case
def many_are_deleted_at_once():
    keys = [f"many/{number}&<>" for number in range(30)]
    for key in keys:
        put(key)
    told = s3.delete_objects(
        Bucket="judged", Delete={"Objects": [{"Key": key} for key in keys[:20]]})
    assert sorted(item["Key"] for item in told["Deleted"]) == sorted(keys[:20])
    quiet = s3.delete_objects(
        Bucket="judged", Delete={"Quiet": True, "Objects": [{"Key": key} for key in keys[20:]]})
    assert "Deleted" not in quiet and "Errors" not in quiet
    assert s3.list_objects_v2(Bucket="judged", Prefix="many/")["KeyCount"] == 0
    with refused("MalformedXML", 400):
        s3.delete_objects(Bucket="judged", Delete={"Objects": [{"Key": "k"}] * 1001})


@case
def a_copy_is_an_object_of_its_own():
    etag = put("from ä", b"copy", ContentType="text/plain", Metadata={"a": "1"})["ETag"]
    source = {"Bucket": "judged", "Key": "from ä"}
    copied = s3.copy_object(Bucket="judged", Key="to", CopySource=source)["CopyObjectResult"]
    assert copied["ETag"] == etag
    put("from ä", b"changed")
    found = get("to")
    assert found["Body"].read() == b"copy" and found["Metadata"] == {"a": "1"}
    s3.copy_object(
        Bucket="judged", Key="to", CopySource={"Bucket": "judged", "Key": "to"},
        MetadataDirective="REPLACE", Metadata={"b": "2"}, ContentType="text/html")
    found = get("to")
    assert found["Metadata"] == {"b": "2"} and found["ContentType"] == "text/html"
    with refused("NoSuchKey", 404):
        s3.copy_object(
            Bucket="judged", Key="to", CopySource={"Bucket": "judged", "Key": "never"})
    with refused("InvalidRequest", 400):
        s3.copy_object(Bucket="judged", Key="to", CopySource={"Bucket": "judged", "Key": "to"})
    # In parts: the managed copy requests the length first.
    s3.copy({"Bucket": "judged", "Key": "to"}, "judged", "managed")
    assert get("managed")["Body"].read() == b"copy"


@case
def presigned_urls_do_what_they_were_signed_for():
    put("signed ä", b"signed")
    ask = {"Bucket": "judged", "Key": "signed ä"}
    signer = client("s3", signature_version="s3v4")

    def sign(call, seconds=60, **more):
        return signer.generate_presigned_url(call, Params={**ask, **more}, ExpiresIn=seconds)

    url = sign("get_object", ResponseContentType="text/css")
    status, headers, body = fetch("GET", url)
    assert (status, body) == (200, b"signed"), body
    assert headers["Content-Type"] == "text/css"
    put_url = sign("put_object", ContentType="text/plain")
    assert fetch("PUT", put_url, b"new", {"Content-Type": "text/plain"})[0] == 200
    assert get("signed ä")["Body"].read() == b"new"
    assert fetch("HEAD", sign("head_object"))[0] == 200
    for wrong, method, status, code in (
        (url.replace("signed", "other"), "GET", 403, "SignatureDoesNotMatch"),
        (url + "&response-expires=never", "GET", 403, "SignatureDoesNotMatch"),
        (url, "DELETE", 403, "SignatureDoesNotMatch"),
        (url.replace("Expires=60", "Expires=600"), "GET", 403, "SignatureDoesNotMatch"),
        (url.split("?")[0], "GET", 403, "AccessDenied"),
        (sign("get_object", 604_801), "GET", 400, "AuthorizationQueryParametersError"),
    ):
        answer = fetch(method, wrong)
        assert answer[0] == status and f"<Code>{code}</Code>" in str(answer[2]), answer
    assert fetch("PUT", put_url, b"x", {"Content-Type": "text/html"})[0] == 403
    short = sign("get_object", 1)
    time.sleep(2.1)
    status, _, body = fetch("GET", short)
    assert status == 403 and b"Request has expired" in body, body


@case
def a_signature_of_version_2_is_refused_as_by_every_new_bucket():
    # boto3's default signature version for URLs in us-east-1.
    url = s3.generate_presigned_url("get_object", Params={"Bucket": "judged", "Key": "plain"})
    status, _, body = fetch("GET", url)
    assert status == 400 and b"Please use AWS4-HMAC-SHA256" in body, body


@case
def what_is_not_done_says_so():
    for call in (
        lambda: s3.put_bucket_versioning(
            Bucket="judged", VersioningConfiguration={"Status": "Enabled"}),
        lambda: s3.put_object_tagging(
            Bucket="judged", Key="plain", Tagging={"TagSet": [{"Key": "a", "Value": "b"}]}),
    ):
        with refused("NotImplemented", 501):
            call()
    form = s3.generate_presigned_post("judged", "form")
    boundary = "edge"
    fields = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in {**form["fields"], "file": "x"}.items())
    status, _, body = fetch(
        "POST", form["url"], f"{fields}--{boundary}--\r\n".encode(),
        {"Content-Type": f"multipart/form-data; boundary={boundary}"})
    assert status == 501 and b"<Code>NotImplemented</Code>" in body, (status, body)


run()
