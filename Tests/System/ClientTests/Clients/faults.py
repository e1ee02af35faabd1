"""boto3 sees the faults that a developer asks for, in the format of each service."""

import json

from botocore.exceptions import ConnectionClosedError
from judge import APP, case, client, clock, control, fetch, refused, run

dynamodb, s3 = client("dynamodb"), client("s3")
for name in ("items", "others"):
    dynamodb.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])


def put(key, table="items"):
    dynamodb.put_item(TableName=table, Item={"pk": {"S": key}})


def has(key):
    return "Item" in dynamodb.get_item(TableName="items", Key={"pk": {"S": key}})


def add(service, effect, match=None, **more):
    control("POST", "faults", {
        "match": {"service": service, **(match or {})}, "effect": effect, **more})


def faults():
    return control("GET", "faults")


@case
def a_fault_of_dynamodb_affects_one_table_and_one_operation():
    add("dynamodb", "error", {"operation": "PutItem", "table": "items"},
        error="InternalServerError", count=2)
    put("a", "others")
    assert not has("a")
    for _ in range(2):
        with refused("InternalServerError", 500):
            put("a")
    assert not has("a")
    put("a")
    [fault] = faults()["faults"]
    assert (fault["hits"], fault["left"], faults()["on"]) == (2, 0, False), fault
    control("DELETE", "faults")


@case
def a_write_whose_response_is_lost_is_executed_and_one_that_is_reset_is_not():
    add("dynamodb", "lose", {"operation": "PutItem"}, answer="InternalServerError", count=1)
    with refused("InternalServerError", 500):
        put("lost")
    assert has("lost")
    for effect, key in (("lose", "gone"), ("reset", "never")):
        add("dynamodb", effect, {"operation": "PutItem"})
        try:
            put(key)
            raise AssertionError(f"{effect} was answered")
        except ConnectionClosedError:
            pass
        assert has(key) is (effect == "lose")
        control("DELETE", "faults")


@case
def a_fault_of_s3_affects_an_operation_a_bucket_and_keys():
    add("s3", "throttle", {"operation": "PutObject", "bucket": "judged", "path": "photos/*"})
    s3.put_object(Bucket="judged", Key="other", Body=b"x")
    with refused("SlowDown", 503):
        s3.put_object(Bucket="judged", Key="photos/1", Body=b"x")
    with refused("NoSuchKey", 404):
        s3.get_object(Bucket="judged", Key="photos/1")
    control("DELETE", "faults")


@case
def every_service_fails_in_its_own_format():
    for service, error in (
        ("sts", "InternalFailure"), ("ses", "TooManyRequestsException"),
        ("secrets", "InternalServiceError"), ("provider", "server_error"),
    ):
        add(service, "error", error=error)
    with refused("InternalFailure", 500):
        client("sts").get_caller_identity()
    with refused("TooManyRequestsException", 429):
        client("sesv2").send_email(Content={"Raw": {"Data": b"x"}})
    with refused("InternalServiceError"):
        client("secretsmanager").get_secret_value(SecretId="x")
    status, _, body = fetch("GET", f"{APP}/_idp/google/oauth2/v3/certs")
    assert status == 500 and json.loads(body)["error"] == "server_error"
    # Requests for tests, such as mint, are not matched as requests to a provider.
    assert fetch("POST", f"{APP}/_idp/google/mint", b"{}", {
        "Content-Type": "application/json"})[0] == 200
    control("DELETE", "faults")


@case
def faults_of_tokens_and_of_mail_are_in_the_common_list():
    def put(path, body=None):
        answer = fetch("PUT", APP + path, body, {"Content-Type": "application/json"})
        assert answer[0] == 200, answer

    add("provider", "error", {"provider": "google"}, error="jwks-500", count=1)
    for path, status in (("apple/auth/keys", 200), ("google/oauth2/v3/certs", 500),
                         ("google/oauth2/v3/certs", 200)):
        assert fetch("GET", f"{APP}/_idp/{path}")[0] == status, path
    put("/_idp/apple/faults", b'{"name":"expired"}')
    put("/_emulator/mail/faults/throttled?times=2")
    assert [fault["text"] for fault in faults()["faults"]] == [
        "provider provider=google: error jwks-500, once", "provider provider=apple: error expired",
        "ses: error throttled, 2 times"], faults()
    control("DELETE", "faults")
    assert json.loads(fetch("GET", f"{APP}/_idp/apple/faults")[2])["on"] == []


def posted(path, body):
    return fetch("POST", f"{APP}/_emulator/{path}", body, {"Content-Type": "application/json"})[0]


@case
def a_clock_moves_by_up_to_a_century_at_once():
    for body in (
        b"{", b"[]", b"{}", b'{"seconds":"1"}', b'{"seconds":1.5}', b'{"seconds":null}',
        b'{"seconds":3155760001}', b'{"seconds":-3155760001}', b'{"seconds":9223372036854775807}',
        b'{"seconds":-9223372036854775808}', b'{"reset":false}', b'{"reset":1}', b"",
    ):
        assert posted("clock", body) == 400, body
        assert control("GET", "clock")["aheadSeconds"] == 0
    # Repeated moves must not overflow.
    for seconds in (3155760000, -3155760000):
        for _ in range(120):
            posted("clock", b'{"seconds":%d}' % seconds)
        assert posted("expire-now", None) == 200
        assert control("GET", "clock") and dynamodb.list_tables()
        clock({"reset": True})
    s3.put_object(Bucket="judged", Key="key", Body=b"x")


@case
def unknown_paths_of_the_emulator_are_not_found():
    for method, path in (
        ("POST", ""), ("GET", "nothing"), ("POST", "health"), ("GET", "expire-now"),
        ("DELETE", "logs"), ("POST", "schedules/a/b"), ("GET", "health/x"),
        ("POST", "schedules/%ff"), ("POST", "schedules/%"),
    ):
        status, _, body = fetch(method, f"{APP}/_emulator/{path}")
        assert status == 404 and json.loads(body)["message"], (method, path, status)


run()
