"""Conditions and ranges."""

import datetime

from s3._s3 import client, get, head, put, raw, read, refused, shared, unique

PAST = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)
FUTURE = datetime.datetime(2099, 1, 1, tzinfo=datetime.UTC)


def _object(body=b"0123456789"):
    key = unique()
    return key, put(shared(), key, body)["ETag"]


def a_matching_tag_is_read():
    key, tag = _object()
    for text in (tag, tag.strip('"'), "*", f'"other", {tag}'):
        assert read(shared(), key, IfMatch=text) == b"0123456789"


def another_tag_is_412():
    key, _ = _object()
    with refused("PreconditionFailed", 412, Condition="If-Match"):
        get(shared(), key, IfMatch='"other"')


def a_known_tag_is_304_with_the_tag_and_no_body():
    key, tag = _object()
    for text in (tag, f'"a", {tag}', "*"):
        answer = raw("GET", f"/{shared()}/{key}", {"If-None-Match": text})
        assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", tag)


def an_unknown_tag_is_read():
    key, _ = _object()
    assert read(shared(), key, IfNoneMatch='"other"') == b"0123456789"


def dates_are_compared():
    key, _ = _object()
    assert read(shared(), key, IfModifiedSince=PAST) == b"0123456789"
    assert read(shared(), key, IfUnmodifiedSince=FUTURE) == b"0123456789"
    with refused("304", 304):
        get(shared(), key, IfModifiedSince=FUTURE)
    with refused("PreconditionFailed", 412, Condition="If-Unmodified-Since"):
        get(shared(), key, IfUnmodifiedSince=PAST)


def the_date_of_the_object_itself_is_not_newer():
    key, _ = _object()
    date = head(shared(), key)["LastModified"]
    with refused("304", 304):
        get(shared(), key, IfModifiedSince=date)
    get(shared(), key, IfModifiedSince=date - datetime.timedelta(seconds=1))
    get(shared(), key, IfUnmodifiedSince=date)


def a_malformed_date_is_ignored():
    key, _ = _object()
    assert raw("GET", f"/{shared()}/{key}", {"If-Modified-Since": "nonsense"}).status == 200


def tags_win_over_dates():
    key, tag = _object()
    assert read(shared(), key, IfMatch=tag, IfUnmodifiedSince=PAST) == b"0123456789"
    with refused("304", 304):
        get(shared(), key, IfNoneMatch=tag, IfModifiedSince=PAST)


def a_head_obeys_conditions_without_a_body():
    key, tag = _object()
    with refused("304", 304):
        head(shared(), key, IfNoneMatch=tag)
    with refused("412", 412):
        head(shared(), key, IfMatch='"other"')


def an_object_is_put_only_if_there_is_none():
    key = unique()
    put(shared(), key, IfNoneMatch="*")
    with refused("PreconditionFailed", 412, Condition="If-None-Match"):
        put(shared(), key, IfNoneMatch="*")
    client().delete_object(Bucket=shared(), Key=key)
    put(shared(), key, IfNoneMatch="*")


def an_object_is_replaced_only_if_it_has_the_tag():
    key, tag = _object()
    with refused("PreconditionFailed", 412, Condition="If-Match"):
        put(shared(), key, IfMatch='"other"')
    put(shared(), key, b"new", IfMatch=tag)
    assert read(shared(), key) == b"new"


def a_put_with_a_tag_needs_an_object():
    with refused("NoSuchKey", 404):
        put(shared(), unique(), IfMatch='"any"')


def other_conditions_of_a_put_are_not_implemented():
    for more, header in (
        ({"IfMatch": "*"}, "If-Match"), ({"IfNoneMatch": '"tag"'}, "If-None-Match"),
        ({"IfMatch": '"tag"', "IfNoneMatch": "*"}, "If-Match,If-None-Match"),
    ):
        with refused("NotImplemented", 501, Header=header):
            put(shared(), unique(), **more)


def a_range_is_a_part_of_the_object():
    key, _ = _object()
    for wanted, body, place in (
        ("0-3", b"0123", "0-3/10"), ("8-", b"89", "8-9/10"), ("-3", b"789", "7-9/10"),
        ("5-100", b"56789", "5-9/10"), ("-100", b"0123456789", "0-9/10"),
    ):
        answer = get(shared(), key, Range=f"bytes={wanted}")
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 206
        assert (answer["Body"].read(), answer["ContentRange"]) == (body, f"bytes {place}")


def a_range_beyond_the_end_is_416():
    key, _ = _object()
    for wanted in ("bytes=10-", "bytes=100-200", "bytes=-0"):
        with refused("InvalidRange", 416, RangeRequested=wanted, ActualObjectSize="10"):
            get(shared(), key, Range=wanted)


def an_empty_object_has_no_ranges():
    key, _ = _object(b"")
    with refused("InvalidRange", 416):
        get(shared(), key, Range="bytes=0-")


def a_malformed_range_is_ignored():
    key, _ = _object()
    for wanted in (
        "bytes=5-4", "bytes=x-y", "bytes=-", "0-3", "bytes=0-1,3-4", "lines=1-2",
        "bytes=99999999999999999999-",
    ):
        answer = get(shared(), key, Range=wanted)
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200, wanted
        assert answer["Body"].read() == b"0123456789"


def a_head_of_a_range_says_its_length():
    key, _ = _object()
    answer = head(shared(), key, Range="bytes=2-5")
    assert (answer["ContentLength"], answer["ContentRange"]) == (4, "bytes 2-5/10")
