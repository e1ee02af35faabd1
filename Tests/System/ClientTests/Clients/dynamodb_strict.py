"""boto3 with a strict emulator: DynamoDB authenticates and authorises callers."""

import json

from judge import case, client, refused, run
from tables import db, make

ROLE = "arn:aws:iam::123456789012:role/storage"
ASK = {"TableName": "mine", "Key": {"pk": {"S": "a"}}}

make("mine")
make("other")


def session(*statements):
    policy = {"Version": "2012-10-17", "Statement": list(statements)}
    answer = client("sts").assume_role(
        RoleArn=ROLE, RoleSessionName="judge", Policy=json.dumps(policy))
    return client("dynamodb", answer["Credentials"])


@case
def the_developer_may_do_everything():
    db.put_item(TableName="mine", Item={"pk": {"S": "a"}})
    assert db.get_item(**ASK)["Item"] == {"pk": {"S": "a"}}


@case
def keys_that_nobody_has_are_refused():
    unknown = {"AccessKeyId": "AKIAIOSFODNN7EXAMPLE", "SecretAccessKey": "wrong"}
    with refused("UnrecognizedClientException", 400, "The security token included"):
        client("dynamodb", unknown).get_item(**ASK)
    forged = {"AccessKeyId": "latchkey", "SecretAccessKey": "wrong"}
    with refused("InvalidSignatureException", 400, "signature we calculated does not match"):
        client("dynamodb", forged).get_item(**ASK)
    with refused("UnrecognizedClientException", 400):
        client("dynamodb", {**forged, "SessionToken": "forged"}).get_item(**ASK)


@case
def a_session_reaches_what_its_policy_names():
    reader = session({
        "Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:Query"],
        "Resource": "arn:aws:dynamodb:us-east-1:*:table/mine"})
    assert "Item" in reader.get_item(**ASK)
    for call in (
        lambda: reader.put_item(TableName="mine", Item={"pk": {"S": "a"}}),
        lambda: reader.get_item(TableName="other", Key={"pk": {"S": "a"}}),
        lambda: reader.scan(TableName="mine"),
        lambda: reader.list_tables(),
        lambda: reader.batch_get_item(RequestItems={"mine": {"Keys": [{"pk": {"S": "a"}}]}}),
        lambda: reader.transact_write_items(TransactItems=[
            {"Delete": {"TableName": "mine", "Key": {"pk": {"S": "a"}}}}]),
    ):
        with refused("AccessDeniedException", 400, "is not authorized to perform: dynamodb:"):
            call()
    assert "Item" in db.get_item(**ASK)


@case
def what_one_policy_denies_no_other_allows():
    both = session(
        {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
        {"Effect": "Deny", "Action": "dynamodb:DeleteItem", "Resource": "*"})
    both.put_item(TableName="other", Item={"pk": {"S": "a"}})
    with refused("AccessDeniedException", 400):
        both.delete_item(TableName="other", Key={"pk": {"S": "a"}})
    with refused("AccessDeniedException", 400):
        both.transact_write_items(TransactItems=[
            {"Put": {"TableName": "mine", "Item": {"pk": {"S": "b"}}}},
            {"Delete": {"TableName": "other", "Key": {"pk": {"S": "a"}}}}])


run()
