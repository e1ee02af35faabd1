"""A person in a browser that an app has opened: signs in on the page with the password, and prints
the URL with which the pages lead back to the app."""

import http.cookiejar
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

page, email, password = sys.argv[1:]


class Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, body, status, message, headers, url):
        if not url.startswith("http"):
            print(url)
            sys.exit(0)
        return super().redirect_request(request, body, status, message, headers, url)

    # urllib refuses other schemes before it asks.
    def http_error_303(self, request, body, status, message, headers):
        url = urllib.parse.urljoin(request.full_url, headers["Location"])
        return self.parent.open(self.redirect_request(request, body, status, message, headers, url))


browser = urllib.request.build_opener(
    Redirects, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
with browser.open(page, timeout=60) as answer:
    address, text = answer.url, answer.read().decode()
form = re.search(r'name="?form"? value="?([A-Za-z0-9_-]+)', text)
fields = {"email": email, "password": password, "form": form.group(1)}
origin = urllib.parse.urlsplit(address)
request = urllib.request.Request(
    address, urllib.parse.urlencode(fields).encode(),
    {"Origin": f"{origin.scheme}://{origin.netloc}", "Sec-Fetch-Site": "same-origin"})
with browser.open(request, timeout=60) as answer:
    sys.exit(f"no way back: {answer.status} {answer.url}\n{answer.read().decode()}")
