"""boto3 with DynamoDB: operations on single items."""

import threading
from decimal import Decimal

from boto3.dynamodb.conditions import Attr
from boto3.dynamodb.types import Binary
from botocore.exceptions import ClientError
from judge import case, client, refused, run
from tables import db, make, tables


@case
def every_type_survives_a_round_trip():
    table = make("types")
    item = {
        "pk": "all", "text": "ä\u0000\U0001f680", "empty": "", "yes": True, "nothing": None,
        "whole": 7, "fraction": Decimal("-1.50"), "tiny": Decimal("1E-130"),
        "long": Decimal("12345678901234567890123456789012345678"),
        "bytes": Binary(bytes(range(256))), "texts": {"a", "b"}, "numbers": {1, Decimal("2.5")},
        "blobs": {Binary(b"x"), Binary(b"\0")}, "list": [1, "two", [3], {"four": 4}],
        "map": {"deep": {"er": [None, False]}},
    }
    table.put_item(Item=item)
    found = table.get_item(Key={"pk": "all"}, ConsistentRead=True)["Item"]
    assert found == item, found
    assert "Item" not in table.get_item(Key={"pk": "none"})


@case
def numbers_come_back_in_plain_decimal():
    written = {"a": "007", "b": "1.10", "c": "1e3", "d": "1e-3", "e": "-0.0", "f": ".5"}
    db.put_item(TableName="types", Item={
        "pk": {"S": "numbers"}, **{name: {"N": text} for name, text in written.items()}})
    found = db.get_item(TableName="types", Key={"pk": {"S": "numbers"}})["Item"]
    plain = {"a": "7", "b": "1.1", "c": "1000", "d": "0.001", "e": "0", "f": "0.5"}
    assert {name: found[name]["N"] for name in plain} == plain, found


@case
def every_answer_has_the_checksum_that_botocore_verifies():
    # botocore treats a response with a wrong CRC32 as a failure and retries; without retries, the
    # calls above have verified it. Here it must be present, also in an error.
    seen = []
    watched = client("dynamodb")
    watched.meta.events.register(
        "response-received.dynamodb",
        lambda response_dict, **_: seen.append(response_dict["headers"]["x-amz-crc32"]))
    watched.get_item(TableName="types", Key={"pk": {"S": "all"}})
    with refused("ValidationException"):
        watched.get_item(TableName="types", Key={"nope": {"S": "all"}})
    assert len(seen) == 2 and all(text.isdigit() for text in seen), seen


@case
def return_values_are_those_asked_for():
    table = make("values")
    assert "Attributes" not in table.put_item(Item={"pk": "a", "n": 1}, ReturnValues="ALL_OLD")
    old = table.put_item(Item={"pk": "a", "n": 2, "m": 1}, ReturnValues="ALL_OLD")["Attributes"]
    assert old == {"pk": "a", "n": 1}

    def update(kind):
        return table.update_item(
            Key={"pk": "a"}, UpdateExpression="SET n = n + :one",
            ExpressionAttributeValues={":one": 1}, ReturnValues=kind).get("Attributes")

    assert update("NONE") is None
    assert update("UPDATED_OLD") == {"n": 3}
    assert update("UPDATED_NEW") == {"n": 5}
    assert update("ALL_OLD") == {"pk": "a", "n": 5, "m": 1}
    assert update("ALL_NEW") == {"pk": "a", "n": 7, "m": 1}
    assert table.delete_item(Key={"pk": "a"}, ReturnValues="ALL_OLD")["Attributes"]["n"] == 7
    assert "Attributes" not in table.delete_item(Key={"pk": "a"}, ReturnValues="ALL_OLD")
    with refused("ValidationException"):
        table.put_item(Item={"pk": "a"}, ReturnValues="ALL_NEW")


@case
def an_update_does_all_that_an_expression_says():
    table = tables.Table("values")
    table.put_item(Item={
        "pk": "u", "list": [1, 2, 3], "set": {"a", "b", "c"}, "gone": 1, "map": {"x": 1}})
    after = table.update_item(
        Key={"pk": "u"},
        UpdateExpression=(
            "SET #m.y = :two, #l[0] = :two, added = if_not_exists(added, :zero) + :two, "
            "joined = list_append(#l, :more) REMOVE gone, #l[2] ADD #t :two DELETE #s :some"),
        ExpressionAttributeNames={"#m": "map", "#l": "list", "#s": "set", "#t": "total"},
        ExpressionAttributeValues={
            ":two": 2, ":zero": 0, ":more": [9], ":some": {"a", "z"}},
        ReturnValues="ALL_NEW")["Attributes"]
    assert after == {
        "pk": "u", "list": [2, 2], "set": {"b", "c"}, "map": {"x": 1, "y": 2}, "added": 2,
        "joined": [1, 2, 3, 9], "total": 2}, after
    with refused("ValidationException", 400, "invalid for update"):
        table.update_item(
            Key={"pk": "u"}, UpdateExpression="SET nowhere.deep = :one",
            ExpressionAttributeValues={":one": 1})
    with refused("ValidationException", 400, "This attribute is part of the key"):
        table.update_item(
            Key={"pk": "u"}, UpdateExpression="SET pk = :one",
            ExpressionAttributeValues={":one": "x"})
    with refused("ValidationException", 400, 'Syntax error; token: "'):
        table.update_item(Key={"pk": "u"}, UpdateExpression="SET SET = =")
    with refused("ValidationException", 400, "Attribute name is a reserved keyword"):
        table.update_item(
            Key={"pk": "u"}, UpdateExpression="SET name = :one",
            ExpressionAttributeValues={":one": 1})


