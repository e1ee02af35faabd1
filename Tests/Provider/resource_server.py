"""A resource server on loopback, as an MCP server."""

import http.server
import json
import threading
import types


def start(server):
    """Its `url`, and the tokens that it has `seen`; `server` gives that of the tokens."""
    state = types.SimpleNamespace(seen=[])

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            origin, path = state.url.removesuffix("/mcp"), "/.well-known/oauth-protected-resource"
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if self.path == path + "/mcp":
                self._answer(200, {
                    "resource": state.url, "authorization_servers": [server().issuer],
                    "scopes_supported": ["tools"], "bearer_methods_supported": ["header"]})
            elif server().opens(token, state.url):
                state.seen.append(token)
                self._answer(200, {"tools": []})
            else:
                self._answer(401, {}, f'Bearer resource_metadata="{origin}{path}/mcp", '
                             'scope="tools"' + (', error="invalid_token"' if token else ""))

        def _answer(self, status, body, challenge=None):
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            if challenge:
                self.send_header("WWW-Authenticate", challenge)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{listener.server_port}/mcp"
    return state
