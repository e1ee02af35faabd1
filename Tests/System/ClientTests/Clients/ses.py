"""boto3 sends mail with SES v2; scripts read it from the mailbox, or wait for it."""

import email.message
import email.policy
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from judge import APP, AWS, case, client, control, fetch, refused, run

ses = client("sesv2")
HTML = '<p>Hello, <a href="https://app.example/verify?token=abc&amp;x=1">verify</a></p>'


def simple(to="ada@example.com", subject="Grüezi ✉", text="Your code is 482913.", **more):
    return {
        "FromEmailAddress": "Läden <no-reply@example.com>",
        "Destination": {"ToAddresses": [to]},
        "Content": {"Simple": {
            "Subject": {"Data": subject, "Charset": "UTF-8"},
            "Body": {"Text": {"Data": text}, "Html": {"Data": HTML}}}},
        **more}


def mail(path="", **query):
    return control("GET", f"mail{path}?{urllib.parse.urlencode(query)}")


def line(path, **query):
    url = f"{APP}/_emulator/mail{path}?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode().rstrip("\n")


@case
def a_simple_mail_arrives():
    sent = ses.send_email(**simple(
        ReplyToAddresses=["help@example.com"], EmailTags=[{"Name": "flow", "Value": "verify"}]))
    found = mail(f"/{sent['MessageId']}")
    assert found["subject"] == "Grüezi ✉" and found["to"] == ["ada@example.com"], found
    assert "no-reply@example.com" in found["from"] and "Läden" in found["from"]
    assert found["text"].strip() == "Your code is 482913." and found["html"].strip() == HTML
    assert found["links"] == ["https://app.example/verify?token=abc&x=1"]
    assert found["codes"] == ["482913"] and found["replyTo"] == ["help@example.com"]
    assert found["tags"] == [{"name": "flow", "value": "verify"}]
    assert line("/latest/link", to="ada@example.com") == found["links"][0]
    assert line("/latest/code", to="ada@example.com") == "482913"


@case
def every_recipient_is_one():
    ses.send_email(**{**simple(), "Destination": {
        "ToAddresses": ["a@example.com", "b@example.com"], "CcAddresses": ["c@example.com"],
        "BccAddresses": ["d@example.com"]}})
    for name in "abcd":
        found = mail(to=f"{name}@example.com")["messages"]
        assert len(found) == 1, (name, found)
    assert found[0]["bcc"] == ["d@example.com"]
    raw = line(f"/{found[0]['id']}/raw")
    assert "d@example.com" not in raw, "a hidden recipient is in the message"
    many = [f"{number}@example.com" for number in range(50)]
    ses.send_email(**{**simple(), "Destination": {"BccAddresses": many}})


@case
def headers_and_attachments_are_kept():
    message = simple()
    message["Content"]["Simple"] |= {
        "Headers": [{"Name": "List-Unsubscribe", "Value": "<x>"}],
        "Attachments": [{"FileName": "é.txt", "ContentType": "text/plain", "RawContent": b"hi"}]}
    sent = ses.send_email(**message)["MessageId"]
    raw = email.message_from_string(line(f"/{sent}/raw"))
    assert raw["List-Unsubscribe"] == "<x>" and raw["Date"], raw.items()
    assert raw["Message-ID"] == f"<{sent}@email.amazonses.com>", raw.items()
    [attachment] = mail(f"/{sent}")["attachments"]
    assert attachment["name"] == "é.txt" and attachment["size"] == 2, attachment
    message["Content"]["Simple"] |= {
        "Body": {"Html": {"Data": '<img src="cid:logo">'}},
        "Attachments": [{"FileName": "l.png", "ContentType": "image/png", "ContentId": "logo",
                         "ContentDisposition": "INLINE", "RawContent": b"hi"}]}
    found = mail(f"/{ses.send_email(**message)['MessageId']}")
    assert line(f"/{found['id']}/html") == '<img src="data:image/png;base64,aGk=">'
    _, headers, data = fetch("GET", APP + found["attachments"][0]["url"])
    assert data == b"hi"
    assert headers["Content-Disposition"].startswith('attachment; filename="l.png"')


