"""Tables: definitions and changes."""

import re
import uuid

from dynamodb._db import (
    call, client, get, index, invalid, item, key_schema, make, put, refused, unique, values,
)
from harness.cases import differs

_UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}


def _create(table, name="added", attribute="g", kind="S", **more):
    return client().update_table(
        TableName=table,
        AttributeDefinitions=[{"AttributeName": attribute, "AttributeType": kind}],
        GlobalSecondaryIndexUpdates=[{"Create": {**index(name, attribute), **more}}])


def _delete(table, name="added"):
    return client().update_table(
        TableName=table, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])


def _indexes(answer, member="TableDescription"):
    found = answer[member].get("GlobalSecondaryIndexes", [])
    return {entry["IndexName"]: entry["IndexStatus"] for entry in found}


def _described(table):
    return client().describe_table(TableName=table)["Table"]


def a_new_index_is_filled():
    table = make(["p"])
    put(table, p="a", g="x")
    put(table, p="b", g=1)
    put(table, p="c", g="")
    put(table, p="d")
    answer = _create(table)
    assert answer["TableDescription"]["TableStatus"] == "UPDATING"
    assert _indexes(answer) == {"added": "CREATING"}
    assert _described(table)["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
    found = client().scan(TableName=table, IndexName="added")["Items"]
    assert found == [item(p="a", g="x")]


def a_new_index_gets_new_items():
    table = make(["p"])
    _create(table)
    put(table, p="a", g="x")
    answer = client().query(
        TableName=table, IndexName="added", KeyConditionExpression="g = :g",
        ExpressionAttributeValues=values(g="x"))
    assert answer["Count"] == 1
    with invalid("Type mismatch for Index Key g"):
        put(table, p="b", g=1)


def a_deleted_index_is_gone():
    table = make(["p"])
    _create(table)
    assert _indexes(_delete(table)) == {"added": "DELETING"}
    assert "GlobalSecondaryIndexes" not in _described(table)
    put(table, p="a", g=1)
    with invalid("The table does not have the specified index: added"):
        client().scan(TableName=table, IndexName="added")


def a_definition_goes_with_its_last_index():
    table = make(["p"])
    _create(table)
    assert len(_described(table)["AttributeDefinitions"]) == 2
    _delete(table)
    assert [entry["AttributeName"] for entry in _described(table)["AttributeDefinitions"]] == ["p"]


def an_indexs_key_is_defined_in_the_request():
    table = make(["p"], {"g": "S"}, GlobalSecondaryIndexes=[index("first", "g")])
    with invalid("AttributeDefinitions"):
        client().update_table(
            TableName=table, GlobalSecondaryIndexUpdates=[{"Create": index("second", "g")}])


def an_index_is_created_once():
    table = make(["p"])
    _create(table)
    with invalid("Attempting to create an index which already exists"):
        _create(table, attribute="h")


def an_unknown_index_is_not_deleted():
    with refused("ResourceNotFoundException"):
        _delete(make(["p"]))


def one_index_is_changed_at_a_time():
    table = make(["p"], {"g": "S"}, GlobalSecondaryIndexes=[index("first", "g")])
    with refused(
            "LimitExceededException",
            "Subscriber limit exceeded: Only 1 online index can be created or deleted "
            "simultaneously per table"):
        client().update_table(
            TableName=table,
            AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[
                {"Create": index("second", "g")}, {"Delete": {"IndexName": "first"}}])


def a_change_does_one_thing():
    with invalid("GlobalSecondaryIndexUpdate"):
        client().update_table(TableName=make(["p"]), GlobalSecondaryIndexUpdates=[{}])
    with invalid("Only one"):
        client().update_table(
            TableName=make(["p"]),
            AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[
                {"Create": index("one", "g"), "Delete": {"IndexName": "two"}}])


def an_attribute_keeps_its_type():
    table = make(["p"])
    _create(table)
    with invalid("Attributes cannot be redefined"):
        _create(table, "other", "g", "N")


def a_change_changes_something():
    with invalid("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "):
        client().update_table(TableName=make(["p"]))


def billing_changes_to_provisioned_and_back():
    table = make(["p"])
    client().update_table(
        TableName=table, BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS)
    units = _described(table)["ProvisionedThroughput"]
    assert (units["ReadCapacityUnits"], units["WriteCapacityUnits"]) == (5, 6)
    client().update_table(TableName=table, BillingMode="PAY_PER_REQUEST")
    described = _described(table)
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def provisioned_billing_has_units():
    with invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"):
        client().update_table(TableName=make(["p"]), BillingMode="PROVISIONED")


def a_table_on_demand_has_no_units():
    with invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST"):
        client().update_table(TableName=make(["p"]), ProvisionedThroughput=_UNITS)


def units_change():
    table = make(["p"], BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS)
    with invalid("The provisioned throughput for the table will not change."):
        client().update_table(TableName=table, ProvisionedThroughput=_UNITS)
    with invalid("The provisioned throughput for the table will not change."):
        client().update_table(
            TableName=table, BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS)
    client().update_table(
        TableName=table, ProvisionedThroughput={**_UNITS, "ReadCapacityUnits": 9})
    assert _described(table)["ProvisionedThroughput"]["ReadCapacityUnits"] == 9


def deletion_protection_is_switched():
    table = make(["p"])
    client().update_table(TableName=table, DeletionProtectionEnabled=True)
    with invalid("Resource cannot be deleted as it is currently protected against deletion."):
        client().delete_table(TableName=table)
    client().update_table(TableName=table, DeletionProtectionEnabled=False)
    client().delete_table(TableName=table)


def a_missing_table_is_not_changed():
    with refused("ResourceNotFoundException", "Requested resource not found: Table: "):
        client().update_table(TableName=unique("absent"), BillingMode="PAY_PER_REQUEST")


def a_table_is_created_and_described():
    name = unique("table")
    made = client().create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("p", "c"),
        AttributeDefinitions=[
            {"AttributeName": "p", "AttributeType": "S"},
            {"AttributeName": "c", "AttributeType": "N"}])["TableDescription"]
    assert made["TableStatus"] == "CREATING"
    assert made["TableArn"] == f"arn:aws:dynamodb:us-east-1:123456789012:table/{name}"
    answer = call("DescribeTable", {"TableName": name})
    assert re.search(rb'"CreationDateTime":\d{10}\.\d{3},', answer.body), answer.body
    described = _described(name)
    assert described["TableStatus"] == "ACTIVE" and described["TableName"] == name
    assert described["KeySchema"] == key_schema("p", "c")
    assert (described["ItemCount"], described["TableSizeBytes"]) == (0, 0)
    assert str(uuid.UUID(described["TableId"])) == made["TableId"]
    for absent in ("SSEDescription", "StreamSpecification", "RestoreSummary"):
        assert absent not in described


