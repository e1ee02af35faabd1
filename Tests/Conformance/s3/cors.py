"""Cross-origin requests."""

from s3._s3 import bucket, client, md5, put, raw, refused

APP = "https://app.example.com"
RULE = {
    "AllowedOrigins": [APP, "https://*.test"], "AllowedMethods": ["GET", "PUT"],
    "AllowedHeaders": ["x-amz-*", "Content-Type"], "ExposeHeaders": ["ETag", "x-amz-request-id"],
    "MaxAgeSeconds": 3000, "ID": "app",
}


def _bucket(*rules):
    name = bucket("k")
    client().put_bucket_cors(Bucket=name, CORSConfiguration={"CORSRules": list(rules or [RULE])})
    return name


def _preflight(name, origin=APP, method="PUT", headers=None, key="/k"):
    sent = {"Origin": origin, "Access-Control-Request-Method": method}
    if headers:
        sent["Access-Control-Request-Headers"] = headers
    sent = {header: value for header, value in sent.items() if value}
    return raw("OPTIONS", f"/{name}{key}", sent, signed=False)


def rules_are_put_read_and_deleted():
    name = _bucket()
    assert client().get_bucket_cors(Bucket=name)["CORSRules"] == [RULE]
    client().delete_bucket_cors(Bucket=name)
    with refused("NoSuchCORSConfiguration", 404, BucketName=name):
        client().get_bucket_cors(Bucket=name)


def rules_of_an_unknown_method_are_refused():
    with refused("InvalidRequest", 400, "Unsupported method is PATCH"):
        _bucket(RULE | {"AllowedMethods": ["PATCH"]})


def rules_without_origin_or_method_are_malformed():
    for rule in ({"AllowedMethods": ["GET"]}, {"AllowedOrigins": ["*"]}):
        with refused("MalformedXML", 400):
            _bucket(rule)


def other_rules_are_refused():
    rules = (
        b"<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET"
        b"</AllowedMethod><AllowedHeader>x-amz-*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>"
        b"<MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule></CORSConfiguration>")
    path = f"/{bucket()}?cors"
    for body, code in (
        (b"", "MalformedXML"), (b"<CORSConfiguration/>", "MalformedXML"),
        (rules.replace(b"3000", b"soon"), "MalformedXML"),
        (rules.replace(b"x-amz-*", b"*-amz-*"), "InvalidRequest"),
        (rules.replace(b"ETag", b"x-*"), "InvalidRequest"),
    ):
        raw("PUT", path, {"Content-MD5": md5(body)}, body).refuses(code, 400)
    raw("PUT", path, body=rules).refuses("InvalidRequest", 400)
    raw("GET", path).refuses("NoSuchCORSConfiguration", 404)
    assert raw("PUT", path, {"Content-MD5": md5(rules)}, rules).status == 200


def rules_go_with_their_bucket():
    name = _bucket()
    client().delete_object(Bucket=name, Key="k")
    client().delete_bucket(Bucket=name)
    client().create_bucket(Bucket=name)
    with refused("NoSuchCORSConfiguration", 404):
        client().get_bucket_cors(Bucket=name)


def an_origin_has_one_wildcard():
    with refused("InvalidRequest", 400, "can not have more than one wildcard"):
        _bucket(RULE | {"AllowedOrigins": ["https://*.*"]})


def a_preflight_needs_no_signature():
    answer = _preflight(_bucket(), headers="X-Amz-Date,content-type")
    assert (answer.status, answer.body) == (200, b"")
    for name, value in {
        "access-control-allow-origin": APP, "access-control-allow-methods": "GET, PUT",
        "access-control-allow-headers": "x-amz-date, content-type",
        "access-control-expose-headers": "ETag, x-amz-request-id", "access-control-max-age": "3000",
        "access-control-allow-credentials": "true",
        "vary": "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
    }.items():
        assert answer.headers.get(name) == value, answer.headers


def a_wildcard_stands_for_any_text():
    name = _bucket()
    assert _preflight(name, "https://a.b.test").status == 200
    for origin in ("https://test", "http://a.test", "https://a.test.org"):
        _preflight(name, origin).refuses("AccessForbidden", 403)


def every_origin_is_a_star():
    answer = _preflight(_bucket(RULE | {"AllowedOrigins": ["*"]}), "https://any.where")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


def a_preflight_of_another_method_is_refused():
    answer = _preflight(_bucket(), method="DELETE")
    answer.refuses("AccessForbidden", 403)
    assert answer.document["Method"] == "DELETE"
    assert answer.document["ResourceType"] == "OBJECT"
    assert "access-control-allow-origin" not in answer.headers


def a_preflight_of_another_header_is_refused():
    _preflight(_bucket(), headers="authorization").refuses("AccessForbidden", 403)


def a_preflight_says_origin_and_method():
    name = _bucket()
    answer = _preflight(name, origin=None)
    answer.refuses("BadRequest", 400)
    assert answer.document["Message"] == (
        "Insufficient information. Origin request header needed.")
    answer = _preflight(name, method=None)
    answer.refuses("BadRequest", 400)
    assert answer.document["Message"].startswith("Invalid Access-Control-Request-Method: null")


def a_bucket_without_rules_allows_nothing():
    answer = _preflight(bucket())
    answer.refuses("AccessForbidden", 403)
    assert answer.document["Message"] == "CORSResponse: CORS is not enabled for this bucket."
    assert (answer.document["Method"], answer.document["ResourceType"]) == ("PUT", "BUCKET")
    answer = _preflight("gone-bucket")
    answer.refuses("AccessForbidden", 403)
    assert answer.document["Message"] == "CORSResponse: Bucket not found"


def answers_and_errors_have_the_headers():
    name = _bucket()
    put(name, "k", b"x")
    for signed, key in ((True, "k"), (True, "none"), (False, "k")):
        answer = raw("GET", f"/{name}/{key}", {"Origin": APP}, signed=signed)
        assert answer.headers["access-control-allow-origin"] == APP
        assert answer.headers["access-control-expose-headers"] == "ETag, x-amz-request-id"


def requests_of_no_origin_have_none():
    answer = raw("GET", f"/{_bucket()}/k")
    assert "access-control-allow-origin" not in answer.headers


def a_request_that_no_rule_allows_gets_no_headers():
    answer = raw("GET", f"/{_bucket()}/k", {"Origin": "https://other.example"})
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers


def the_first_rule_that_matches_counts():
    name = _bucket(
        {"AllowedOrigins": [APP], "AllowedMethods": ["PUT"]},
        {"AllowedOrigins": ["*"], "AllowedMethods": ["GET", "PUT"]})
    assert _preflight(name).headers["access-control-allow-methods"] == "PUT"
    assert _preflight(name, method="GET").headers["access-control-allow-origin"] == "*"
