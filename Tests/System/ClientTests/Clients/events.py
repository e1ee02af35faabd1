"""The emulator's events beside those of the SAM CLI, field by field.

For the same request: its event builder, which `sam local start-api` uses. For the shape alone,
since the values are examples: the samples of `sam local generate-event`. What is different is
listed with the reason; an entry that no longer applies is an error too.
"""

import fnmatch
import json
import pathlib
import re
import urllib.request

import flask
import samcli
from judge import APP, case, control, run
from samcli.local.apigw.event_constructor import construct_v1_event, construct_v2_event_http
from samcli.local.apigw.route import Route

SAMPLES = pathlib.Path(samcli.__file__).parent / "lib/generated_sample_events/events"
HTTP, REST = "/_api/Http", "/_api/Rest/prod"
HEADERS = {
    "Accept": "*/*", "Content-Type": "application/json", "Cookie": "a=1; b=2",
    "User-Agent": "agent", "X-One": "1",
}
BODY = b'{"a": "\xc3\xa4"}'

# Here SAM CLI differs from the service, unlike the emulator (API Gateway Developer Guide).
NAMES = "SAM does not write header names in lower case"
FORWARDED = "SAM forwards no address and no trace"
NEW = "made for each request"
PLACE = "SAM has no domain: it says localhost"
EXAMPLE = "SAM always says the same"
ABSENT = "SAM writes null where the service writes nothing"
STAGE = "SAM writes the resource for the path, without the stage"
HOP = "a header of one hop only"
PORT = "the port that was asked for"


def flat(value, path=""):
    """The leaves of a document by their path. A list is a leaf."""
    if not isinstance(value, dict) or not value:
        return {path: value}
    leaves = {}
    for name, member in value.items():
        leaves |= flat(member, f"{path}.{name}" if path else name)
    return leaves


def compare(ours, theirs, differences, same=lambda ours, theirs: ours == theirs):
    nothing = object()
    ours, theirs = flat(ours), flat(theirs)
    used = set()
    wrong = []
    for path in sorted(ours.keys() | theirs.keys()):
        pair = ours.get(path, nothing), theirs.get(path, nothing)
        if nothing not in pair and same(*pair):
            continue
        reasons = [pattern for pattern in differences if fnmatch.fnmatchcase(path, pattern)]
        used |= set(reasons)
        if not reasons:
            wrong.append((path, *("absent" if value is nothing else value for value in pair)))
    assert not wrong, "\n".join(
        f"{path}: ours {mine!r}, SAM's {other!r}" for path, mine, other in wrong)
    stale = differences.keys() - used
    assert not stale, f"no longer different: {sorted(stale)}"


def shape(ours, theirs):
    """Whether two leaves are of one kind."""
    return type(ours) is type(theirs)


def received(path, method="POST", headers=HEADERS, body=BODY):
    request = urllib.request.Request(APP + path, method=method, headers=headers, data=body)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def asked(rule, path, method="POST", headers=HEADERS, body=BODY):
    """The same request as SAM's server would have it."""
    app = flask.Flask("sam")
    app.add_url_rule(rule, endpoint=rule, view_func=lambda **_: "", methods=[method])
    host = APP.removeprefix("http://")
    return app.test_request_context(
        path, method=method, data=body,
        headers={**headers, "Accept-Encoding": "identity", "Connection": "close"},
        base_url=f"http://{host}", environ_base={"REMOTE_ADDR": "127.0.0.1"})


@case
def a_request_to_an_http_api():
    target = "/two/a%20b?x=1&x=2&q=c%20d"
    ours = received(HTTP + target)
    with asked("/two/<thing>", target):
        theirs = construct_v2_event_http(
            flask.request, 80, [], stage_name="$default", route_key="ANY /two/{thing}")
    compare(ours, theirs, {
        "headers.*": NAMES, "requestContext.requestId": NEW, "requestContext.time*": NEW,
        "requestContext.domain*": PLACE, "requestContext.apiId": EXAMPLE,
        "requestContext.http.userAgent": EXAMPLE, "stageVariables": ABSENT,
    })
    lower = {name.lower(): value for name, value in theirs["headers"].items()}
    compare(ours["headers"], lower, {
        "cookie": "SAM repeats the cookies", "connection": HOP,
        "x-forwarded-for": FORWARDED, "x-amzn-trace-id": FORWARDED,
        "x-forwarded-port": PORT,
    })


@case
def a_request_to_an_http_api_in_the_old_format():
    target = "/one/a?x=1&x=2"
    ours = received(HTTP + target)
    with asked("/one/<thing>", target):
        theirs = construct_v1_event(
            flask.request, 80, [], stage_name="$default", api_type=Route.HTTP)
    compare(ours, theirs, {"requestContext.path": "SAM writes the resource here", **V1})


