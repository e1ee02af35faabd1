"""Numbers: precision, range and form."""

from dynamodb._db import (
    call, client, compare, get, invalid, item, make, plain, refusal, unique, values,
)


def _stored(text):
    key = unique()
    client().put_item(TableName=plain(), Item={"p": {"S": key}, "n": {"N": text}})
    return get(plain(), p=key)["n"]["N"]


def a_number_is_returned_without_superfluous_digits():
    for text, expected in (
            ("007", "7"), ("+3", "3"), ("1.10", "1.1"), (".5", "0.5"), ("-0.0", "0"), ("5.", "5"),
            ("0042", "42")):
        assert _stored(text) == expected, text


def a_number_is_returned_without_an_exponent():
    for text, expected in (("1e3", "1000"), ("1.5E2", "150"), ("1e-3", "0.001"),
            ("-2E-2", "-0.02")):
        assert _stored(text) == expected, text
    assert _stored("1e125") == "1" + 125 * "0"


def numbers_are_returned_exactly():
    digits = "31415926535897932384626433832795028841"
    compare((
        ("0e1000", "0"), ("-17.4E37", "-174" + "0" * 36), ("-0.00120", "-0.0012"),
        (f"3.{digits[1:]}", f"3.{digits[1:]}"), (f"{digits}e30", digits + "0" * 30),
        ("100" + "0" * 60 + ".000", "100" + "0" * 60), ("9007199254740993", "9007199254740993"),
    ), _stored)


def a_number_has_38_digits():
    digits = "12345678901234567890123456789012345678"
    assert _stored(digits) == digits
    with invalid("Attempting to store more than 38 significant digits in a Number"):
        _stored(digits + "9")


def zeros_at_either_end_are_not_significant():
    assert _stored("0" * 10 + "1" * 38 + "0" * 10) == "1" * 38 + "0" * 10


def a_number_has_a_range():
    nines = "9." + 37 * "9"
    assert len(_stored(nines + "E125")) == 126
    assert _stored("1E-130") == "0." + 129 * "0" + "1"
    assert _stored(f"-{nines}E125").startswith("-999")
    for text in ("1E126", "-1E126", "10E125", "11e125", "1e999999999999999999999"):
        with invalid("Number overflow. Attempting to store a number with magnitude larger"):
            _stored(text)
    for text in ("1E-131", "-0.1E-130"):
        with invalid("Number underflow. Attempting to store a number with magnitude smaller"):
            _stored(text)


def other_text_is_no_number():
    for text in ("", "abc", "1 ", " 1", "1a", "NaN", "Infinity", "0x10", "1e", "--1", "1,5",
            "1.2.3", "٣"):
        with invalid(f"The parameter cannot be converted to a numeric value: {text}"):
            _stored(text)


def equal_numbers_are_the_same_key():
    table = make(["p"], {"p": "N"})
    client().put_item(TableName=table, Item={"p": {"N": "1000"}, "x": {"S": "y"}})
    answer = client().get_item(
        TableName=table, Key={"p": {"N": "1.0e3"}}, ConsistentRead=True)
    assert answer["Item"]["x"] == {"S": "y"}


def sort_keys_that_are_numbers_have_their_order():
    table = make(["p", "c"], {"c": "N"})
    ordered = ["-1E125", "-10", "-9.5", "-1", "-0.01", "-1E-130", "0", "1E-130", "0.01",
        "0.5", "1", "1.05", "1.1", "2", "9", "10", "99.5", "100", "1E6", "9E124", "1E125"]
    for text in reversed(ordered):
        client().put_item(TableName=table, Item={"p": {"S": "a"}, "c": {"N": text}})
    answer = client().query(
        TableName=table, KeyConditionExpression="p = :p", ExpressionAttributeValues=values(p="a"))
    found = [float(entry["c"]["N"]) for entry in answer["Items"]]
    assert found == [float(text) for text in ordered]


def an_addition_is_exact():
    key = unique()
    client().put_item(TableName=plain(), Item={"p": {"S": key}, "n": {"N": "0.1"}})
    answer = client().update_item(
        TableName=plain(), Key={"p": {"S": key}}, UpdateExpression="SET n = n + :x",
        ExpressionAttributeValues={":x": {"N": "0.2"}}, ReturnValues="UPDATED_NEW")
    assert answer["Attributes"]["n"]["N"] == "0.3"


def an_addition_that_overflows_is_refused():
    key = unique()
    largest = "9." + 37 * "9" + "E125"
    client().put_item(TableName=plain(), Item={"p": {"S": key}, "n": {"N": largest}})
    with invalid("Number overflow"):
        client().update_item(
            TableName=plain(), Key={"p": {"S": key}}, UpdateExpression="ADD n :x",
            ExpressionAttributeValues={":x": {"N": largest}})


def _sum(left, operator, right):
    """SET n = left operator right."""
    key = unique()
    client().update_item(
        TableName=plain(), Key=item(p=key), UpdateExpression=f"SET n = :l {operator} :r",
        ExpressionAttributeValues={":l": {"N": left}, ":r": {"N": right}})
    return get(plain(), p=key)["n"]["N"]


def sums_are_exact():
    compare((
        ("10000000000000000000000", "+", "1", "10000000000000000000001"),
        ("10000000000000000000000", "-", "1", "9999999999999999999999"),
        ("1e38", "-", "1", "9" * 38), ("5", "-", "5", "0"), ("-3", "+", "1", "-2"),
        ("1e-130", "+", "0", "0." + "0" * 129 + "1"), ("99", "+", "1", "100"),
    ), _sum)


def a_sum_that_needs_more_digits_is_refused():
    overflow = (
        "Number overflow. Attempting to store a number with magnitude larger than supported range")
    compare((
        ("9e125", "+", "9e125", overflow), ("9e125", "-", "-9e125", overflow),
        ("1e50", "+", "1", overflow), ("1e50", "-", "1", overflow),
        ("100000000000000000000000000000000000005e1", "-",
         "90000000000000000000000000000000000001",
         "ExpressionAttributeValues contains invalid value: Attempting to store more than 38 "
         "significant digits in a Number for key :l"),
    ), lambda *terms: refusal(lambda: _sum(*terms)))


def a_number_is_sent_as_text():
    answer = call("PutItem", {"TableName": plain(), "Item": {"p": {"S": "a"}, "n": {"N": 123}}})
    assert answer.error == "SerializationException"
    assert answer.json["Message"] == "NUMBER_VALUE cannot be converted to String"
