"""A host of client ID metadata documents, over TLS on loopback."""

import datetime
import pathlib
import ssl
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import loopback


def _certificate(folder):
    """The files of a certificate for localhost, which is its own authority."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(
        key.public_key()).serial_number(1).not_valid_before(
        now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1)
        ).add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False
        ).add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256())
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))
    return certificate, private


class DocumentHost:
    """Its `url`, its `certificate`, and the paths that were `fetched`."""

    def __init__(self, folder):
        self.fetched, self._answers = [], {}
        self.certificate, private = _certificate(pathlib.Path(folder))
        host = self

        class Handler(loopback.JSONHandler):
            def do_GET(self):
                host.fetched.append(self.path)
                status, headers, body, pause = host._answers.get(
                    self.path, (404, {}, b"{}", 0))
                if pause:
                    # Who asks does not wait so long.
                    time.sleep(pause)
                    return
                self.answer(status, body, **headers)

        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.certificate, private)
        self.authority = f"localhost:{loopback.start(Handler, context)}"
        self.url = f"https://{self.authority}"

    def answers(self, path, body, status=200, pause=0, **headers):
        self._answers[path] = status, headers, body, pause

    def client(self, path, headers=None, **members):
        """Publishes a document and returns its members; None removes one."""
        document = {
            "client_id": self.url + path, "client_name": "Document App",
            "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": "none"} | members
        document = {name: value for name, value in document.items() if value is not None}
        self.answers(path, document, **headers or {})
        return document
