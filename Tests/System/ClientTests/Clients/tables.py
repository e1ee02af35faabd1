"""Creates tables for the DynamoDB client scripts."""

from judge import client, resource

db = client("dynamodb")
tables = resource("dynamodb")


def make(name, sort=None, indexes=()):
    """Creates a table with the partition key pk and optionally a sort key of type S."""
    attributes = {"pk": "S"}
    schema = [{"AttributeName": "pk", "KeyType": "HASH"}]
    if sort:
        attributes[sort] = "S"
        schema.append({"AttributeName": sort, "KeyType": "RANGE"})
    settings = {}
    for index, (hash_key, sort_key, sort_type, projection) in indexes:
        attributes[hash_key] = "S"
        attributes[sort_key] = sort_type
        settings.setdefault("GlobalSecondaryIndexes", []).append({
            "IndexName": index,
            "KeySchema": [
                {"AttributeName": hash_key, "KeyType": "HASH"},
                {"AttributeName": sort_key, "KeyType": "RANGE"},
            ],
            "Projection": projection,
        })
    table = tables.create_table(
        TableName=name, KeySchema=schema, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kind} for key, kind in attributes.items()
        ], **settings)
    table.wait_until_exists()
    return table
