"""The emulator's lists of tables, items and objects, while boto3 writes between two pages."""

import json
import urllib.parse

from judge import APP, case, client, control, fetch, run

dynamodb, s3 = client("dynamodb"), client("s3")
for name in ("items", "others"):
    dynamodb.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"},
                   {"AttributeName": "sk", "KeyType": "RANGE"}])
s3.create_bucket(Bucket="second")


def put(key, sort="s", **more):
    dynamodb.put_item(TableName="items", Item={"pk": {"S": key}, "sk": {"S": sort}, **more})


def delete(key, sort="s"):
    dynamodb.delete_item(TableName="items", Key={"pk": {"S": key}, "sk": {"S": sort}})


def clear():
    for page in dynamodb.get_paginator("scan").paginate(TableName="items"):
        for item in page["Items"]:
            delete(item["pk"]["S"], item["sk"]["S"])


def pages(path, name, between=lambda page: None, **query):
    found, cursor = [], ""
    while True:
        answer = control(
            "GET", f"{path}?{urllib.parse.urlencode({**query, 'cursor': cursor})}")
        found.append(answer[name])
        cursor = answer.get("next")
        if not cursor:
            return found
        assert len(found) < 100
        between(answer[name])


def keys(page):
    return [item["pk"]["S"] for item in page]


@case
def each_item_that_stays_is_on_one_page_whatever_is_written_between_them():
    every = [f"item-{number}" for number in range(250)]
    for key in every:
        put(key, n={"N": "1"})
    deleted, seen = set(), set()

    def between(page):
        shown = keys(page)
        seen.update(shown)
        unseen = next(key for key in every if key not in seen | deleted)
        # Includes the page's last item, after which the next page begins.
        for key in (shown[0], shown[-1], unseen):
            delete(key)
            deleted.add(key)
        for number in range(30):
            put(f"new-{len(seen)}-{number}")
        put(shown[1], n={"N": "2"})

    found = pages("tables/items/items", "items", between, limit=100)
    listed = [key for page in found for key in keys(page)]
    assert len(found) >= 3 and all(len(page) <= 100 for page in found)
    assert len(set(listed)) == len(listed), "an item is on two pages"
    assert len(deleted) >= 6 and set(every) - deleted <= set(listed)
    assert found[0][0]["n"] == {"N": "1"}
    clear()


@case
def a_last_page_that_is_full_has_no_cursor():
    for number in range(20):
        put(f"item-{number}")
    assert [len(page) for page in pages("tables/items/items", "items", limit=10)] == [10, 10]
    assert "next" not in control("GET", "tables/items/items?limit=20")
    assert control("GET", "tables/items/items?limit=19")["next"]
    assert control("GET", "tables/others/items")["items"] == []
    clear()


@case
def large_items_make_more_pages_but_no_larger_answers():
    for number in range(10):
        put(f"large-{number}", text={"S": 300_000 * "x"})
    _, headers, body = fetch("GET", f"{APP}/_emulator/tables/items/items?limit=1000")
    assert len(body) < 2 << 20 and headers["Content-Type"] == "application/json"
    found = pages("tables/items/items", "items", limit=1000)
    assert len(found) >= 3 and sum(map(len, found)) == 10
    clear()


@case
def the_longest_keys_have_cursors():
    for suffix in "ab":
        put(2047 * "\x01" + suffix, 1024 * "\x02")
        s3.put_object(Bucket="second", Key=511 * "é" + suffix, Body=b"x")
    assert [len(page) for page in pages("tables/items/items", "items", limit=1)] == [1, 1]
    assert [len(page) for page in pages("buckets/second/objects", "objects", limit=1)] == [1, 1]
    for suffix in "ab":
        s3.delete_object(Bucket="second", Key=511 * "é" + suffix)
    clear()


@case
def objects_have_pages_and_a_prefix():
    for number in range(250):
        s3.put_object(Bucket="judged", Key=f"photos/{number}", Body=b"\1\2\3")
    for key in ("photos", "z"):
        s3.put_object(Bucket="judged", Key=key, Body=b"\1")
    found = [(one["name"], one["objectCount"], one["bytes"])
             for one in control("GET", "buckets")["buckets"]]
    assert found == [("judged", 252, 752), ("second", 0, 0)], found
    deleted = []

    def between(page):
        deleted.append(page[-1]["key"])
        s3.delete_object(Bucket="judged", Key=page[-1]["key"])
        s3.put_object(Bucket="judged", Key="photos/00000", Body=b"\1")

    found = pages("buckets/judged/objects", "objects", between, limit=100, prefix="photos/")
    listed = {one["key"] for page in found for one in page}
    assert [len(page) for page in found] == [100, 100, 50] and len(deleted) == 2
    assert len(listed) == 250 and all(key.startswith("photos/") for key in listed)
    one = found[0][0]
    assert (one["size"], one["etag"], one["contentType"], one["lastModified"][-1]) == (
        3, "5289df737df57326fcdd22597afb1fac", "binary/octet-stream", "Z"), one
    assert control("GET", "buckets/judged/objects?prefix=none")["objects"] == []


def refused(path, status, message=""):
    answer = fetch("GET", f"{APP}/_emulator/{path}")
    assert answer[0] == status, (path, answer)
    assert message in json.loads(answer[2])["message"], (path, answer)


@case
def a_page_that_cannot_be_is_refused_with_what_is_known():
    for number in range(3):
        put(f"item-{number}")
    items = control("GET", "tables/items/items?limit=1")["next"]
    tables = control("GET", "tables?limit=1")["next"]
    objects = control("GET", "buckets/judged/objects?limit=1&prefix=photos/")["next"]
    for cursor in (tables, "x", "AAAA", items + "A", "%00", items[:-4]):
        refused(f"tables/items/items?cursor={cursor}", 400, "Invalid cursor: expected")
    # The cursor of another list, even with keys of the same form.
    for path in (
        f"tables/others/items?cursor={items}", f"buckets?cursor={tables}",
        f"buckets/judged/objects?prefix=z&cursor={objects}",
        f"buckets/second/objects?cursor={objects}",
    ):
        refused(path, 400)
    for limit in ("0", "1001", "-1", "x", "1.5", "", "99999999999999999999"):
        refused(f"tables/items/items?limit={limit}", 400, "Invalid limit: expected 1 to 1000.")
    refused("tables/none/items", 404, "Table not found: none. Tables: items, others.")
    refused("buckets/none/objects", 404, "Bucket not found: none. Buckets: judged, second.")
    refused("tables?offset=1", 400, "known are limit, cursor")
    for path in ("tables/items/other", "sessions/x"):
        refused(path, 404)
    for path in ("tables", "buckets", "sessions", "tokens/explain"):
        assert fetch("DELETE", f"{APP}/_emulator/{path}")[0] == 404, path


run()
