"""Time to live."""

from dynamodb._db import client, invalid, make, refused


def _set(table, attribute="exp", enabled=True, **more):
    return client().update_time_to_live(
        TableName=table,
        TimeToLiveSpecification={"AttributeName": attribute, "Enabled": enabled, **more})


def _described(table):
    return client().describe_time_to_live(TableName=table)["TimeToLiveDescription"]


def it_is_off_at_first():
    assert _described(make(["p"])) == {"TimeToLiveStatus": "DISABLED"}


def it_is_switched_on():
    table = make(["p"])
    answer = _set(table)
    assert answer["TimeToLiveSpecification"] == {"AttributeName": "exp", "Enabled": True}
    assert _described(table) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "exp"}


def it_is_switched_once():
    table = make(["p"])
    with invalid("TimeToLive is already disabled"):
        _set(table, enabled=False)
    _set(table)
    with invalid("TimeToLive is already enabled"):
        _set(table)


def it_has_one_attribute():
    table = make(["p"])
    _set(table)
    for enabled in (True, False):
        with invalid("TimeToLive is active on a different AttributeName: current AttributeName is"):
            _set(table, "other", enabled)


def it_changes_once_an_hour():
    table = make(["p"])
    _set(table)
    with invalid("Time to live has been modified multiple times within a fixed interval"):
        _set(table, enabled=False)


def a_specification_is_complete():
    table = make(["p"])
    with invalid("at 'timeToLiveSpecification.attributeName' failed to satisfy constraint"):
        client().update_time_to_live(
            TableName=table, TimeToLiveSpecification={"Enabled": True})
    with invalid("at 'timeToLiveSpecification.enabled' failed to satisfy constraint"):
        client().update_time_to_live(
            TableName=table, TimeToLiveSpecification={"AttributeName": "exp"})
    with invalid("Value null at 'timeToLiveSpecification' failed to satisfy constraint"):
        client().update_time_to_live(TableName=table)


def an_attributes_name_has_1_to_255_characters():
    table = make(["p"])
    for name in ("", "n" * 256):
        with invalid("at 'timeToLiveSpecification.attributeName' failed to satisfy constraint"):
            _set(table, name)


def a_table_is_needed():
    with refused("ResourceNotFoundException"):
        _set("absent")
    with refused("ResourceNotFoundException"):
        _described("absent")
