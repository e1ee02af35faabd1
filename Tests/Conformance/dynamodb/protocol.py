"""The protocol: HTTP, JSON, signatures, compression."""

import gzip
import json
import re
import zlib

from dynamodb._db import call, fetch, get, item, plain, put, unique
from harness.cases import differs

_JSON = "application/x-amz-json-1.0"


def _body(**members):
    return json.dumps({"TableName": plain(), **members})


def _put_body(key):
    return _body(Item=item(p=key)).encode()


def get_asks_for_the_services_health():
    answer = fetch("GET")
    assert answer.status == 200 and answer.body.startswith(b"healthy: ")


def another_path_is_no_service():
    assert 400 <= fetch("GET", path="/-").status < 500


def an_answer_has_the_services_headers():
    answer = call("ListTables", {"Limit": 1})
    assert answer.headers["Content-Type"] == _JSON
    assert re.fullmatch("[A-Z0-9]{52}", answer.headers["x-amzn-RequestId"])
    assert answer.headers["Server"] and answer.headers["Date"]


def an_answer_has_the_checksum_of_its_body():
    for operation, body in (("ListTables", {}), ("GetItem", {})):
        answer = call(operation, body)
        assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)


def an_error_has_a_type_and_a_message():
    answer = call("GetItem", _body(Key={}))
    assert answer.status == 400 and answer.json == {
        "__type": "com.amazon.coral.validate#ValidationException",
        "message": "The provided key element does not match the schema"}
    answer = call("DescribeTable", {"TableName": "absent"})
    assert answer.json["__type"] == (
        "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException")