@case
def a_condition_that_fails_writes_nothing():
    table = tables.Table("values")
    table.put_item(Item={"pk": "c", "n": 1, "tags": ["a"], "text": "prefix-1"})
    holds = [
        Attr("n").eq(1), Attr("n").ne(2), Attr("n").lt(2), Attr("n").between(0, 1),
        Attr("n").is_in([3, 1]), Attr("nope").not_exists(), Attr("n").exists(),
        Attr("text").begins_with("prefix"), Attr("tags").contains("a"), Attr("tags").size().eq(1),
        Attr("n").attribute_type("N"), Attr("n").eq(1) & ~(Attr("n").eq(2) | Attr("n").gt(5)),
    ]
    for condition in holds:
        table.put_item(
            Item={"pk": "c", "n": 1, "tags": ["a"], "text": "prefix-1"},
            ConditionExpression=condition)
    for condition in holds:
        with refused("ConditionalCheckFailedException", 400, "The conditional request failed"):
            table.delete_item(Key={"pk": "c"}, ConditionExpression=~condition)
    assert table.get_item(Key={"pk": "c"})["Item"]["n"] == 1


@case
def a_failed_condition_shows_the_item_only_when_asked():
    ask = {
        "TableName": "values", "Item": {"pk": {"S": "c"}},
        "ConditionExpression": "attribute_not_exists(pk)"}
    with refused("ConditionalCheckFailedException") as plain:
        db.put_item(**ask)
    assert "Item" not in plain.response
    with refused("ConditionalCheckFailedException") as told:
        db.put_item(**ask, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert told.response["Item"]["n"] == {"N": "1"}
    assert isinstance(told.error, db.exceptions.ConditionalCheckFailedException)
    with refused("ConditionalCheckFailedException") as absent:
        db.delete_item(
            TableName="values", Key={"pk": {"S": "absent"}},
            ConditionExpression="attribute_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert "Item" not in absent.response


@case
def of_twenty_racing_conditional_puts_one_wins():
    outcomes = []
    own = client("dynamodb", max_pool_connections=20)

    def put(number):
        try:
            own.put_item(
                TableName="values", Item={"pk": {"S": "race"}, "who": {"N": str(number)}},
                ConditionExpression="attribute_not_exists(pk)")
            outcomes.append(number)
        except ClientError as error:
            assert error.response["Error"]["Code"] == "ConditionalCheckFailedException"
            outcomes.append(None)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [number for number in outcomes if number is not None]
    assert len(outcomes) == 20 and len(winners) == 1, outcomes
    kept = tables.Table("values").get_item(Key={"pk": "race"}, ConsistentRead=True)["Item"]
    assert kept["who"] == winners[0]


@case
def projections_pick_what_they_name():
    table = tables.Table("values")
    table.put_item(Item={"pk": "p", "a": {"b": [1, {"c": 2}], "d": 3}, "e": 4})
    found = table.get_item(
        Key={"pk": "p"}, ProjectionExpression="#a.b[1].c, e",
        ExpressionAttributeNames={"#a": "a"})["Item"]
    assert found == {"a": {"b": [{"c": 2}]}, "e": 4}, found


@case
def what_a_service_refuses_before_it_looks():
    for call, code in (
        (lambda: db.get_item(TableName="ab", Key={"pk": {"S": "a"}}), "ValidationException"),
        (lambda: db.put_item(TableName="values", Item={"n": {"N": "1"}}), "ValidationException"),
        (lambda: db.put_item(TableName="values", Item={"pk": {"N": "1"}}), "ValidationException"),
        (lambda: db.put_item(TableName="values", Item={"pk": {"S": ""}}), "ValidationException"),
        (lambda: db.put_item(TableName="values", Item={"pk": {"S": "a"}, "n": {"N": "x"}}),
         "ValidationException"),
        (lambda: db.put_item(TableName="values", Item={"pk": {"S": "a"}, "s": {"SS": []}}),
         "ValidationException"),
        (lambda: db.put_item(TableName="nowhere", Item={"pk": {"S": "a"}}),
         "ResourceNotFoundException"),
        (lambda: db.get_item(
            TableName="values", Key={"pk": {"S": "a"}}, ProjectionExpression="a",
            ExpressionAttributeNames={"#x": "x"}), "ValidationException"),
        (lambda: db.put_item(
            TableName="values", Item={"pk": {"S": "a"}}, ConditionExpression="pk = :x"),
         "ValidationException"),
    ):
        with refused(code, 400):
            call()


@case
def capacity_is_told_when_asked_for():
    answer = db.put_item(
        TableName="values", Item={"pk": {"S": "cap"}, "b": {"S": "x" * 2000}},
        ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "values", "CapacityUnits": 2.0}, answer
    assert "ConsumedCapacity" not in db.get_item(TableName="values", Key={"pk": {"S": "cap"}})


run()
