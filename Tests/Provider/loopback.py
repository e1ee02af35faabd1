"""What the servers on loopback have in common, by which checks see what is sent to others."""

import http.server
import json
import threading


class JSONHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, **headers):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def start(handler, tls=None):
    """Its port."""
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if tls:
        listener.socket = tls.wrap_socket(listener.socket, server_side=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    return listener.server_port
