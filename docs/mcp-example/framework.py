import os

from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.dependencies import get_access_token

ISSUER, RESOURCE = os.environ["ISSUER"], os.environ["RESOURCE"]  # RESOURCE ends in /mcp
tokens = JWTVerifier(
    jwks_uri=ISSUER + "/.well-known/jwks.json", issuer=ISSUER, audience=RESOURCE,
    algorithm="ES256")
mcp = FastMCP("Tools", auth=RemoteAuthProvider(
    tokens, authorization_servers=[ISSUER], base_url=RESOURCE.removesuffix("/mcp"),
    required_scopes=["tools:use"], scopes_supported=["tools:use"]))


@mcp.tool
def who() -> str:
    """Says who calls."""
    user = get_access_token().claims
    return f"{user['sub']}, by {user['client_id']}"


app = mcp.http_app(stateless_http=True)
