"""mod_auth_openidc and mod_oauth2 in Apache."""

import contextlib
import pathlib
import subprocess
import tempfile
import time

import requests
import server
import settings
from browser import Browser
from client import Client, each, signed_in
from server import main
from settings import API1, API2

MODULES = "mpm_event authn_core authz_core authz_user headers auth_openidc oauth2"


def _configuration(home):
    relying, resource, here = Client("apache"), Client("rs1"), main()
    load = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so"
                     for name in MODULES.split())
    return f"""
        ServerName 127.0.0.1
        Listen 127.0.0.1:{settings.APACHE}
        ServerRoot {home}
        PidFile {home}/pid
        DefaultRuntimeDir {home}
        DocumentRoot {home}/site
        ErrorLog {home}/log
        User nobody
        Group nogroup
        {load}
        OIDCProviderMetadataURL {here.issuer}/.well-known/openid-configuration
        OIDCSSLValidateServer Off
        OIDCClientID {relying.id}
        OIDCClientSecret {relying.secret}
        OIDCRedirectURI {relying.redirect_uri}
        OIDCScope "openid email"
        OIDCPKCEMethod S256
        OIDCCryptoPassphrase {settings.secret("passphrase")}
        OIDCCacheType file
        OIDCCacheDir {home}
        <Location /app>
            AuthType openid-connect
            Require valid-user
            Header set X-Email "%{{OIDC_CLAIM_email}}e"
            Header set X-Subject "%{{OIDC_CLAIM_sub}}e"
        </Location>
        <Location /keys>
            AuthType oauth2
            OAuth2TokenVerify jwks_uri {here.metadata["jwks_uri"]} jwks_uri.ssl_verify=false
            <RequireAll>
                Require oauth2_claim iss:{here.issuer}
                Require oauth2_claim aud:{API1}
                Require oauth2_claim scope:a:read
            </RequireAll>
        </Location>
        <Location /introspected>
            AuthType oauth2
            OAuth2TokenVerify introspect {here.issuer}/oauth/introspect \
introspect.ssl_verify=false&introspect.auth=client_secret_basic&client_id={resource.id}&\
client_secret={resource.secret}
            Require oauth2_claim scope:a:read
        </Location>
        """


@contextlib.contextmanager
def _apache():
    # Root's workers have another user, who must reach the folder.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        home = pathlib.Path(folder)
        home.chmod(0o777)
        for name in ("app", "keys", "introspected"):
            (home / "site" / name).mkdir(parents=True)
            (home / "site" / name / "page").write_text("page")
        (home / "conf").write_text(_configuration(home))
        process = subprocess.Popen(
            ["/usr/sbin/apache2", "-f", home / "conf", "-DFOREGROUND"],
            preexec_fn=server.end_with_parent)
        try:
            url = f"http://127.0.0.1:{settings.APACHE}"
            for _ in range(500):
                with contextlib.suppress(requests.ConnectionError):
                    requests.get(url, timeout=60)
                    break
                assert process.poll() is None, (home / "log").read_text()
                time.sleep(0.02)
            yield url, home / "log"
        finally:
            process.terminate()
            process.wait()


def a_site_signs_people_out():
    """mod_auth_openidc: RP-initiated logout, and back-channel logout after a sign-out here."""
    with _apache() as (url, log):
        person = main().account()
        site = Browser(main(), person)

        def opened():
            return site.send("GET", f"{url}/app/page")

        def sign_in():
            left = site.walk(site.open(opened().location)).left
            page = site.send("GET", site.send("GET", left).location)
            assert page.status == 200 and opened().status == 200, (page, log.read_text())
        sign_in()
        # The site's own cookie does not count any more.
        page = site.open("/auth/ui/account")
        form = next(form for form in page.forms if "signout" in form["action"])
        site.submit(page, form)
        assert opened().status == 302, (page, log.read_text())
        sign_in()
        page = site.send("GET", f"{url}/app/callback?logout={url}/left")
        assert page.location.startswith(main().issuer + "/oauth/logout?"), (page, log.read_text())
        page = site.open(page.location)
        assert page.left == f"{url}/left", (page, log.read_text())
        assert person.email not in site.open("/auth/ui/account").text
        assert opened().status == 302, (page, log.read_text())


def a_site_signs_people_in_and_an_api_reads_tokens():
    """mod_auth_openidc: sign-in and userinfo; mod_oauth2: by keys and by introspection."""
    with _apache() as (url, log):
        browser = signed_in()
        page = browser.send("GET", f"{url}/app/page")
        left = browser.walk(browser.open(page.location)).left
        assert left and left.startswith(Client("apache").redirect_uri), (page, left)
        page = browser.send("GET", browser.send("GET", left).location)
        assert page.status == 200 and page.text == "page", (page, log.read_text())
        assert page.headers["X-Email"] == main().user.email, page.headers
        assert page.headers["X-Subject"] == main().user.id, page.headers

        def check(path, token, status):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            answer = requests.get(f"{url}/{path}/page", headers=headers, timeout=60)
            assert answer.status_code == status, (answer.status_code, log.read_text()[-600:])
        client = Client("post")
        right = client.grant(scope="a:read", resource=API1)["access_token"]
        wrong = client.grant(scope="a:write", resource=API1)["access_token"]
        other = client.grant(scope="b:read", resource=API2)["access_token"]
        ours, ended = main().user.tokens["accessToken"], client.grant(scope="a:read", resource=API1)
        client.revoke(ended["refresh_token"])
        each([(path, *row) for path in ("keys", "introspected") for row in (
            (right, 200), (wrong, 401), (other, 401), (ours, 401), (None, 401), ("x", 401))] + [
                ("introspected", ended["access_token"], 401)], check)
