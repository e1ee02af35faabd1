"""boto3 with DynamoDB: tables, queries and scans."""

import time

from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import WaiterError
from judge import case, client, control, refused, run
from tables import db, make, tables


@case
def a_table_lives_and_dies():
    made = db.create_table(
        TableName="life", BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])["TableDescription"]
    assert made["TableStatus"] in ("CREATING", "ACTIVE")
    assert made["TableArn"] == "arn:aws:dynamodb:us-east-1:123456789012:table/life"
    db.get_waiter("table_exists").wait(TableName="life", WaiterConfig={"Delay": 1})
    found = db.describe_table(TableName="life")["Table"]
    assert found["TableStatus"] == "ACTIVE" and found["TableId"] == made["TableId"]
    assert found["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert abs(found["CreationDateTime"].timestamp() - time.time()) < 600
    with refused("ResourceInUseException", 400, "Table already exists: life"):
        db.create_table(
            TableName="life", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
    db.delete_table(TableName="life")
    db.get_waiter("table_not_exists").wait(TableName="life", WaiterConfig={"Delay": 1})
    with refused("ResourceNotFoundException", 400, "Requested resource not found: Table: life"):
        db.describe_table(TableName="life")
    with refused("ResourceNotFoundException", 400, "Requested resource not found"):
        db.get_item(TableName="life", Key={"pk": {"S": "a"}})
    try:
        db.describe_table(TableName="life")
    except db.exceptions.ResourceNotFoundException:
        pass


@case
def tables_are_listed_page_by_page():
    names = [f"page-{number}" for number in range(5)]
    for name in names:
        make(name)
    pages = list(db.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2}))
    listed = [name for page in pages for name in page["TableNames"]]
    assert listed == sorted(listed) and set(names) <= set(listed)
    assert len(pages) >= 3
    assert set(names) <= {table.name for table in tables.tables.all()}
    for name in names:
        db.delete_table(TableName=name)


@case
def a_waiter_gives_up_on_a_table_that_is_not_there():
    try:
        db.get_waiter("table_exists").wait(
            TableName="never", WaiterConfig={"Delay": 1, "MaxAttempts": 1})
    except WaiterError:
        return
    raise AssertionError("the waiter found a table that nobody made")


@case
def queries_follow_the_sort_key():
    table = make("sorted", sort="sk")
    with table.batch_writer() as batch:
        for number in range(60):
            batch.put_item(Item={"pk": "p", "sk": f"{number:03}", "n": number})
        batch.put_item(Item={"pk": "other", "sk": "000"})

    def keys(condition, **more):
        answer = table.query(KeyConditionExpression=Key("pk").eq("p") & condition, **more)
        return [int(item["sk"]) for item in answer["Items"]]

    assert keys(Key("sk").begins_with("01")) == list(range(10, 20))
    assert keys(Key("sk").between("005", "007")) == [5, 6, 7]
    assert keys(Key("sk").lt("002")) == [0, 1]
    assert keys(Key("sk").gte("058"), ScanIndexForward=False) == [59, 58]
    counted = table.query(
        KeyConditionExpression=Key("pk").eq("p"), FilterExpression=Attr("n").lt(10),
        Select="COUNT")
    assert (counted["Count"], counted["ScannedCount"]) == (10, 60) and "Items" not in counted
    with refused("ValidationException", 400, "Query condition missed key schema element: pk"):
        table.query(KeyConditionExpression=Key("sk").eq("001"))


