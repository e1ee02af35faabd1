"""boto3 with Parameter Store: parameters by name, by ARN and by path."""

from judge import case, client, refused, run

ARN = "arn:aws:ssm:us-east-1:123456789012:parameter"
ssm = client("ssm")


def by_path(path, **more):
    return [found["Name"] for page in ssm.get_paginator("get_parameters_by_path").paginate(
        Path=path, **more) for found in page["Parameters"]]


@case
def a_parameter_is_found_by_name_arn_and_version():
    found = ssm.get_parameter(Name="/shop/zones")["Parameter"]
    assert found.pop("LastModifiedDate").year > 2000
    assert found == {
        "Name": "/shop/zones", "ARN": f"{ARN}/shop/zones", "Type": "StringList", "Value": "a,b",
        "Version": 1, "DataType": "text"}, found
    plain = ssm.get_parameter(Name=f"{ARN}/plain:1")["Parameter"]
    assert (plain["Name"], plain["Value"], plain["Selector"]) == ("plain", "1", ":1"), plain
    with refused("ParameterNotFound", 400):
        ssm.get_parameter(Name="/shop")
    with refused("ParameterVersionNotFound", 400, "version 2 of plain"):
        ssm.get_parameter(Name="plain:2")


@case
def a_secure_string_is_decrypted_on_request():
    for more, isPlain in (({}, False), ({"WithDecryption": True}, True)):
        value = ssm.get_parameter(Name="/shop/key", **more)["Parameter"]["Value"]
        assert (value == "s3cret") is isPlain, value


@case
def several_parameters_are_listed_by_name_and_unknown_ones_apart():
    answer = ssm.get_parameters(Names=["plain", "/none", "/shop/db/host", "plain:9"])
    assert [found["Value"] for found in answer["Parameters"]] == ["db.example.com", "1"], answer
    assert sorted(answer["InvalidParameters"]) == ["/none", "plain:9"], answer
    with refused("ValidationException", 400, "less than or equal to 10"):
        ssm.get_parameters(Names=[f"/{number}" for number in range(11)])


@case
def a_path_has_levels_and_pages():
    assert by_path("/shop") == by_path("/shop/") == ["/shop/key", "/shop/zones"]
    assert by_path("/shop", Recursive=True, PaginationConfig={"PageSize": 1}) == [
        "/shop/db/host", "/shop/key", "/shop/zones"]
    assert by_path("/") == ["plain"] and by_path("/sho", Recursive=True) == []
    secure = [{"Key": "Type", "Values": ["SecureString"]}]
    assert by_path("/", Recursive=True, ParameterFilters=secure) == ["/shop/key"]
    for code, more in (
        ("ValidationException", {"Path": "shop"}), ("ValidationException", {"MaxResults": 11}),
        ("InvalidNextToken", {"NextToken": "?"}),
        ("InvalidFilterKey", {"ParameterFilters": [{"Key": "Name", "Values": ["a"]}]}),
    ):
        with refused(code, 400):
            ssm.get_parameters_by_path(**{"Path": "/", **more})


run()
