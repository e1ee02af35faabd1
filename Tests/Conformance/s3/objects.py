"""Objects: content, headers, metadata, deletion."""

import datetime
import hashlib
import re

from harness.cases import differs
from s3._s3 import (
    bucket, client, get, head, keys, md5, missing, put, raw, read, refused, sha256, shared, unique,
)


def an_object_is_returned_unchanged():
    key = unique()
    put(shared(), key, bytes(range(256)))
    assert read(shared(), key) == bytes(range(256))


def an_object_may_be_empty():
    key = unique()
    put(shared(), key)
    assert (read(shared(), key), head(shared(), key)["ContentLength"]) == (b"", 0)


def the_tag_is_the_digest_of_the_content():
    answer = put(shared(), unique(), b"content")
    assert answer["ETag"] == f'"{hashlib.md5(b"content").hexdigest()}"'


def a_put_replaces_content_and_headers():
    key = unique()
    put(shared(), key, b"one", Metadata={"a": "b"}, ContentType="text/plain")
    put(shared(), key, b"two")
    answer = get(shared(), key)
    assert answer["Body"].read() == b"two"
    assert (answer["Metadata"], answer["ContentType"]) == ({}, "binary/octet-stream")


def a_missing_object_is_named_in_the_error():
    with refused("NoSuchKey", 404, "does not exist", Key="not/there"):
        get(shared(), "not/there")


def heading_a_missing_object_has_no_body():
    answer = raw("HEAD", f"/{shared()}/not-there")
    assert (answer.status, answer.body) == (404, b"")


def keys_may_have_any_characters():
    name = bucket()
    for key in ("a b", "a+b", "a%2Fb", "ä/ö", "a//b", "?", "&=", "'\"<>", "..", "日本語", "\u0301",
            "../../etc/passwd", "/", "a/./b", ".part"):
        put(name, key, key.encode())
        assert read(name, key) == key.encode(), key


def keys_have_at_most_1024_bytes():
    put(shared(), "k" * 1024)
    raw("PUT", f"/{shared()}/{'k' * 1025}").refuses("KeyTooLongError", 400)
    raw("PUT", f"/{shared()}/{'%C3%A9' * 513}").refuses("KeyTooLongError", 400)


def keys_are_text_without_nul():
    for key in ("k%FF", "k%00"):
        raw("PUT", f"/{shared()}/{key}").refuses("InvalidURI", 400)


def system_headers_are_kept():
    key = unique()
    put(
        shared(), key, CacheControl="max-age=1", ContentDisposition="inline",
        ContentLanguage="de", ContentType="image/png")
    answer = get(shared(), key)
    assert answer["CacheControl"] == "max-age=1"
    assert answer["ContentDisposition"] == "inline"
    assert answer["ContentLanguage"] == "de"
    assert answer["ContentType"] == "image/png"