def a_table_on_demand_says_since_when():
    described = _described(make(["p"]))
    summary = described["BillingModeSummary"]
    assert summary["BillingMode"] == "PAY_PER_REQUEST"
    assert summary["LastUpdateToPayPerRequestDateTime"] == described["CreationDateTime"]
    units = described["ProvisionedThroughput"]
    assert units["ReadCapacityUnits"] == units["NumberOfDecreasesToday"] == 0


def a_provisioned_table_has_units():
    described = _described(make(["p"], BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS))
    assert described["ProvisionedThroughput"]["WriteCapacityUnits"] == 6


def billing_is_stated():
    with invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
            "PROVISIONED"):
        make(["p"], BillingMode="PROVISIONED")
    with invalid("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when"):
        make(["p"], ProvisionedThroughput=_UNITS)
    with invalid("Value 'FREE' at 'billingMode' failed to satisfy constraint: Member must satisfy"):
        make(["p"], BillingMode="FREE")


def a_name_is_used_once():
    table = make(["p"])
    with refused("ResourceInUseException", f"Table already exists: {table}"):
        make(["p"], TableName=table)


def a_key_is_complete():
    with invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type"):
        make(["p"], KeySchema=[{"AttributeName": "p", "KeyType": "RANGE"}])
    with invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"):
        make(["p", "c"], KeySchema=[
            {"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "HASH"}])
    with invalid("Invalid KeySchema: Some index key attribute have no definition"):
        make(["p"], KeySchema=key_schema("p", "p"))
    with invalid("Some index key attributes are not defined in AttributeDefinitions. Keys: [q], "):
        make(["p"], KeySchema=key_schema("q"))


def attributes_are_defined_once_and_used():
    with invalid("Number of attributes in KeySchema does not exactly match number of attributes"):
        make(["p"], {"q": "S"})
    with invalid("Duplicate", "p"):
        make(["p"], AttributeDefinitions=[
            {"AttributeName": "p", "AttributeType": kind} for kind in "SN"])


def types_and_kinds_are_known():
    with invalid(
            "Value 'Q' at 'attributeDefinitions.1.member.attributeType' failed to satisfy "
            "constraint: Member must satisfy enum value set: [B, N, S]"):
        make(["p"], {"p": "Q"})
    with invalid(
            "Value 'KEY' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must "
            "satisfy enum value set: [HASH, RANGE]"):
        make(["p"], KeySchema=[{"AttributeName": "p", "KeyType": "KEY"}])


def a_table_has_a_name():
    with invalid("The parameter 'TableName' is required but was not present in the request"):
        client().create_table(
            BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("p"), AttributeDefinitions=[])
    for name in ("ab", "n" * 256, "a b c", "ä" * 5):
        with invalid("at 'tableName' failed to satisfy constraint: Member must"):
            make(["p"], TableName=name)


def a_key_has_at_most_two_parts():
    with invalid(
            "Value '[KeySchemaElement(attributeName=p, keyType=HASH), ",
            "at 'keySchema' failed to satisfy constraint: Member must have length less than or "
            "equal to 2"):
        make(["p", "c"], KeySchema=key_schema("p", "c") + key_schema("p"))


def a_deleted_table_is_gone():
    table = make(["p"])
    deleted = client().delete_table(TableName=table)["TableDescription"]
    assert deleted["TableStatus"] == "DELETING" and deleted["TableName"] == table
    for absent in ("CreationDateTime", "KeySchema", "AttributeDefinitions"):
        assert absent not in deleted
    with refused(
            "ResourceNotFoundException", f"Requested resource not found: Table: {table} not found"):
        client().describe_table(TableName=table)
    with refused("ResourceNotFoundException"):
        client().delete_table(TableName=table)


def a_table_of_a_deleted_name_is_empty():
    table = make(["p"])
    put(table, p="a")
    client().delete_table(TableName=table)
    make(["p"], TableName=table)
    assert get(table, p="a") is None and _described(table)["ItemCount"] == 0


def tables_are_listed_in_pages():
    made = {make(["p"]) for _ in range(3)}
    found, start = [], {}
    while True:
        answer = client().list_tables(Limit=2, **start)
        found += answer["TableNames"]
        if "LastEvaluatedTableName" not in answer:
            break
        start = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}
    assert made <= set(found) and len(found) == len(set(found))


def a_list_has_a_limit():
    for limit in (0, 101):
        with invalid("at 'limit' failed to satisfy constraint: Member must have value"):
            client().list_tables(Limit=limit)


def items_are_counted_in_the_description():
    table = make(["p"])
    for key in "abc":
        put(table, p=key)
    described = _described(table)
    assert described["ItemCount"] == 3 and described["TableSizeBytes"] > 0
    client().delete_item(TableName=table, Key=item(p="a"))
    assert _described(table)["ItemCount"] == 2


@differs("there are no streams")
def a_table_has_a_stream():
    table = make(
        ["p"], StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    assert _described(table)["LatestStreamArn"].startswith("arn:")


@differs("there is no PartiQL")
def a_statement_reads_an_item():
    table = make(["p"])
    put(table, p="a")
    answer = client().execute_statement(Statement=f"SELECT * FROM \"{table}\" WHERE p = 'a'")
    assert answer["Items"] == [item(p="a")]


def the_account_has_limits():
    limits = client().describe_limits()
    assert set(limits) >= {
        "AccountMaxReadCapacityUnits", "AccountMaxWriteCapacityUnits", "TableMaxReadCapacityUnits",
        "TableMaxWriteCapacityUnits"}
    assert limits["TableMaxReadCapacityUnits"] == 40_000


def the_service_names_its_endpoint():
    endpoint = client().describe_endpoints()["Endpoints"][0]
    assert endpoint["Address"] in client().meta.endpoint_url
    assert endpoint["CachePeriodInMinutes"] == 1440