@case
def pages_together_are_the_whole():
    query = {
        "TableName": "sorted", "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}}}
    pages = list(db.get_paginator("query").paginate(**query, PaginationConfig={"PageSize": 7}))
    found = [item["sk"]["S"] for page in pages for item in page["Items"]]
    assert found == [f"{number:03}" for number in range(60)]
    assert all(page["Count"] <= 7 for page in pages)
    assert pages[0]["LastEvaluatedKey"] == {"pk": {"S": "p"}, "sk": {"S": "006"}}
    scanned = db.get_paginator("scan").paginate(
        TableName="sorted", PaginationConfig={"PageSize": 9})
    assert sum(page["Count"] for page in scanned) == 61
    # The limit applies before the filter.
    page = tables.Table("sorted").query(
        KeyConditionExpression=Key("pk").eq("p"), FilterExpression=Attr("n").gte(5), Limit=6)
    assert (page["Count"], page["ScannedCount"]) == (1, 6) and "LastEvaluatedKey" in page
    parts = [
        db.scan(TableName="sorted", Segment=number, TotalSegments=3)["Count"]
        for number in range(3)]
    assert sum(parts) == 61, parts
    with refused("ValidationException", 400, "The provided starting key is"):
        db.query(**query, ExclusiveStartKey={"pk": {"S": "p"}})


@case
def a_page_ends_at_a_megabyte():
    table = make("heavy", sort="sk")
    for number in range(6):
        table.put_item(Item={"pk": "p", "sk": str(number), "body": "x" * 300_000})
    page = table.query(KeyConditionExpression=Key("pk").eq("p"))
    assert 3 <= page["Count"] <= 4 and "LastEvaluatedKey" in page, page["Count"]
    with refused("ValidationException", 400, "Item size has exceeded the maximum allowed size"):
        table.put_item(Item={"pk": "p", "sk": "big", "body": "x" * 410_000})


@case
def indexes_show_what_they_project():
    table = make("indexed", sort="sk", indexes=[
        ("all", ("kind", "rank", "N", {"ProjectionType": "ALL"})),
        ("keys", ("kind", "sk", "S", {"ProjectionType": "KEYS_ONLY"})),
        ("some", ("owner", "sk", "S", {
            "ProjectionType": "INCLUDE", "NonKeyAttributes": ["extra"]})),
    ])
    for number in range(6):
        table.put_item(Item={
            "pk": f"p{number}", "sk": "s", "kind": "k", "rank": 10 - number, "owner": "o",
            "extra": number, "hidden": True})
    table.put_item(Item={"pk": "none", "sk": "s", "extra": 1})

    def query(index, hash_key, value, **more):
        return table.query(
            IndexName=index, KeyConditionExpression=Key(hash_key).eq(value), **more)

    ranked = query("all", "kind", "k")["Items"]
    assert [item["rank"] for item in ranked] == [5, 6, 7, 8, 9, 10]
    assert ranked[0]["hidden"] is True
    assert set(query("keys", "kind", "k")["Items"][0]) == {"pk", "sk", "kind"}
    assert set(query("some", "owner", "o")["Items"][0]) == {"pk", "sk", "owner", "extra"}
    first = query("all", "kind", "k", Limit=2)
    assert set(first["LastEvaluatedKey"]) == {"pk", "sk", "kind", "rank"}
    rest = query("all", "kind", "k", ExclusiveStartKey=first["LastEvaluatedKey"])
    assert [item["rank"] for item in rest["Items"]] == [7, 8, 9, 10]
    assert table.scan(IndexName="all")["Count"] == 6
    table.update_item(Key={"pk": "p0", "sk": "s"}, UpdateExpression="REMOVE kind")
    assert query("all", "kind", "k")["Count"] == 5
    with refused("ValidationException", 400, "The table does not have the specified index: nope"):
        query("nope", "kind", "k")
    with refused("ValidationException", 400):
        query("all", "kind", "k", ConsistentRead=True)
    with refused("ValidationException", 400, "Type mismatch for Index Key rank"):
        table.put_item(Item={"pk": "x", "sk": "s", "kind": "k", "rank": "high"})


@case
def items_past_their_time_go_when_told():
    table = make("ttl")
    setting = {"AttributeName": "exp", "Enabled": True}
    answer = db.update_time_to_live(TableName="ttl", TimeToLiveSpecification=setting)
    assert answer["TimeToLiveSpecification"] == setting
    described = db.describe_time_to_live(TableName="ttl")["TimeToLiveDescription"]
    assert described["AttributeName"] == "exp"
    assert described["TimeToLiveStatus"] in ("ENABLING", "ENABLED")
    with refused("ValidationException", 400):
        db.update_time_to_live(TableName="ttl", TimeToLiveSpecification=setting)
    now = int(time.time())
    for name, expiry in (
        ("past", now - 60), ("future", now + 3600), ("text", str(now - 60)),
        ("ancient", now - 6 * 31_622_400),
    ):
        table.put_item(Item={"pk": name, "exp": expiry})
    control("POST", "expire-now")
    left = {item["pk"] for item in table.scan()["Items"]}
    assert left == {"future", "text", "ancient"}, left


@case
def any_keys_do_unless_the_emulator_is_strict():
    make("open")
    somebody = {"AccessKeyId": "anything", "SecretAccessKey": "anything"}
    client("dynamodb", somebody).get_item(TableName="open", Key={"pk": {"S": "a"}})


run()