def an_unknown_operation_is_refused():
    for target in ("DynamoDB_20120810.Nothing", "DynamoDB_20120810", "Nothing_1.GetItem"):
        answer = call("GetItem", {}, {"X-Amz-Target": target})
        if target.startswith("DynamoDB"):
            assert (answer.status, answer.body) == (
                400, b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'), target
        else:
            assert answer.status >= 400


def another_content_type_is_not_found():
    answer = call("ListTables", {}, {"Content-Type": "text/plain"})
    assert answer.status == 404 and answer.body == b"<UnknownOperationException/>\n"


def a_content_type_may_have_parameters():
    answer = call("ListTables", {}, {"Content-Type": "application/json; charset=utf-8"})
    assert answer.status == 200


def a_body_is_json():
    for body in ("", "{", "nothing", '{"a":}', '{"a":1,}'):
        answer = call("ListTables", body)
        assert answer.status == 400
        assert answer.json["__type"] == "com.amazon.coral.service#SerializationException", body


def a_body_is_an_object():
    for body in ("[]", "7", '"text"'):
        assert call("ListTables", body).error == "SerializationException", body


def a_member_has_its_json_type():
    for member, text in (
            ({"TableName": 1}, "NUMBER_VALUE cannot be converted to String"),
            ({"TableName": True}, "TRUE_VALUE cannot be converted to String"),
            ({"TableName": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
            ({"ConsistentRead": []}, "Unrecognized collection type class java.lang.Boolean"),
            ({"TableName": {}}, "Start of structure or map found where not expected"),
            ({"Key": "a"}, "Unexpected field type")):
        answer = call("GetItem", {"TableName": plain(), "Key": item(p="a"), **member})
        assert answer.error == "SerializationException", member
        assert answer.json["Message"] == text, answer.json


def a_null_member_is_absent():
    answer = call("GetItem", {
        "TableName": plain(), "Key": item(p="a"), "ProjectionExpression": None,
        "ConsistentRead": None})
    assert answer.json == {}


def an_unknown_member_is_ignored():
    assert call("GetItem", _body(Key=item(p="a"), Unknown={"a": [1]})).json == {}


def an_unknown_type_is_no_value():
    answer = call("PutItem", _body(Item={"p": {"S": "a"}, "x": {"Q": "a"}}))
    assert answer.error == "ValidationException"
    assert "must contain exactly one of the supported datatypes" in answer.json["message"]


def a_binary_value_is_base64():
    for text in ("a", "abc", "!!!!"):
        answer = call("PutItem", _body(Item={"p": {"S": "a"}, "x": {"B": text}}))
        assert answer.error == "SerializationException", text


def escaped_text_is_the_same_text():
    key = unique()
    call("PutItem", '{"TableName": "%s", "Item": {"p": {"S": "%s"}, "x": {"S": '
                    '"\\u00e9\\ud83d\\ude00\\n\\"\\\\"}}}' % (plain(), key))
    assert get(plain(), p=key)["x"]["S"] == 'é😀\n"\\'


def a_body_has_at_most_16_megabytes():
    answer = call("ListTables", "{" + " " * (16 << 20) + "}")
    assert answer.status == 413


@differs("the limit is that of the emulator's HTTP server, for all services, which is higher")
def headers_have_at_most_16_kilobytes():
    answer = call("ListTables", {}, {"Extra-1": "x" * 8192, "Extra-2": "x" * 8192})
    assert answer.status == 400


def a_request_is_signed():
    answer = call("ListTables", {}, is_signed=False)
    assert answer.status == 400 and answer.json == {
        "__type": "com.amazon.coral.service#MissingAuthenticationTokenException",
        "message": "Request is missing Authentication Token"}


def a_key_is_known():
    signed = (
        "AWS4-HMAC-SHA256 Credential=unknown/20200101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=00")
    answer = call("ListTables", {}, {"Authorization": signed}, is_signed=False)
    assert answer.status == 400 and answer.error in (
        "UnrecognizedClientException", "IncompleteSignatureException", "InvalidSignatureException")


def a_signature_is_of_now():
    signed = {
        "Authorization": "AWS4-HMAC-SHA256 Credential=latchkey/20200101/us-east-1/dynamodb/"
                         "aws4_request, SignedHeaders=host;x-amz-date, Signature=00"}
    for date, text in (
            ("20200101T000000Z", "Signature expired: 20200101T000000Z is now earlier than "),
            ("29990101T000000Z", "Signature not yet current: 29990101T000000Z is still later")):
        answer = call("ListTables", {}, {**signed, "X-Amz-Date": date}, is_signed=False)
        assert answer.error == "InvalidSignatureException" and text in answer.json["message"]


def a_signature_fails_before_the_body():
    answer = call("Nothing", "{", is_signed=False)
    assert answer.error == "MissingAuthenticationTokenException"


def a_request_may_be_compressed():
    for encoding, compress in (("gzip", gzip.compress), ("deflate", zlib.compress)):
        key = unique()
        answer = call("PutItem", compress(_put_body(key)), {"Content-Encoding": encoding})
        assert answer.status == 200 and get(plain(), p=key), encoding


def a_compressed_request_may_have_several_parts():
    key = unique()
    body = _put_body(key)
    call("PutItem", gzip.compress(body[:9]) + gzip.compress(body[9:]), {
        "Content-Encoding": "gzip"})
    assert get(plain(), p=key)


def a_damaged_request_fails():
    key = unique()
    body = _put_body(key)
    for encoding, sent in (
            ("gzip", body), ("gzip", gzip.compress(body)[:-1]), ("gzip", b""), ("deflate", body),
            ("garbage", body)):
        assert call("PutItem", sent, {"Content-Encoding": encoding}).status == 500, encoding
    assert get(plain(), p=key) is None


def a_request_that_unpacks_to_too_much_is_refused():
    body = gzip.compress(b"{" + b" " * (17 << 20) + b"}")
    assert call("ListTables", body, {"Content-Encoding": "gzip"}).status == 413


def _long_answer(**headers):
    key = "long"
    put(plain(), p=key, x="x" * 5000)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return call("GetItem", _body(Key=item(p=key)), names)


def a_long_answer_is_compressed_if_asked():
    for encoding, unpack in (("gzip", gzip.decompress), ("deflate", zlib.decompress)):
        answer = _long_answer(Accept_Encoding=encoding)
        assert answer.headers["Content-Encoding"] == encoding
        assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
        assert len(json.loads(unpack(answer.body))["Item"]["x"]["S"]) == 5000
    assert "Content-Encoding" not in _long_answer().headers


def a_short_answer_is_not_compressed():
    answer = call("ListTables", {"Limit": 1}, {"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers


def the_clients_preference_decides():
    for accepted, expected in (
            ("gzip, deflate", "gzip"), ("br, deflate, gzip", "deflate"), ("*", "gzip"),
            ("gzip;q=0.2, deflate;q=0.5", "deflate"), ("gzip;q=0", None), ("identity", None),
            ("GZIP;q=0.5", "gzip"), ("gzip br", None), ("*, gzip;q=0.5", "deflate"),
            ("gzip;q=7, deflate", "gzip"), ("*;q=0", None)):
        found = _long_answer(Accept_Encoding=accepted).headers.get("Content-Encoding")
        assert found == expected, accepted


def pages_of_any_origin_may_read_answers():
    for answer in (
            call("ListTables", {}, {"Origin": "https://example.com"}),
            fetch("GET", headers={"Origin": "https://example.com"})):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "x-amzn-RequestId" in answer.headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Max-Age" not in answer.headers
    assert "Access-Control-Allow-Origin" not in call("ListTables", {}).headers


def a_preflight_allows_what_is_requested():
    answer = fetch("OPTIONS", headers={
        "Origin": "https://example.com", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-amz-target, authorization"})
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Methods"] == "POST"
    assert answer.headers["Access-Control-Allow-Headers"] == "x-amz-target, authorization"
    assert int(answer.headers["Access-Control-Max-Age"]) > 0
