"""Lists: prefixes, delimiters, pages, encodings."""

import itertools
import re

from s3._s3 import bucket, client, keys, prefixes, put, raw, refused


def _one(name, **more):
    return client().list_objects(Bucket=name, **more)


def _two(name, **more):
    return client().list_objects_v2(Bucket=name, **more)


def an_empty_bucket_lists_nothing():
    answer = _two(bucket())
    assert "Contents" not in answer
    assert (answer["KeyCount"], answer["IsTruncated"]) == (0, False)


def keys_are_in_the_order_of_their_bytes():
    name = bucket("b", "a/b", "a-b", "B", "é", "z")
    assert keys(_two(name)) == ["B", "a-b", "a/b", "b", "z", "é"]


def an_entry_says_tag_size_date_and_class():
    name = bucket()
    tag = put(name, "k", b"12345")["ETag"]
    entry = _two(name)["Contents"][0]
    assert (entry["ETag"], entry["Size"], entry["StorageClass"]) == (tag, 5, "STANDARD")
    assert "Owner" not in entry
    date = rb"<LastModified>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z</LastModified>"
    assert re.search(date, raw("GET", f"/{name}?list-type=2").body)


def version_1_shows_the_owner():
    assert _one(bucket("k"))["Contents"][0]["Owner"]["ID"]


def version_2_shows_the_owner_if_asked():
    assert _two(bucket("k"), FetchOwner=True)["Contents"][0]["Owner"]["ID"]


def a_prefix_limits_the_keys():
    name = bucket("a/1", "a/2", "b")
    assert keys(_two(name, Prefix="a/")) == ["a/1", "a/2"]
    assert keys(_two(name, Prefix="c")) == []


def a_delimiter_groups_keys():
    name = bucket("a/1", "a/2", "b", "c/d/e")
    answer = _two(name, Delimiter="/")
    assert (keys(answer), prefixes(answer)) == (["b"], ["a/", "c/"])
    assert answer["KeyCount"] == 3


def a_delimiter_counts_after_the_prefix():
    name = bucket("a/b/1", "a/c", "a/d/2")
    answer = _two(name, Prefix="a/", Delimiter="/")
    assert (keys(answer), prefixes(answer)) == (["a/c"], ["a/b/", "a/d/"])


_TREE = ("a", "l/a/1", "l/a/2", "l/b", "l/c/1", "l/d", "l/é", "m")


def a_list_may_have_all_parameters():
    name = bucket(*_TREE)
    for more, expected in (
        ({"StartAfter": "l/", "Delimiter": "/"}, ["m"]),
        ({"StartAfter": "l/c"}, ["l/c/1", "l/d", "l/é", "m"]),
        ({"StartAfter": "a", "Prefix": "l/"}, list(_TREE[1:7])),
        ({"Prefix": "l/", "Delimiter": "a/"}, ["l/b", "l/c/1", "l/d", "l/é", "l/a/"]),
    ):
        answer = _two(name, **more)
        assert keys(answer) + prefixes(answer) == expected, more
        assert (answer["KeyCount"], answer["IsTruncated"]) == (len(expected), False)


def pages_together_are_the_whole():
    name = bucket(*_TREE)
    for more in ({}, {"Delimiter": "/"}, {"Prefix": "l/", "Delimiter": "/"}):
        whole = _two(name, **more)
        for operation, size in itertools.product(("list_objects", "list_objects_v2"), (1, 2, 3, 5)):
            pages = list(client().get_paginator(operation).paginate(
                Bucket=name, PaginationConfig={"PageSize": size}, **more))
            for part in (keys, prefixes):
                assert [key for page in pages for key in part(page)] == part(whole), (more, size)


def a_delimiter_may_have_several_characters():
    answer = _two(bucket("a--1", "a-2", "b"), Delimiter="--")
    assert (keys(answer), prefixes(answer)) == (["a-2", "b"], ["a--"])


def an_empty_delimiter_groups_nothing():
    answer = _two(bucket("a/1", "b"), Delimiter="")
    assert keys(answer) == ["a/1", "b"]
    assert "Delimiter" not in answer


def pages_follow_each_other_by_token():
    name = bucket("a", "b", "c")
    first = _two(name, MaxKeys=2)
    assert (keys(first), first["IsTruncated"], first["KeyCount"]) == (["a", "b"], True, 2)
    rest = _two(name, ContinuationToken=first["NextContinuationToken"])
    assert (keys(rest), rest["IsTruncated"]) == (["c"], False)
    assert rest["ContinuationToken"] == first["NextContinuationToken"]


