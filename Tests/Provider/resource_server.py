"""A resource server on loopback, as an MCP server."""

import types

import loopback


def start(server):
    """Its `url`, and the tokens that it has `seen`; `server` gives that of the tokens."""
    state = types.SimpleNamespace(seen=[])

    class Handler(loopback.JSONHandler):
        def do_GET(self):
            origin, path = state.url.removesuffix("/mcp"), "/.well-known/oauth-protected-resource"
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if self.path == path + "/mcp":
                self.answer(200, {
                    "resource": state.url, "authorization_servers": [server().issuer],
                    "scopes_supported": ["tools"], "bearer_methods_supported": ["header"]})
            elif server().opens(token, state.url):
                state.seen.append(token)
                self.answer(200, {"tools": []})
            else:
                self.answer(401, {}, **{"WWW-Authenticate": (
                    f'Bearer resource_metadata="{origin}{path}/mcp", scope="tools"'
                    + (', error="invalid_token"' if token else ""))})

    state.url = f"http://127.0.0.1:{loopback.start(Handler)}/mcp"
    return state