@case
def a_raw_mail_arrives_as_it_was():
    message = email.message.EmailMessage(policy=email.policy.SMTP)
    message["From"] = "raw@example.com"
    message["To"] = "rita@example.com"
    message["Subject"] = "Anhänge"
    message.set_content("with ümlauts\n")
    message.add_attachment(
        bytes(range(256)), maintype="application", subtype="octet-stream", filename="ä.bin")
    ses.send_email(Content={"Raw": {"Data": message.as_bytes()}})
    found = mail("/latest", to="rita@example.com")
    assert found["subject"] == "Anhänge" and found["text"].strip() == "with ümlauts"
    [attachment] = found["attachments"]
    assert attachment["name"] == "ä.bin" and attachment["size"] == 256
    with urllib.request.urlopen(APP + attachment["url"]) as answer:
        assert answer.read() == bytes(range(256))


@case
def a_template_is_filled_in():
    ses.create_email_template(TemplateName="welcome", TemplateContent={
        "Subject": "Hello {{name}}", "Text": "Code {{code}}", "Html": "<b>{{name}}</b>"})
    rendered = ses.test_render_email_template(
        TemplateName="welcome", TemplateData=json.dumps({"name": "Ada", "code": "1"}))
    assert "Hello Ada" in rendered["RenderedTemplate"]
    ses.send_email(
        FromEmailAddress="no-reply@example.com",
        Destination={"ToAddresses": ["templated@example.com"]},
        Content={"Template": {
            "TemplateName": "welcome",
            "TemplateData": json.dumps({"name": "<Ada>", "code": "771234"})}})
    found = mail("/latest", to="templated@example.com")
    assert found["subject"] == "Hello <Ada>" and found["codes"] == ["771234"], found
    names = [item["TemplateName"] for item in ses.list_email_templates()["TemplatesMetadata"]]
    assert names == ["welcome"]
    with refused("AlreadyExistsException", 400):
        ses.create_email_template(TemplateName="welcome", TemplateContent={"Subject": "x"})
    for name, content in ("a b", {"Subject": "x", "Text": "y"}), ("c", {"Text": "y"}), (
            "d", {"Subject": "y"}):
        with refused("BadRequestException", 400):
            ses.create_email_template(TemplateName=name, TemplateContent=content)
    changed = {"Subject": "Bye {{name}}", "Text": "y"}
    ses.update_email_template(TemplateName="welcome", TemplateContent=changed)
    assert ses.get_email_template(TemplateName="welcome")["TemplateContent"] == changed
    with refused("BadRequestException", 400, "'name' is not present in the rendering data"):
        ses.test_render_email_template(TemplateName="welcome", TemplateData="{}")
    ses.delete_email_template(TemplateName="welcome")
    for gone in ses.get_email_template, ses.delete_email_template:
        with refused("NotFoundException", 404):
            gone(TemplateName="welcome")


def nothing(to, **query):
    try:
        line("/wait", to=to, timeoutSeconds=0, **query)
        raise AssertionError(f"there is mail for {to}")
    except urllib.error.HTTPError as error:
        assert error.code == 408


@case
def whoever_waits_gets_the_next_one():
    codes = []
    waiter = threading.Thread(target=lambda: codes.append(
        line("/wait/code", to="later@example.com", timeoutSeconds=60)))
    waiter.start()
    ses.send_email(**simple(to="later@example.com", text="Use 135790 now"))
    waiter.join()
    assert codes == ["135790"], codes
    nothing("nobody@example.com")
    for subject in "One", "Two", "Three":
        ses.send_email(**simple(to="there@example.com", subject=subject))
    first = int(mail(to="there@example.com")["messages"][-1]["id"])
    for after, subject in ({}, "Three"), ({"after": first}, "Two"), ({"after": first + 1}, "Three"):
        assert mail("/wait", to="there@example.com", **after)["subject"] == subject, after
    nothing("there@example.com", after=first + 2)


