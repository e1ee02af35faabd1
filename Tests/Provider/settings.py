"""The clients, resources and keys of the servers that are judged."""

import hashlib

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from ports import free_port

PASSWORD = "correct horse battery"
AUDIENCE = "latchkey"  # The default of TOKEN_AUDIENCE.
API1, API2 = "https://api1.example/", "https://api2.example/v2"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
OWN = "client_credentials"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
KEYS = {
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
}

APACHE, AGENT, LAMBDA, FASTMCP, RECEIVER = (free_port() for _ in range(5))


def public_key(algorithm):
    made = jwt.get_algorithm_by_name(algorithm).to_jwk(KEYS[algorithm].public_key(), as_dict=True)
    return {name: value for name, value in made.items() if name != "key_ops"} | {
        "kid": algorithm, "use": "sig", "alg": algorithm}


def private_key(algorithm):
    """In PEM."""
    return KEYS[algorithm].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())


def secret(name):
    return hashlib.sha256(name.encode()).hexdigest()


def _web(name, method, **more):
    return {
        "client_id": name, "client_name": f"{name.title()} Printer", "client_secret": secret(name),
        "token_endpoint_auth_method": method, "response_types": ["code"],
        "redirect_uris": [f"https://{name}.example.com/cb"],
        "grant_types": ["authorization_code", "refresh_token"]} | more


def _app(name, uris, **more):
    return {
        "client_id": name, "client_name": f"{name.title()} App", "redirect_uris": uris,
        "token_endpoint_auth_method": "none", "application_type": "native",
        "grant_types": ["authorization_code", "refresh_token"]} | more


def _told(name, method="client_secret_post", **more):
    """A client that is told of the ends of sessions, and to which a browser may return."""
    return _web(name, method, backchannel_logout_uri=f"http://127.0.0.1:{RECEIVER}/{name}",
                grant_types=["authorization_code", "refresh_token", DEVICE],
                post_logout_redirect_uris=[f"https://{name}.example.com/bye",
                                           f"https://{name}.example.com/bye?tenant=1"]) | more


def _program(name, *grant_types, **more):
    """A server that acts for itself."""
    return {
        "client_id": name, "client_secret": secret(name), "grant_types": list(grant_types),
        "token_endpoint_auth_method": "client_secret_basic"} | more


def _keyed(**more):
    made = _web("keyed", "private_key_jwt", **more)
    del made["client_secret"]
    return made


CLIENTS = [
    _web("web", "client_secret_basic", allowed_resources=[API1]),
    _web("post", "client_secret_post", redirect_uris=[
        "https://post.example.com/cb", "https://post.example.com/cb?tenant=1"]),
    _web("shop", "client_secret_basic", client_secret="+:%&=/%41" + secret("shop")[:55],
         redirect_uris=["https://shop.example.com/cb"]),
    _web("once", "client_secret_basic", grant_types=["authorization_code"]),
    _web("own", "client_secret_basic", first_party=True),
    _web("apache", "client_secret_basic",
         redirect_uris=[f"http://127.0.0.1:{APACHE}/app/callback"],
         post_logout_redirect_uris=[f"http://127.0.0.1:{APACHE}/left"],
         backchannel_logout_uri=f"http://127.0.0.1:{APACHE}/app/callback?logout=backchannel"),
    _web("agent", "client_secret_basic", redirect_uris=[f"http://localhost:{AGENT}"],
         grant_types=["authorization_code", "refresh_token", DEVICE]),
    _keyed(jwks={"keys": [public_key("ES256"), public_key("RS256")]},
           grant_types=["authorization_code", "refresh_token", OWN],
           id_token_signed_response_alg="ES256"),
    _app("cli", ["http://127.0.0.1/callback", "http://localhost/callback",
                 "http://[::1]/callback"],
         post_logout_redirect_uris=["http://127.0.0.1/bye"]),
    _told("told"), _told("heard", id_token_signed_response_alg="ES256"), _told("hangs"),
    _app("native", ["com.example.app:/cb"]),
    _app("tv", [], grant_types=[DEVICE, "refresh_token"]),
    # One that could be recognised by its address.
    _app("pad", ["https://pad.example.com/cb"],
         grant_types=["authorization_code", "refresh_token", DEVICE]),
    _web("desk", "client_secret_basic", allowed_resources=[API1],
         grant_types=["authorization_code", "refresh_token", DEVICE]),
    _app("spa", ["https://spa.example.com/cb"], application_type="web"),
    _program("rs1", resource=API1), _program("rs2", resource=API2),
    # Servers that call each other.
    _program("shelf", EXCHANGE, resource=API1, allowed_resources=[API2]),
    _program("diary", EXCHANGE, resource=API2, allowed_resources=[API1]),
    _program("looper", EXCHANGE, resource=API1, allowed_resources=[API1]),
    _web("mixed", "client_secret_basic", allowed_resources=[API1, API2],
         grant_types=["authorization_code", "refresh_token", EXCHANGE]),
    _program("batch", OWN, scope="openid a:read b:read", allowed_resources=[API1, API2]),
]

# It needs DPOP.
BANK = _keyed(
    client_id="bank", client_name="Bank", redirect_uris=["https://bank.example.com/cb"],
    jwks={"keys": [public_key("ES256"), public_key("RS256")]}, profile="fapi2",
    grant_types=["authorization_code", "refresh_token", OWN])


def resources(tools):
    return [
        {"resource": API1, "name": {"en": "Photo Shelf"},
         "scopes": {"a:read": {"en": "See your photos"}, "a:write": {"en": "Change your photos"}}},
        {"resource": API2, "name": {"en": "Diary"}, "alg": "RS256",
         "scopes": {"b:read": {"en": "Read your diary"}}},
        # The MCP servers of docs/mcp-on-lambda.md.
        *({"resource": f"http://127.0.0.1:{port}/mcp", "name": {"en": "Tools"},
           "scopes": {"tools:use": {"en": "Use your tools"}}} for port in (LAMBDA, FASTMCP)),
        {"resource": tools, "name": {"en": "Tools"}, "scopes": {"tools": {"en": "Use tools"}}},
    ]
