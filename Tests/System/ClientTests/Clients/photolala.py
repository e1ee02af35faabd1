"""boto3 invokes `photolala-auth-signin` like Photolala's apps, and uses the credentials."""

import json

from judge import case, client, refused, run
from oauth_app import App, register
from people import mint

GOOGLE_CLIENT = "client.apps.googleusercontent.com"

functions = client("lambda")


def sign_in(provider, token=None, **more):
    event = {"provider": provider, "idToken": token or mint(provider), **more}
    answer = functions.invoke(
        FunctionName="photolala-auth-signin", Payload=json.dumps(event).encode())
    assert answer["StatusCode"] == 200 and "FunctionError" not in answer, answer
    return json.loads(answer["Payload"].read())


@case
def the_function_is_there():
    listed = [item["FunctionName"] for item in functions.list_functions()["Functions"]]
    assert "photolala-auth-signin" in listed, listed


@case
def a_person_gets_an_account_and_keys():
    told = sign_in("apple")
    assert told["user"]["email"] == "ada@example.com", told["user"]
    assert told["user"]["appleUserID"] and told["user"]["displayName"]
    again = sign_in("apple")
    assert again["user"]["id"] == told["user"]["id"]
    assert again["user"]["createdAt"] == told["user"]["createdAt"]
    google = sign_in("google")
    assert google["user"]["googleUserID"] and google["user"]["id"] != told["user"]["id"]


@case
def a_user_signs_in_on_googles_page():
    # Authorization code with PKCE, state and nonce; the app verifies the token itself, and sends
    # it without the nonce.
    register(GOOGLE_CLIENT)
    first, again = App(GOOGLE_CLIENT), App(GOOGLE_CLIENT)
    token = first.token(first.authorize(email="grace@example.com"))
    claims = first.claims(token)
    assert claims["nonce"] == first.nonce
    told = sign_in("google", token["id_token"])
    assert told["user"]["googleUserID"] == claims["sub"], told["user"]
    assert told["user"]["email"] == "grace@example.com", told["user"]
    token = again.token(again.authorize(email="grace@example.com"))
    assert sign_in("google", token["id_token"])["user"]["id"] == told["user"]["id"]


@case
def the_keys_are_for_ones_own_photos():
    told, other = sign_in("apple"), sign_in("google")
    s3 = client("s3", {
        "AccessKeyId": told["credentials"]["accessKeyId"],
        "SecretAccessKey": told["credentials"]["secretAccessKey"],
        "SessionToken": told["credentials"]["sessionToken"]})
    bucket = client("s3").list_buckets()["Buckets"][0]["Name"]
    own = f"users/{told['user']['id']}/photo.jpg"
    s3.put_object(Bucket=bucket, Key=own, Body=b"jpeg")
    assert s3.get_object(Bucket=bucket, Key=own)["Body"].read() == b"jpeg"
    with refused("AccessDenied", 403):
        s3.put_object(Bucket=bucket, Key=f"users/{other['user']['id']}/photo.jpg", Body=b"")
    with refused("AccessDenied", 403):
        s3.list_objects_v2(Bucket=bucket)


run()