@case
def identities_and_the_account_are_there():
    made = ses.create_email_identity(EmailIdentity="example.org")
    assert made["IdentityType"] == "DOMAIN"
    listed = [item["IdentityName"] for item in ses.list_email_identities()["EmailIdentities"]]
    assert "example.org" in listed
    assert ses.get_email_identity(EmailIdentity="example.org")["VerifiedForSendingStatus"] is True
    with refused("AlreadyExistsException", 400, "example.org already exists"):
        ses.create_email_identity(EmailIdentity="Example.ORG")
    with refused("BadRequestException", 400):
        ses.create_email_identity(EmailIdentity="a b")
    made = ses.create_email_identity(EmailIdentity="ada@a.example")
    assert made["IdentityType"] == "EMAIL_ADDRESS"
    first = ses.list_email_identities(PageSize=1)
    rest = ses.list_email_identities(NextToken=first["NextToken"])
    names = [item["IdentityName"] for page in (first, rest) for item in page["EmailIdentities"]]
    assert names == sorted(listed + ["ada@a.example"]) and "NextToken" not in rest, names
    for wrong in {"NextToken": "x"}, {"PageSize": 1001}:
        with refused("BadRequestException", 400):
            ses.list_email_identities(**wrong)
    ses.delete_email_identity(EmailIdentity="example.org")
    with refused("NotFoundException", 404):
        ses.get_email_identity(EmailIdentity="example.org")
    assert ses.get_account()["SendingEnabled"] is True


@case
def text_is_preserved():
    for text in (
        "", "one line", "two\nlines\n", "  blanks \t\nat ends ", ".\n..\n.x", "From me\n\n\nx",
        "=3D = ü€👋", 500 * "x", 200 * "ü ", "--=_mixed_\n--", "\0\x7f", "a\rb",
    ):
        message = simple(text=text)
        body = message["Content"]["Simple"]["Body"]
        for html in None, text:
            body |= {"Html": {"Data": html}} if html is not None else {}
            html is None and body.pop("Html")
            found = mail(f"/{ses.send_email(**message)['MessageId']}")
            expected = "a\nb" if text == "a\rb" else text
            assert found["text"] == expected, (text, found)
            assert found["html"] == (None if html is None else expected), (text, found)
            raw = line(f"/{found['id']}/raw").split("\n")
            assert all(len(part) <= 100 and part.isascii() for part in raw), raw


@case
def a_raw_mail_only_loses_its_hidden_recipients():
    head = "From: a@example.com\r\n"
    tail = "Subject: S\r\n\r\nBcc: z\r\n"
    hidden = "Bcc: x@raw.example,\r\n y@raw.example\r\n"
    ses.send_email(Content={"Raw": {"Data": (head + hidden + tail).encode()}})
    found = mail("/latest", to="x@raw.example")
    assert found["bcc"] == ["x@raw.example", "y@raw.example"], found
    with urllib.request.urlopen(f"{APP}/_emulator/mail/{found['id']}/raw") as answer:
        assert answer.read().decode() == head + tail


ADA = {"Destination": {"ToAddresses": ["ada@example.com"]}}
HELLO = {"Simple": {"Subject": {"Data": "Hi"}, "Body": {"Text": {"Data": "Hello"}}}}


def call(method, path, body, keys=("latchkey", "latchkey")):
    """A signed request that the SDK would not send: (status, headers, body)."""
    request = AWSRequest(
        method, AWS + path, headers={"Content-Type": "application/json"},
        data=json.dumps(body).encode())
    if keys:
        SigV4Auth(Credentials(*keys), "ses", "us-east-1").add_auth(request)
    return fetch(method, request.url, request.data, dict(request.headers))


def sent(members, **more):
    return call("POST", "/v2/email/outbound-emails", {
        "FromEmailAddress": "no-reply@example.com", **members}, **more)


def expect(answer, status, code, message=None):
    found = answer[0], answer[1]["x-amzn-errortype"].split(":")[0]
    assert found == (status, code), (found, answer[2])
    assert message in (None, json.loads(answer[2])["message"]), answer[2]


