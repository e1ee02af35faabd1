"""boto3 sends mail with SES v2; scripts read it from the mailbox, or wait for it."""

import email.message
import email.policy
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

from judge import APP, case, client, control, refused, run

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
    with refused("NotFoundException", 404):
        ses.get_email_template(TemplateName="nothing")


@case
def whoever_waits_gets_the_next_one():
    codes = []
    waiter = threading.Thread(target=lambda: codes.append(
        line("/wait/code", to="later@example.com", timeoutSeconds=60)))
    waiter.start()
    ses.send_email(**simple(to="later@example.com", text="Use 135790 now"))
    waiter.join()
    assert codes == ["135790"], codes
    try:
        line("/wait", to="nobody@example.com", timeoutSeconds=0)
        raise AssertionError("there is mail for nobody")
    except urllib.error.HTTPError as error:
        assert error.code == 408


@case
def identities_and_the_account_are_there():
    made = ses.create_email_identity(EmailIdentity="example.org")
    assert made["IdentityType"] == "DOMAIN"
    listed = [item["IdentityName"] for item in ses.list_email_identities()["EmailIdentities"]]
    assert "example.org" in listed
    assert ses.get_email_identity(EmailIdentity="example.org")["VerifiedForSendingStatus"] is True
    ses.delete_email_identity(EmailIdentity="example.org")
    with refused("NotFoundException", 404):
        ses.get_email_identity(EmailIdentity="example.org")
    assert ses.get_account()["SendingEnabled"] is True


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
    forged = {"AccessKeyId": "latchkey", "SecretAccessKey": "wrong"}
    with refused("InvalidSignatureException", 403):
        client("sesv2", forged).send_email(**simple())


@case
def faults_are_had_for_the_asking():
    known = control("GET", "mail/faults")["known"]
    assert known
    for name in known:
        control("PUT", f"mail/faults/{name}?times=1")
        try:
            ses.send_email(**simple(to="fault@example.com"))
            raise AssertionError(f"{name} did not refuse")
        except ses.exceptions.ClientError as error:
            assert error.response["ResponseMetadata"]["HTTPStatusCode"] >= 400
    ses.send_email(**simple(to="fault@example.com"))
    assert len(mail(to="fault@example.com")["messages"]) == 1


run()
