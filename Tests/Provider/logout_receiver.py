"""A server of `backchannel_logout_uri`s on loopback: one path for each client."""

import functools
import http.server
import threading
import time
import types
import urllib.parse

import settings


@functools.cache
def start():
    """The `notices` that it got, its `answers` by path, and what it does `before` an answer."""
    state = types.SimpleNamespace(notices=[], answers={}, before=lambda notice: None)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            notice = types.SimpleNamespace(
                client=self.path.strip("/"), at=time.monotonic(), type=self.headers["Content-Type"],
                fields=urllib.parse.parse_qs(body, strict_parsing=True))
            state.before(notice)
            state.notices.append(notice)
            status = state.answers.get(notice.client, 200)
            if status is None:
                # Hangs, for longer than anybody should wait.
                time.sleep(15)
                return
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", settings.RECEIVER), Handler)
    listener.daemon_threads = True
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    return state