def a_token_wins_over_the_start():
    name = bucket("a", "b", "c", "d")
    first = _two(name, StartAfter="a", MaxKeys=1)
    rest = _two(name, StartAfter="a", ContinuationToken=first["NextContinuationToken"])
    assert (keys(first), keys(rest)) == (["b"], ["c", "d"])
    assert rest["StartAfter"] == "a"


def a_wrong_token_is_refused_also_an_empty_one():
    name = bucket()
    for token in ("", "none"):
        raw("GET", f"/{name}?list-type=2&continuation-token={token}").refuses(
            "InvalidArgument", 400)


def a_start_need_not_exist():
    assert keys(_two(bucket("a", "c"), StartAfter="b")) == ["c"]
    assert keys(_two(bucket("a", "c"), StartAfter="z")) == []


def a_page_may_end_with_a_prefix():
    name = bucket("a/1", "a/2", "b")
    first = _two(name, Delimiter="/", MaxKeys=1)
    assert prefixes(first) == ["a/"]
    rest = _two(name, Delimiter="/", ContinuationToken=first["NextContinuationToken"])
    assert (keys(rest), prefixes(rest)) == (["b"], [])


def version_1_continues_after_a_marker():
    name = bucket("a", "b", "c")
    first = _one(name, MaxKeys=1)
    assert first["IsTruncated"] and "NextMarker" not in first
    assert keys(_one(name, Marker="a")) == ["b", "c"]


def version_1_names_the_next_marker_with_a_delimiter():
    first = _one(bucket("a/1", "b"), Delimiter="/", MaxKeys=1)
    assert first["NextMarker"] == "a/"


def at_most_1000_keys_are_listed():
    answer = _two(bucket("k"), MaxKeys=5000)
    assert answer["MaxKeys"] == 1000


def no_keys_may_be_asked_for():
    answer = _two(bucket("k"), MaxKeys=0)
    assert (keys(answer), answer["IsTruncated"]) == ([], False)


def a_number_of_keys_is_a_number():
    name = bucket()
    for count in ("x", "-1", "2147483648"):
        raw("GET", f"/{name}?list-type=2&max-keys={count}").refuses("InvalidArgument", 400)


def keys_are_encoded_if_asked():
    name = bucket("a b", "c+d", "é/x")
    put(name, "x\1", b"")
    answer = raw("GET", f"/{name}?list-type=2&encoding-type=url")
    for encoded in (
        b"<EncodingType>url</EncodingType>", b"<Key>x%01</Key>", b"<Key>a%20b</Key>",
        b"<Key>c%2Bd</Key>", b"<Key>%C3%A9/x</Key>",
    ):
        assert encoded in answer.body or encoded.replace(b"%20", b"+") in answer.body, answer.body


def no_other_encoding_exists():
    name = bucket()
    for encoding in ("", "base64", "xml"):
        raw("GET", f"/{name}?encoding-type={encoding}").refuses("InvalidArgument", 400)


def versions_of_a_bucket_without_versions_are_null():
    answer = client().list_object_versions(Bucket=bucket("a", "b"))
    assert keys(answer, "Versions") == ["a", "b"]
    assert {entry["VersionId"] for entry in answer["Versions"]} == {"null"}
    assert all(entry["IsLatest"] and entry["Owner"]["ID"] for entry in answer["Versions"])
    assert answer["MaxKeys"] == 1000
    assert answer["IsTruncated"] is False


def versions_have_pages():
    name = bucket("a", "b")
    first = client().list_object_versions(Bucket=name, MaxKeys=1)
    assert (first["NextKeyMarker"], first["NextVersionIdMarker"]) == ("a", "null")
    rest = client().list_object_versions(
        Bucket=name, KeyMarker=first["NextKeyMarker"],
        VersionIdMarker=first["NextVersionIdMarker"])
    assert keys(rest, "Versions") == ["b"]


def versions_have_prefixes():
    answer = client().list_object_versions(Bucket=bucket("a/1", "b"), Delimiter="/")
    assert (keys(answer, "Versions"), prefixes(answer)) == (["b"], ["a/"])
    name = bucket("a/1", "a/2", "b", "c")
    page = client().list_object_versions(Bucket=name, Delimiter="/", MaxKeys=1)
    assert (prefixes(page), page["NextKeyMarker"]) == (["a/"], "a/")
    assert "NextVersionIdMarker" not in page
    page = client().list_object_versions(Bucket=name, Delimiter="/", MaxKeys=1, KeyMarker="a/")
    assert (keys(page, "Versions"), page["NextVersionIdMarker"]) == (["b"], "null")


def a_version_marker_needs_a_key_marker():
    with refused("InvalidArgument", 400, "cannot be specified without a key marker"):
        client().list_object_versions(Bucket=bucket(), VersionIdMarker="null")