# Differences of SAM's builder for the old format in the request's context.
V1 = {
    "*eaders.X-Forwarded-For": FORWARDED, "*eaders.X-Amzn-Trace-Id": FORWARDED,
    "*eaders.X-Forwarded-Port": PORT, "*eaders.Connection": HOP,
    "*eaders.Content-Length": "API Gateway does not pass it on in this format",
    "requestContext.requestId": NEW, "requestContext.requestTime*": NEW,
    "requestContext.extendedRequestId": "SAM has none",
    "requestContext.apiId": EXAMPLE, "requestContext.resourceId": EXAMPLE,
    "requestContext.domainName": PLACE, "requestContext.domainPrefix": PLACE,
    "requestContext.deploymentId": "SAM has no deployments",
    "requestContext.identity.userAgent": EXAMPLE,
    "requestContext.identity.apiKey": "a route without an API key has none",
    "requestContext.identity.accessKey": "SAM leaves it out",
    "requestContext.identity.cognitoIdentityId": "SAM leaves it out",
    "requestContext.identity.principalOrgId": "SAM leaves it out",
}


@case
def a_request_to_a_rest_api():
    target = "/rest/a?x=1&x=2"
    ours = received(REST + target)
    with asked("/rest/<thing>", target):
        theirs = construct_v1_event(flask.request, 80, ["image/png"], stage_name="prod")
    compare(ours, theirs, {"requestContext.path": STAGE, **V1})


@case
def a_binary_request_to_a_rest_api():
    headers = {"Content-Type": "image/png"}
    ours = received(f"{REST}/rest/a", headers=headers, body=b"\x89PNG")
    with asked("/rest/<thing>", "/rest/a", headers=headers, body=b"\x89PNG"):
        theirs = construct_v1_event(flask.request, 80, ["image/png"], stage_name="prod")
    for name in ("body", "isBase64Encoded", "queryStringParameters", "stageVariables"):
        assert ours[name] == theirs[name], name


def sample(name, **values):
    """An event of `sam local generate-event`."""
    text = (SAMPLES / f"{name}.json").read_text()
    defaults = {"account_id": "123456789012", "region": "us-east-1", "partition": "aws"}
    return json.loads(
        re.sub(r"{{{(\w+)}}}", lambda match: {**defaults, **values}.get(match[1], "x"), text))


ONE_REQUEST = "the sample has the headers of another request"


@case
def the_sample_of_an_http_api():
    compare(received(f"{HTTP}/two/a?x=1"), sample("apigateway/HttpApi"), {
        "headers.*": ONE_REQUEST, "queryStringParameters.*": ONE_REQUEST,
        "pathParameters.*": ONE_REQUEST, "stageVariables*": "the stage has no variables",
        "requestContext.authentication.*": "there is no client certificate",
        "requestContext.authorizer.*": "the route has no authorizer",
    }, shape)


@case
def the_sample_of_a_rest_api():
    compare(received(f"{REST}/rest/a?x=1"), sample("apigateway/AwsProxy"), {
        "headers.*": ONE_REQUEST, "multiValueHeaders.*": ONE_REQUEST,
        "queryStringParameters*": ONE_REQUEST, "multiValueQueryStringParameters.*": ONE_REQUEST,
        "pathParameters.*": ONE_REQUEST, "stageVariables*": "the stage has no variables",
        "requestContext.domain*": "the sample is older", "requestContext.deploymentId":
        "the sample is older", "requestContext.extendedRequestId": "the sample is older",
        "requestContext.identity.principalOrgId": "the sample is older",
    }, shape)


def _guarded(path, headers):
    event = received(REST + path, "GET", headers, None)
    return json.loads(event["requestContext"]["authorizer"]["event"])


@case
def the_sample_of_a_token_authorizer():
    event = _guarded("/token", {"Authorization": "incoming-client-token"})
    api = event["methodArn"].split(":")[5].split("/")[0]
    compare(event, sample(
        "apigateway/ApiGatewayAuthorizer", restApiId=api, stage="prod", method="GET",
        resource="token"), {})


@case
def the_sample_of_a_request_authorizer():
    event = _guarded("/request?QueryString1=queryValue1", {"HeaderAuth1": "headerValue1"})
    api = event["methodArn"].split(":")[5].split("/")[0]
    theirs = sample(
        "apigateway/ApiGatewayRestRequestAuthorizer", restApiId=api, stage="prod", method="GET",
        resource="request")
    for name in ("type", "methodArn", "resource", "path", "httpMethod", "queryStringParameters"):
        assert event[name] == theirs[name], name
    compare(event, theirs, {
        "headers.*": ONE_REQUEST, "stageVariables*": "the stage has no variables",
        "multiValue*": "the sample is older",
        "requestContext.identity.*": "the sample has a client certificate and an API key",
        "requestContext.domain*": "the sample is older", "requestContext.deploymentId":
        "the sample is older", "requestContext.extendedRequestId": "the sample is older",
        "requestContext.requestTime*": "the sample is older",
        "requestContext.protocol": "the sample is older",
    }, shape)


@case
def the_sample_of_a_schedule():
    control("POST", "schedules/hourly")
    lines = [line["text"] for line in control("GET", "logs")["lines"]]
    event = json.loads(next(line for line in lines if '"detail-type"' in line))
    compare(event, sample("cloudwatch/ScheduledEvent", rule="hourly"), {
        "id": NEW, "time": NEW, "version": "the sample is older",
    })


run()
