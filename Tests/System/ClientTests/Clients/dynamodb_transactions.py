"""boto3 with DynamoDB: batches and transactions."""

import threading

from botocore.exceptions import ClientError
from judge import case, client, refused, run
from tables import db, make, tables


@case
def batches_write_and_read():
    table = make("batch")
    with table.batch_writer(overwrite_by_pkeys=["pk"]) as batch:
        for number in range(70):
            batch.put_item(Item={"pk": str(number % 65), "n": number})
        batch.delete_item(Key={"pk": "64"})
    found = tables.batch_get_item(RequestItems={"batch": {
        "Keys": [{"pk": str(number)} for number in range(70)],
        "ProjectionExpression": "pk, n"}})
    assert len(found["Responses"]["batch"]) == 64 and found["UnprocessedKeys"] == {}
    with refused("ValidationException", 400, "Provided list of item keys contains duplicates"):
        db.batch_write_item(RequestItems={"batch": [
            {"PutRequest": {"Item": {"pk": {"S": "twice"}}}},
            {"DeleteRequest": {"Key": {"pk": {"S": "twice"}}}}]})
    with refused("ValidationException", 400):
        db.batch_write_item(RequestItems={"batch": [
            {"PutRequest": {"Item": {"pk": {"S": str(number)}}}} for number in range(26)]})


@case
def a_transaction_is_all_or_nothing():
    make("money")
    account = lambda name: {"pk": {"S": name}}
    for name, amount in (("a", "10"), ("b", "0")):
        db.put_item(TableName="money", Item={**account(name), "n": {"N": amount}})

    def move(amount, token):
        values = {":x": {"N": str(amount)}}
        return db.transact_write_items(ClientRequestToken=token, TransactItems=[
            {"Update": {
                "TableName": "money", "Key": account("a"), "UpdateExpression": "SET n = n - :x",
                "ConditionExpression": "n >= :x", "ExpressionAttributeValues": values,
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
            {"Update": {
                "TableName": "money", "Key": account("b"), "UpdateExpression": "SET n = n + :x",
                "ExpressionAttributeValues": values}},
            {"ConditionCheck": {
                "TableName": "money", "Key": account("closed"),
                "ConditionExpression": "attribute_not_exists(pk)"}},
            {"Put": {"TableName": "money", "Item": {**account("log"), "x": {"N": str(amount)}}}},
        ])

    def balances():
        answer = db.transact_get_items(TransactItems=[
            {"Get": {"TableName": "money", "Key": account(name)}} for name in ("a", "b", "none")])
        assert answer["Responses"][2] == {}
        return [int(part["Item"]["n"]["N"]) for part in answer["Responses"][:2]]

    move(4, "first")
    assert balances() == [6, 4]
    move(4, "first")
    assert balances() == [6, 4], "one token was carried out twice"
    with refused("IdempotentParameterMismatchException", 400):
        move(5, "first")
    with refused("TransactionCanceledException", 400, "Transaction cancelled") as cancelled:
        move(100, "second")
    reasons = cancelled.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == [
        "ConditionalCheckFailed", "None", "None", "None"], reasons
    assert reasons[0]["Item"]["n"] == {"N": "6"}
    assert reasons[0]["Message"] == "The conditional request failed"
    assert "Message" not in reasons[1] and "Item" not in reasons[1]
    assert "[ConditionalCheckFailed, None, None, None]" in cancelled.message
    assert isinstance(cancelled.error, db.exceptions.TransactionCanceledException)
    assert balances() == [6, 4]
    with refused("ValidationException", 400, "cannot include multiple operations on one item"):
        db.transact_write_items(TransactItems=[
            {"Delete": {"TableName": "money", "Key": account("a")}},
            {"Delete": {"TableName": "money", "Key": account("a")}}])


@case
def racing_transactions_lose_no_money():
    spent = []
    own = client("dynamodb", max_pool_connections=4)

    def spend():
        while True:
            try:
                own.transact_write_items(TransactItems=[
                    {"Update": {
                        "TableName": "money", "Key": {"pk": {"S": "b"}},
                        "UpdateExpression": "SET n = n - :one", "ConditionExpression": "n > :zero",
                        "ExpressionAttributeValues": {":one": {"N": "1"}, ":zero": {"N": "0"}}}},
                    {"Update": {
                        "TableName": "money", "Key": {"pk": {"S": "sink"}},
                        "UpdateExpression": "ADD n :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}}}}])
                spent.append(1)
            except ClientError as error:
                codes = [reason["Code"] for reason in error.response["CancellationReasons"]]
                if codes[0] == "ConditionalCheckFailed":
                    return
                assert "TransactionConflict" in codes, codes

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sink = db.get_item(TableName="money", Key={"pk": {"S": "sink"}}, ConsistentRead=True)["Item"]
    assert len(spent) == 4 and sink["n"] == {"N": "4"}, (spent, sink)


run()