@case
def what_cannot_be_sent_is_refused():
    for change in (
        {"Content": {}},
        {"Destination": {"ToAddresses": []}},
        {"Destination": {"ToAddresses": [f"{number}@example.com" for number in range(51)]}},
        {"FromEmailAddress": "not an address"},
    ):
        with refused("BadRequestException", 400) as refusal:
            ses.send_email(**{**simple(), **change})
        assert isinstance(refusal.error, ses.exceptions.BadRequestException)
    before = mail()["total"]
    text = {"Body": {"Text": {"Data": ""}}}
    for members, message in (
        ({"Content": HELLO}, "Recipient list is empty."), (ADA, None),
        ({**ADA, "Content": {**HELLO, "Raw": {"Data": "aGk="}}}, None),
        ({**ADA, "Content": {"Simple": {"Body": {}}}}, None),
        ({**ADA, "Content": {"Simple": {"Subject": {"Data": "S"}, "Body": {}}}}, None),
        ({**ADA, "Content": {"Simple": {"Subject": {"Data": "a\r\nBcc: x@y.z"}, **text}}},
         "The subject contains control characters"),
        ({**ADA, "EmailTags": [{"Name": "a b", "Value": "c"}], "Content": HELLO}, None),
        *(({"Destination": {"ToAddresses": [to]}, "Content": HELLO}, message) for to, message in (
            ("nobody", "Missing final '@domain'"),
            ("a@b..c", "Domain contains illegal character"),
            ("team: a@b.c;", "Groups of addresses are not accepted"),
            ("a@b.c, d@e.f", "Illegal address"), ("a@b.c\r\nX: y", None))),
    ):
        expect(sent(members), 400, "BadRequestException", message)
    for members in (
        {**ADA, "Content": {"Raw": {"Data": "?"}}}, {"Destination": [], "Content": HELLO},
        {**ADA, "Content": "x"},
    ):
        expect(sent(members), 400, "SerializationException")
    expect(sent({**ADA, "Content": {"Template": {"TemplateName": "gone"}}}), 404,
           "NotFoundException", "Template gone does not exist")
    assert mail()["total"] == before
    for method, path in (
        ("GET", "outbound-emails"), ("POST", "account"), ("GET", "contacts"), ("GET", ""),
        ("GET", "templates/a/b/c"),
    ):
        expect(call(method, f"/v2/email/{path}", {}), 404, "UnknownOperationException")


@case
def requests_of_strangers_are_refused():
    hello = {**ADA, "Content": HELLO}
    assert sent(hello)[0] == 200
    expect(sent(hello, keys=None), 403, "MissingAuthenticationTokenException")
    expect(sent(hello, keys=("AKIANOBODY", "x")), 403, "UnrecognizedClientException")
    expect(sent(hello, keys=("latchkey", "wrong")), 403, "InvalidSignatureException")


@case
def a_template_has_three_forms_and_can_fail_late():
    content = {"Subject": "Hi {{name}}", "Text": "{{ user.code }} {{list.1}}{{! no }}",
               "Html": "<b>{{{name}}}</b>"}
    ses.create_email_template(TemplateName="forms", TemplateContent=content)
    data = json.dumps({"name": "A&B", "user": {"code": 1234}, "list": [1, True]})
    arn = "arn:aws:ses:us-east-1:123456789012:template/forms"

    def found(**template):
        message = {**simple(to="forms@example.com"), "Content": {"Template": template}}
        return mail(f"/{ses.send_email(**message)['MessageId']}")

    for form in {"TemplateName": "forms"}, {"TemplateArn": arn}, {"TemplateContent": content}:
        rendered = found(**form, TemplateData=data)
        assert (rendered["subject"], rendered["text"], rendered["html"]) == (
            "Hi A&B", "1234 true", "<b>A&B</b>"), rendered
        assert not rendered.get("failure"), rendered
    ses.delete_email_template(TemplateName="forms")
    missing = "Attribute '{}' is not present in the rendering data."
    for text, failure in (
        ("{{gone}}", missing.format("gone")), ("{{name.x}}", missing.format("name.x")),
        ("{{name", "A tag of the template is not closed."),
        ("{{#if name}}x{{/if}}", "The emulator does not render {{#if name}}."),
        ("{{}}", "The emulator does not render {{}}."),
    ):
        template = {"TemplateContent": {"Subject": "S", "Text": text}}
        failed = found(**template, TemplateData='{"name":"A"}')
        assert failed["failure"] == failure
        # It does not end a wait.
        nothing("forms@example.com", after=int(failed["id"]) - 1)


