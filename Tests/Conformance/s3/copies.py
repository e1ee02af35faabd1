"""Copies of objects."""

import datetime

from s3._s3 import bucket, client, get, head, put, raw, read, refused, shared, unique


def _copy(source, key=None, name=None, **more):
    return client().copy_object(
        Bucket=name or shared(), Key=key or unique("copy"), CopySource=source, **more)


def _source(body=b"content", **more):
    key = unique("source")
    return f"{shared()}/{key}", put(shared(), key, body, **more)["ETag"]


def a_copy_has_content_and_tag_of_its_source():
    source, tag = _source()
    key = unique("copy")
    assert _copy(source, key)["CopyObjectResult"]["ETag"] == tag
    assert read(shared(), key) == b"content"


def a_copy_may_be_in_another_bucket():
    source, _ = _source()
    name = bucket()
    _copy(source, "k", name)
    assert read(name, "k") == b"content"


def a_source_may_begin_with_a_slash_and_is_encoded():
    put(shared(), "a b?c", b"x")
    for source in (f"/{shared()}/a%20b%3Fc", f"{shared()}/a%20b%3Fc?versionId=null"):
        key = unique("copy")
        answer = raw("PUT", f"/{shared()}/{key}", {"x-amz-copy-source": source})
        assert answer.status == 200, answer.body
        assert read(shared(), key) == b"x"


def headers_are_copied_too():
    source, _ = _source(ContentType="text/x", CacheControl="no-cache", Metadata={"a": "b"})
    key = unique("copy")
    _copy(source, key, Metadata={"ignored": "yes"})
    answer = head(shared(), key)
    assert (answer["ContentType"], answer["CacheControl"]) == ("text/x", "no-cache")
    assert answer["Metadata"] == {"a": "b"}


def headers_are_replaced_if_asked():
    source, _ = _source(ContentType="text/x", Metadata={"a": "b"})
    key = unique("copy")
    _copy(source, key, MetadataDirective="REPLACE", Metadata={"c": "d"})
    answer = head(shared(), key)
    assert answer["Metadata"] == {"c": "d"}
    assert answer["ContentType"] == "binary/octet-stream"


def an_unknown_directive_is_refused():
    with refused("InvalidArgument", 400):
        _copy(_source()[0], MetadataDirective="MOVE")


def a_copy_to_itself_must_change_something():
    key = unique()
    put(shared(), key, b"x")
    source = f"{shared()}/{key}"
    with refused("InvalidRequest", 400, "without changing the object's metadata"):
        _copy(source, key)
    _copy(source, key, MetadataDirective="REPLACE", Metadata={"a": "b"})
    assert head(shared(), key)["Metadata"] == {"a": "b"}


def a_missing_source_is_404():
    with refused("NoSuchKey", 404, Key="none"):
        _copy(f"{shared()}/none")
    with refused("NoSuchBucket", 404, BucketName="gone-bucket"):
        _copy("gone-bucket/none")


def a_malformed_source_is_refused():
    for source in ("nothing", "/", "bucket/", ""):
        raw("PUT", f"/{shared()}/k", {"x-amz-copy-source": source}).refuses(
            "InvalidArgument", 400)
    raw("PUT", f"/{shared()}/k", {"x-amz-copy-source": f"/{shared()}/k?versionId=1"}).refuses(
        "NotImplemented", 501)


def conditions_are_those_of_the_source():
    source, tag = _source()
    past = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)
    for more, condition in (
        ({"CopySourceIfMatch": '"other"'}, "x-amz-copy-source-If-Match"),
        ({"CopySourceIfNoneMatch": tag}, "x-amz-copy-source-If-None-Match"),
        ({"CopySourceIfUnmodifiedSince": past}, "x-amz-copy-source-If-Unmodified-Since"),
    ):
        with refused("PreconditionFailed", 412, Condition=condition):
            _copy(source, **more)
    _copy(source, CopySourceIfMatch=tag)
    _copy(source, CopySourceIfModifiedSince=past)


def conditions_may_be_those_of_the_copy():
    source, _ = _source()
    key = unique("copy")
    tag = put(shared(), key, b"old")["ETag"]
    with refused("PreconditionFailed", 412, Condition="If-None-Match"):
        _copy(source, key, IfNoneMatch="*")
    with refused("PreconditionFailed", 412, Condition="If-Match"):
        _copy(source, key, IfMatch='"other"')
    _copy(source, key, IfMatch=tag)
    with refused("NoSuchKey", 404):
        _copy(source, IfMatch=tag)


def a_copy_says_its_checksum():
    source, _ = _source(ChecksumAlgorithm="CRC32")
    result = _copy(source)["CopyObjectResult"]
    assert result["ChecksumCRC32"]


def a_copy_is_dated_when_it_was_made():
    source, _ = _source()
    key = unique("copy")
    made = _copy(source, key)["CopyObjectResult"]["LastModified"]
    assert get(shared(), key)["LastModified"] <= made + datetime.timedelta(seconds=1)
