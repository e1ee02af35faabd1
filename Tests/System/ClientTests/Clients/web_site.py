"""Serves Examples/web as an app's site at an origin of its own: with the addresses of this test
instead of the examples', and the modules of Web in the folder `latchkey`."""

import contextlib
import http.server
import mimetypes
import pathlib
import threading

ROOT = pathlib.Path(__file__).resolve().parents[4]
TEXT = {".html", ".js"}


class Site:
    def __init__(self):
        site = self
        self.replaced = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = self.path.split("?")[0]
                file = site.file(path if path != "/" else "/index.html")
                if path == "/blank.html":
                    file = ROOT / "Tests/Web/pages/blank.html"
                if not file.is_file():
                    self.send_error(404)
                    return
                body = file.read_bytes()
                if file.suffix in TEXT:
                    for old, new in site.replaced.items():
                        body = body.replace(old.encode(), new.encode())
                self.send_response(200)
                self.send_header("Content-Type", mimetypes.guess_type(file.name)[0])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}"

    @staticmethod
    def file(path):
        if path.startswith("/latchkey/"):
            return ROOT / "Web" / path.removeprefix("/latchkey/")
        return ROOT / "Examples/web" / path.removeprefix("/")


@contextlib.contextmanager
def site():
    started = Site()
    threading.Thread(target=started.server.serve_forever, daemon=True).start()
    try:
        yield started
    finally:
        started.server.shutdown()
        started.server.server_close()