@case
def the_mailbox_lists_newest_first_and_filters():
    def subjects(**query):
        return [one["subject"] for one in mail(**query)["messages"]]

    def delete(path):
        return fetch("DELETE", f"{APP}/_emulator/mail{path}")[0]

    delete("")
    names = {"One": "ada@example.com", "Two": "bob@example.com", "Three": "Ada@Example.com"}
    for subject, to in names.items():
        ses.send_email(**simple(to=to, subject=subject))
    number = int(mail()["messages"][0]["id"])
    for query, expected in (
        ({}, ["Three", "Two", "One"]), ({"limit": 2}, ["Three", "Two"]),
        ({"before": number}, ["Two", "One"]), ({"to": "ADA@example.com"}, ["Three", "One"]),
        ({"to": "da@example.com"}, []), ({"to": "@example.com", "limit": 1}, ["Three"]),
        ({"to": "@ample.com"}, []), ({"subject": "tW"}, ["Two"]),
        ({"since": "2023-11-14T22:13:20Z"}, ["Three", "Two", "One"]),
        ({"since": "2099-01-01T00:00:00Z"}, []),
    ):
        assert subjects(**query) == expected, (query, subjects(**query))
    assert delete(f"/{number - 1}") == 204 and delete(f"/{number - 1}") == 404
    assert mail()["total"] == 2 and delete("") == 204 and mail()["messages"] == []
    ses.send_email(**simple())
    # Numbers are never reused.
    assert int(mail()["messages"][0]["id"]) == number + 1


@case
def the_mailbox_has_all_parts_of_a_mail_and_refuses_others():
    message = simple(text="Your code is 482913.\nhttps://example.com/verify?t=1&u=2.")
    message["Content"]["Simple"]["Body"]["Html"] = {
        "Data": '<a href="https://example.com/v?a=1&amp;b=2">Go</a>'}
    found = mail(f"/{ses.send_email(**message)['MessageId']}")
    here = f"/{found['id']}"
    assert found["links"] == [
        "https://example.com/verify?t=1&u=2", "https://example.com/v?a=1&b=2"], found
    assert line(f"{here}/code") == "482913"
    assert line(f"{here}/link", contains="/V?") == "https://example.com/v?a=1&b=2"
    _, headers, raw = fetch("GET", f"{APP}/_emulator/mail{here}/raw")
    assert headers["Content-Type"] == "message/rfc822" and b"\r\nSubject: " in raw
    _, headers, _ = fetch("GET", f"{APP}/_emulator/mail{here}/html")
    assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    plain = simple(text="no number")
    del plain["Content"]["Simple"]["Body"]["Html"]
    here = "/" + mail(f"/{ses.send_email(**plain)['MessageId']}")["id"]
    for method, target, status in (
        *(("GET", query, 400) for query in ("?limit=0", "?limit=x", "?since=yesterday", "?to=%ZZ")),
        *(("GET", path, 404) for path in (
            "/999", "/x", "/-1", f"{here}/x", f"{here}/attachments/0", f"{here}/html",
            f"{here}/link", f"{here}/raw/x", "/wait/x")),
        ("GET", "/wait?timeoutSeconds=301", 400), ("GET", "/%FF", 400),
        ("PUT", "", 405), ("PUT", here, 405), ("POST", "/wait", 405), ("PUT", "/faults/x", 404),
        ("PUT", "/faults/throttled?times=0", 400), ("DELETE", "/999", 404),
    ):
        answer = fetch(method, f"{APP}/_emulator/mail{target}")
        assert answer[0] == status, (method, target, answer)
        assert json.loads(answer[2])["message"]


@case
def faults_are_had_for_the_asking():
    codes = {
        "sending-paused": (400, "SendingPausedException"),
        "account-suspended": (400, "AccountSuspendedException"),
        "throttled": (429, "TooManyRequestsException"),
        "limit-exceeded": (400, "LimitExceededException"),
        "mail-from-domain-not-verified": (400, "MailFromDomainNotVerifiedException"),
        "rejected": (400, "MessageRejected"),
    }
    assert set(codes) == set(control("GET", "mail/faults")["known"])
    hello = {"Destination": {"ToAddresses": ["fault@example.com"]}, "Content": HELLO}
    for name, (status, code) in codes.items():
        control("PUT", f"mail/faults/{name}?times=2")
        for _ in range(2):
            expect(sent(hello), status, code)
        assert sent(hello)[0] == 200
        control("PUT", f"mail/faults/{name}")
        for _ in range(3):
            expect(sent(hello), status, code)
        assert ses.get_account()["SendingEnabled"] is (
            name not in ("sending-paused", "account-suspended"))
        fetch("DELETE", f"{APP}/_emulator/mail/faults/{name}")
        assert sent(hello)[0] == 200
    assert len(mail(to="fault@example.com")["messages"]) == 2 * len(codes)
    usage = ses.get_account()
    assert usage["SendQuota"]["SentLast24Hours"] > 0 and usage["SendingEnabled"] is True


run()