def an_expiry_date_is_kept():
    key = unique()
    date = datetime.datetime(2030, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    put(shared(), key, Expires=date)
    assert head(shared(), key)["Expires"] == date


def content_encodings_are_kept_as_sent():
    key = unique()
    for sent, kept in (("gzip", "gzip"), ("deflate, gzip", "deflate, gzip")):
        put(shared(), key, ContentEncoding=sent)
        assert head(shared(), key)["ContentEncoding"] == kept


def the_encoding_of_the_transport_is_not_kept():
    key = unique()
    for sent, kept in (
        ("gzip, aws-chunked", "gzip"), ("aws-chunked,gzip", "gzip"), ("aws-chunked", None)
    ):
        put(shared(), key, ContentEncoding=sent)
        assert head(shared(), key).get("ContentEncoding") == kept, sent


def metadata_is_kept_with_names_in_lower_case():
    key = unique()
    put(shared(), key, Metadata={"One": "1", "two-three": "x y"})
    assert head(shared(), key)["Metadata"] == {"one": "1", "two-three": "x y"}


def metadata_may_be_empty():
    key = unique()
    put(shared(), key, Metadata={"empty": ""})
    assert head(shared(), key)["Metadata"] == {"empty": ""}


def metadata_outside_ascii_is_answered_as_an_encoded_word():
    key = unique()
    answer = raw("PUT", f"/{shared()}/{key}", {"x-amz-meta-word": "=?UTF-8?B?w4QgUzNf?="})
    assert answer.status == 200, answer.body
    assert head(shared(), key)["Metadata"] == {"word": "=?UTF-8?Q?=C3=84_S3=5F?="}


def an_encoded_word_of_ascii_is_decoded():
    key = unique()
    put(shared(), key, Metadata={"b": "=?UTF-8?B?YWJj?=", "q": "=?UTF-8?Q?actually-ascii?="})
    assert head(shared(), key)["Metadata"] == {"b": "abc", "q": "actually-ascii"}


def metadata_has_at_most_2_kib():
    put(shared(), unique(), Metadata={"a": "x" * 2047})
    with refused("MetadataTooLarge", 400, MaxSizeAllowed="2048"):
        put(shared(), unique(), Metadata={"a": "x" * 2048})


def answers_say_when_the_object_was_written():
    key = unique()
    put(shared(), key)
    answer = raw("GET", f"/{shared()}/{key}")
    assert re.fullmatch(
        r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", answer.headers["last-modified"])
    assert answer.headers["accept-ranges"] == "bytes"


def answers_have_request_ids():
    answer = raw("GET", f"/{shared()}/not-there")
    assert answer.headers["x-amz-request-id"] == answer.document["RequestId"]
    assert answer.headers["x-amz-id-2"] == answer.document["HostId"]


def a_signed_request_may_override_headers():
    key = unique()
    put(shared(), key, ContentType="text/plain")
    answer = get(
        shared(), key, ResponseContentType="a/b", ResponseCacheControl="no-cache",
        ResponseContentDisposition="inline", ResponseContentEncoding="x",
        ResponseContentLanguage="eo", ResponseExpires="Thu, 01 Jan 2032 00:00:00 GMT")
    headers = answer["ResponseMetadata"]["HTTPHeaders"]
    for name, value in {
        "content-type": "a/b", "cache-control": "no-cache", "content-disposition": "inline",
        "content-encoding": "x", "content-language": "eo",
        "expires": "Thu, 01 Jan 2032 00:00:00 GMT",
    }.items():
        assert headers[name] == value, headers


def a_deletion_succeeds_whether_or_not_there_is_an_object():
    key = unique()
    put(shared(), key)
    for _ in range(2):
        answer = client().delete_object(Bucket=shared(), Key=key)
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    missing(shared(), key)


def a_deletion_may_name_the_tag_of_the_object():
    key = unique()
    tag = put(shared(), key)["ETag"]
    with refused("PreconditionFailed", 412, Condition="If-Match"):
        client().delete_object(Bucket=shared(), Key=key, IfMatch='"other"')
    for matching in (tag, "*"):
        put(shared(), key)
        client().delete_object(Bucket=shared(), Key=key, IfMatch=matching)
        missing(shared(), key)


def a_deletion_of_nothing_ignores_the_tag():
    client().delete_object(Bucket=shared(), Key=unique(), IfMatch='"any"')


def size_and_date_of_a_deletion_are_for_directory_buckets():
    for header in ("x-amz-if-match-size", "x-amz-if-match-last-modified-time"):
        raw("DELETE", f"/{shared()}/k", {header: "1"}).refuses("NotImplemented", 501)


def many_objects_are_deleted_at_once():
    name = bucket("a", "&<b>", "c")
    answer = client().delete_objects(Bucket=name, Delete={"Objects": [
        {"Key": "a", "VersionId": "null"}, {"Key": "&<b>"}, {"Key": "none"}]})
    assert keys(answer, "Deleted") == ["a", "&<b>", "none"]
    assert answer["Deleted"][0]["VersionId"] == "null"
    missing(name, "a")
    missing(name, "&<b>")
    head(name, "c")


def a_quiet_deletion_says_nothing():
    answer = client().delete_objects(
        Bucket=bucket("a"), Delete={"Objects": [{"Key": "a"}], "Quiet": True})
    assert "Deleted" not in answer and "Errors" not in answer


def each_object_may_have_a_tag_to_match():
    name = bucket("a", "b")
    tag = head(name, "b")["ETag"]
    answer = client().delete_objects(
        Bucket=name, Delete={"Objects": [{"Key": "a", "ETag": "x"}, {"Key": "b", "ETag": tag}]})
    assert [entry["Key"] for entry in answer["Deleted"]] == ["b"]
    assert answer["Errors"][0]["Code"] == "PreconditionFailed"


def at_most_1000_objects_are_deleted_at_once():
    with refused("MalformedXML", 400):
        client().delete_objects(
            Bucket=shared(), Delete={"Objects": [{"Key": str(n)} for n in range(1001)]})


def deleting_many_objects_needs_a_digest():
    body = b"<Delete><Object><Key>a</Key></Object></Delete>"
    raw("POST", f"/{shared()}?delete", body=body).refuses("InvalidRequest", 400)
    for headers in ({"Content-MD5": md5(body)}, {"x-amz-checksum-sha256": sha256(body)}):
        assert raw("POST", f"/{shared()}?delete", headers, body).status == 200


def a_malformed_list_deletes_nothing():
    for body in (b"", b"<Delete/>", b"<Delete><Object/></Delete>", b"<Other/>", b"<Delete>"):
        raw("POST", f"/{shared()}?delete", {"Content-MD5": md5(body)}, body).refuses(
            "MalformedXML", 400)


def the_version_null_is_the_object():
    name = bucket("k")
    assert read(name, "k", VersionId="null") == b"k"
    client().delete_object(Bucket=name, Key="k", VersionId="null")
    missing(name, "k")


def other_versions_are_invalid():
    for version in ("", "x", "3sL4kqtJlcpXroDTDmJ%2BrmSpXd3dIbrHY"):
        answer = raw("GET", f"/{shared()}/k?versionId={version}")
        answer.refuses("InvalidArgument", 400)
        assert "ersion id" in answer.document["Message"], answer.body


def methods_that_no_resource_has_are_refused():
    raw("POST", f"/{shared()}/k").refuses("MethodNotAllowed", 405)
    raw("PUT", "/").refuses("MethodNotAllowed", 405)


@differs("objects have no tags")
def an_object_has_tags():
    key = unique()
    put(shared(), key, Tagging="a=b")
    assert client().get_object_tagging(Bucket=shared(), Key=key)["TagSet"]


@differs("uploads from a browser's form are not done")
def a_form_uploads_an_object():
    form = client().generate_presigned_post(shared(), unique())
    body = b"".join(
        f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in form["fields"].items())
    body += b'--edge\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n'
    answer = raw(
        "POST", f"/{shared()}", {"Content-Type": "multipart/form-data; boundary=edge"},
        body + b"--edge--\r\n", signed=False)
    assert answer.status == 204, answer.body


@differs("encryption is not announced: everything stays on this machine")
def objects_are_encrypted():
    assert put(shared(), unique())["ServerSideEncryption"] == "AES256"


@differs("all objects have the class STANDARD")
def an_object_has_a_storage_class():
    key = unique()
    put(shared(), key, StorageClass="STANDARD_IA")
    assert head(shared(), key)["StorageClass"] == "STANDARD_IA"
