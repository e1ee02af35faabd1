"""boto3 with STS: caller identities, and credentials with the right permissions."""

import json
import re
import time

from botocore import UNSIGNED
from judge import case, client, clock, refused, run
from people import mint

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/storage"
AUDIENCE = "judge.apps.googleusercontent.com"
sts = client("sts")
own = client("s3")

OWN_PREFIX = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
            "Resource": "arn:aws:s3:::judged/users/u1/*",
        },
        {
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": "arn:aws:s3:::judged",
            "Condition": {"StringLike": {"s3:prefix": ["users/u1/*"]}},
        },
    ],
}


def assume(**more):
    return sts.assume_role(RoleArn=ROLE, RoleSessionName="judge", **more)


@case
def the_developer_is_somebody():
    caller = sts.get_caller_identity()
    assert caller["Account"] == ACCOUNT
    assert caller["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/developer", caller["Arn"]


@case
def an_assumed_role_is_somebody_else():
    answer = assume(DurationSeconds=900)
    keys, user = answer["Credentials"], answer["AssumedRoleUser"]
    assert re.fullmatch(r"ASIA[A-Z0-9]{16}", keys["AccessKeyId"]), keys["AccessKeyId"]
    assert len(keys["SecretAccessKey"]) == 40
    assert 800 < keys["Expiration"].timestamp() - time.time() <= 905
    caller = client("sts", keys).get_caller_identity()
    assert caller["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/storage/judge"
    assert caller["Arn"] == user["Arn"] and caller["UserId"] == user["AssumedRoleId"]


@case
def a_session_of_the_user_is_the_user():
    keys = sts.get_session_token(DurationSeconds=900)["Credentials"]
    caller = client("sts", keys).get_caller_identity()
    assert caller["Arn"] == sts.get_caller_identity()["Arn"]
    assert client("s3", keys).head_bucket(Bucket="judged")["ResponseMetadata"]


@case
def a_session_policy_keeps_its_holder_under_the_prefix():
    for key in ("users/u1/before", "users/u2/secret", "users/u10/secret"):
        own.put_object(Bucket="judged", Key=key, Body=b"theirs")
    s3 = client("s3", assume(Policy=json.dumps(OWN_PREFIX))["Credentials"])
    s3.put_object(Bucket="judged", Key="users/u1/a b+c.txt", Body=b"mine")
    assert s3.get_object(Bucket="judged", Key="users/u1/a b+c.txt")["Body"].read() == b"mine"
    listed = s3.list_objects_v2(Bucket="judged", Prefix="users/u1/")
    assert [item["Key"] for item in listed["Contents"]] == ["users/u1/a b+c.txt", "users/u1/before"]
    outside = [
        lambda: s3.get_object(Bucket="judged", Key="users/u2/secret"),
        lambda: s3.get_object(Bucket="judged", Key="users/u10/secret"),
        lambda: s3.get_object(Bucket="judged", Key="users/u1/../u2/secret"),
        lambda: s3.put_object(Bucket="judged", Key="users/u2/new", Body=b""),
        lambda: s3.delete_object(Bucket="judged", Key="users/u2/secret"),
        lambda: s3.list_objects_v2(Bucket="judged"),
        lambda: s3.list_objects_v2(Bucket="judged", Prefix="users/"),
        lambda: s3.list_objects_v2(Bucket="judged", Prefix="users/u1"),
        lambda: s3.list_buckets(),
        lambda: s3.create_bucket(Bucket="another"),
        lambda: s3.copy_object(
            Bucket="judged", Key="users/u1/stolen", CopySource="judged/users/u2/secret"),
        lambda: s3.create_multipart_upload(Bucket="judged", Key="users/u2/parts"),
    ]
    for call in outside:
        with refused("AccessDenied", 403):
            call()
    with refused("403", 403):
        s3.head_object(Bucket="judged", Key="users/u2/secret")
    told = s3.delete_objects(
        Bucket="judged",
        Delete={"Objects": [{"Key": "users/u1/before"}, {"Key": "users/u2/secret"}]})
    assert [item["Key"] for item in told["Deleted"]] == ["users/u1/before"], told
    assert [(item["Key"], item["Code"]) for item in told["Errors"]] == [
        ("users/u2/secret", "AccessDenied")], told
    assert own.get_object(Bucket="judged", Key="users/u2/secret")["Body"].read() == b"theirs"


@case
def a_deny_of_the_role_beats_every_allow():
    s3 = client("s3", assume()["Credentials"])
    s3.put_object(Bucket="judged", Key="open", Body=b"")
    with refused("AccessDenied", 403):
        s3.put_object(Bucket="judged", Key="locked/x", Body=b"")


@case
def a_role_is_only_for_those_whom_it_trusts():
    with refused("AccessDenied", 403, "is not authorized to perform: sts:AssumeRole"):
        sts.assume_role(RoleArn=f"arn:aws:iam::{ACCOUNT}:role/closed", RoleSessionName="judge")
    with refused("AccessDenied", 403):
        sts.assume_role(RoleArn=f"arn:aws:iam::{ACCOUNT}:role/nobody", RoleSessionName="judge")


# The SDK would refuse what STS refuses.
loose = client("sts", parameter_validation=False)


def violation(name, value, rule):
    return f"Value {value} at '{name}' failed to satisfy constraint: Member must {rule}"


@case
def what_cannot_be_is_refused_with_its_code():
    for change, message in (
        ({"RoleSessionName": "a:b"}, violation(
            "roleSessionName", "'a:b'", r"satisfy regular expression pattern: [\w+=,.@-]*")),
        ({"RoleSessionName": "a"}, violation(
            "roleSessionName", "'a'", "have length greater than or equal to 2")),
        ({"DurationSeconds": 899}, violation(
            "durationSeconds", "'899'", "have value greater than or equal to 900")),
        ({"DurationSeconds": 43201}, violation(
            "durationSeconds", "'43201'", "have value less than or equal to 43200")),
        ({"DurationSeconds": 7201},
         "The requested DurationSeconds exceeds the MaxSessionDuration set for this role."),
        ({"RoleArn": "arn"}, violation(
            "roleArn", "'arn'", "have length greater than or equal to 20")),
        ({"RoleArn": "arn:aws:iam::12:role/app-is-invalid"},
         "arn:aws:iam::12:role/app-is-invalid is invalid"),
        ({"RoleArn": f"arn:aws:iam::{ACCOUNT}:user/app"},
         f"arn:aws:iam::{ACCOUNT}:user/app is invalid"),
        ({"ExternalId": "a b"}, violation(
            "externalId", "'a b'", r"satisfy regular expression pattern: [\w+=,.@:\/-]*")),
        ({"PolicyArns": [{"arn": "arn:aws:iam::aws:policy/None"}]},
         "PolicyArn arn:aws:iam::aws:policy/None is invalid or not attachable"),
        ({"Policy": " " * 2049}, None), ({"Tags": [{"Key": "a"}]}, None),
        ({"Tags": [{"Key": "a*", "Value": "b"}]}, None),
    ):
        with refused("ValidationError", 400, message):
            loose.assume_role(**{"RoleArn": ROLE, "RoleSessionName": "judge", **change})
    with refused("ValidationError", 400, "2 validation errors detected: " + "; ".join(
            violation(name, "null", "not be null") for name in ("roleArn", "roleSessionName"))):
        loose.assume_role()
    for change, code in (
        ({"DurationSeconds": "soon"}, "MalformedInput"),
        ({"Policy": "{"}, "MalformedPolicyDocument"),
        ({"Policy": json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Perhaps"}]})},
         "MalformedPolicyDocument"),
        ({"Tags": [{"Key": "a", "Value": "b"}, {"Key": "A", "Value": "b"}]},
         "InvalidParameterValue"),
        ({"Tags": [{"Key": "aws:a", "Value": "b"}]}, "InvalidParameterValue"),
        ({"TransitiveTagKeys": ["a"]}, "InvalidParameterValue"),
        ({"Tags": [{"Key": f"key-{number}", "Value": 200 * "x"} for number in range(50)]},
         "PackedPolicyTooLarge"),
    ):
        with refused(code, 400):
            loose.assume_role(**{"RoleArn": ROLE, "RoleSessionName": "judge", **change})


@case
def the_other_operations_have_limits_too():
    keys = sts.get_session_token(DurationSeconds=900)["Credentials"]
    assert 800 < keys["Expiration"].timestamp() - time.time() <= 905
    with refused("AccessDenied", 403, "Cannot call GetSessionToken with session credentials"):
        client("sts", keys).get_session_token()
    with refused("ValidationError", 400):
        sts.get_session_token(DurationSeconds=129601)
    known = sts.get_access_key_info(AccessKeyId="AKIAIOSFODNN7EXAMPLE")
    assert known["Account"] == ACCOUNT, known
    with refused("ValidationError", 400):
        loose.get_access_key_info(AccessKeyId="short")
    with refused("MissingAuthenticationToken", 403, "Request is missing Authentication Token"):
        client("sts", signature_version=UNSIGNED).get_caller_identity()


@case
def credentials_that_are_none_are_refused_with_their_code():
    good = assume()["Credentials"]
    bad = {
        "InvalidClientTokenId": {**good, "AccessKeyId": "ASIAAAAAAAAAAAAAAAAA"},
        "SignatureDoesNotMatch": {**good, "SecretAccessKey": "x" * 40},
    }
    for code, keys in bad.items():
        with refused(code, 403):
            client("sts", keys).get_caller_identity()
    foreign = {"AccessKeyId": "AKIAIOSFODNN7EXAMPLE", "SecretAccessKey": "w" * 40}
    with refused("InvalidClientTokenId", 403):
        client("sts", foreign).get_caller_identity()
    with refused("InvalidAccessKeyId", 403):
        client("s3", foreign).list_objects_v2(Bucket="judged")
    # DynamoDB accepts any keys, unless the emulator is strict.
    assert "TableNames" in client("dynamodb", foreign).list_tables()
    with refused("SignatureDoesNotMatch", 403):
        client("s3", bad["SignatureDoesNotMatch"]).list_objects_v2(Bucket="judged")
    with refused("InvalidToken", 400):
        client("s3", {**good, "SessionToken": "forged"}).list_objects_v2(Bucket="judged")
    without = {name: good[name] for name in ("AccessKeyId", "SecretAccessKey")}
    with refused("InvalidAccessKeyId", 403):
        client("s3", without).list_objects_v2(Bucket="judged")


@case
def a_web_identity_that_nobody_signed_is_refused():
    unsigned = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2FjY291bnRzLmdvb2dsZS5jb20ifQ."
    for token in (unsigned, "not.a.token", "nothing at all"):
        with refused("InvalidIdentityToken", 400):
            sts.assume_role_with_web_identity(
                RoleArn=ROLE, RoleSessionName="judge", WebIdentityToken=token)


@case
def a_token_of_google_is_a_web_identity():
    identity = mint("google", audience=AUDIENCE, claims={"sub": "1098"})
    answer = federate(identity, Policy=json.dumps(OWN_PREFIX))
    assert answer["SubjectFromWebIdentityToken"] == "1098" and answer["Audience"] == AUDIENCE
    assert answer["Provider"] == "accounts.google.com", answer["Provider"]
    keys = answer["Credentials"]
    caller = client("sts", keys).get_caller_identity()
    assert caller["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/storage/judge"
    s3 = client("s3", keys)
    s3.put_object(Bucket="judged", Key="users/u1/web", Body=b"")
    with refused("AccessDenied", 403):
        s3.put_object(Bucket="judged", Key="users/u2/web", Body=b"")


@case
def a_web_identity_that_lies_is_refused():
    for lie, code in (
        ({"audience": "another.apps.googleusercontent.com"}, "AccessDenied"),
        ({"fault": "expired"}, "ExpiredTokenException"),
        ({"fault": "wrong-key"}, "InvalidIdentityToken"),
        ({"fault": "alg-none"}, "InvalidIdentityToken"),
        ({"fault": "changed-payload"}, "InvalidIdentityToken"),
        ({"fault": "hs256-with-public-key"}, "InvalidIdentityToken"),
        ({"claims": {"iss": "https://nobody.example"}}, "InvalidIdentityToken"),
        *(({"fault": fault}, "InvalidIdentityToken") for fault in (
            "not-yet-valid", "issued-in-future", "missing-expiry", "missing-subject",
            "missing-audience", "padded", "five-parts")),
        *(({"claims": {name: None}}, "InvalidIdentityToken") for name in ("iss", "iat")),
        ({"claims": {"sub": 5}}, "InvalidIdentityToken"),
    ):
        with refused(code):
            federate(mint("google", **{"audience": AUDIENCE, **lie}))
    with refused("InvalidIdentityToken", 400, "Couldn't retrieve verification key from your"):
        federate(mint("google", audience=AUDIENCE, fault="unknown-kid"))
    with refused("AccessDenied", 403):
        federate(mint("google", audience=AUDIENCE), RoleArn=ROLE + "-that-is-missing")
    # Apple's tokens are valid, but this role does not trust Apple.
    with refused("AccessDenied", 403):
        federate(mint("apple", audience=AUDIENCE))


def federate(token, **more):
    # Like an app without AWS credentials.
    return client("sts", signature_version=UNSIGNED).assume_role_with_web_identity(
        **{"RoleArn": ROLE, "RoleSessionName": "judge", "WebIdentityToken": token, **more})


@case
def credentials_end_when_their_time_is_over():
    keys = assume(DurationSeconds=900)["Credentials"]
    s3 = client("s3", keys)
    s3.list_objects_v2(Bucket="judged")
    clock({"seconds": 901})
    try:
        with refused("ExpiredToken", 400):
            s3.list_objects_v2(Bucket="judged")
        with refused("ExpiredToken", 403):
            client("sts", keys).get_caller_identity()
        client("s3", assume()["Credentials"]).list_objects_v2(Bucket="judged")
    finally:
        clock({"reset": True})


run()
