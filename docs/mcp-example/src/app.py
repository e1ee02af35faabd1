import base64
import json
import os

import jwt

ISSUER, RESOURCE = os.environ["ISSUER"], os.environ["RESOURCE"]  # RESOURCE ends in /mcp
SCOPE = "tools:use"
METADATA = "/.well-known/oauth-protected-resource/mcp"
CHALLENGE = f'resource_metadata="{RESOURCE.removesuffix("/mcp")}{METADATA}"'
keys = jwt.PyJWKClient(ISSUER + "/.well-known/jwks.json", lifespan=3600)


def claims(token):
    """The claims of an access token for this server; raises jwt.PyJWTError for any other."""
    key = keys.get_signing_key_from_jwt(token)
    found = jwt.decode(
        token, key, algorithms=["ES256"], issuer=ISSUER, audience=RESOURCE,
        options={"require": ["exp", "iss", "aud", "sub", "client_id", "scope"]})
    typ = jwt.get_unverified_header(token).get("typ")
    if typ != "at+jwt" or found["aud"] != RESOURCE or "cnf" in found:
        raise jwt.InvalidTokenError("not a bearer token for this server alone")
    return found


def handler(event, context):
    if event["rawPath"] == METADATA:
        return answer(200, {
            "resource": RESOURCE, "authorization_servers": [ISSUER],
            "scopes_supported": [SCOPE], "bearer_methods_supported": ["header"]})
    scheme, _, token = event["headers"].get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return answer(401, {}, f'Bearer scope="{SCOPE}", {CHALLENGE}')
    try:
        user = claims(token)
    except jwt.PyJWKClientConnectionError:
        return answer(503, {})
    except jwt.PyJWTError:
        return answer(401, {}, f'Bearer error="invalid_token", {CHALLENGE}')
    if SCOPE not in user["scope"].split():
        return answer(403, {}, f'Bearer error="insufficient_scope", scope="{SCOPE}", {CHALLENGE}')
    if event["requestContext"]["http"]["method"] != "POST":
        return answer(405, {})
    body = event["body"].encode()
    message = json.loads(base64.b64decode(body) if event["isBase64Encoded"] else body)
    if "id" not in message:
        return answer(202, {})
    return answer(200, {"jsonrpc": "2.0", "id": message["id"], **reply(message, user)})


def reply(message, user):
    """MCP without sessions and streams: one tool, which says who calls it."""
    match message["method"]:
        case "initialize":
            return {"result": {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}}, "serverInfo": {"name": "tools", "version": "1"}}}
        case "tools/list":
            return {"result": {"tools": [{"name": "who", "inputSchema": {"type": "object"}}]}}
        case "tools/call":
            text = f"{user['sub']}, by {user['client_id']}"
            return {"result": {"content": [{"type": "text", "text": text}]}}
        case "ping":
            return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def answer(status, value, challenge=None):
    headers = {"content-type": "application/json"}
    if challenge:
        headers["www-authenticate"] = challenge
    return {"statusCode": status, "headers": headers, "body": json.dumps(value)}
