"""Makes tables for the judges of the key-value store."""

from judge import client, resource

db = client("dynamodb")
tables = resource("dynamodb")


def make(name, sort=None, indexes=()):
    """A table with the hash key pk, and a sort key of type S when it has a name."""
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
