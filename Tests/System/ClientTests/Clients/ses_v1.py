"""boto3 sends mail with SES version 1, as most programs do."""

import email.message

from judge import case, client, control, refused, run

ses = client("ses")


def mail(path="", **query):
    import urllib.parse
    return control("GET", f"mail{path}?{urllib.parse.urlencode(query)}")


def message(**more):
    return {
        "Source": "Läden <no-reply@example.com>",
        "Destination": {"ToAddresses": ["ada@example.com"], "CcAddresses": ["bob@example.com"],
                        "BccAddresses": ["eve@example.com"]},
        "Message": {"Subject": {"Data": "Grüezi & ✉", "Charset": "UTF-8"},
                    "Body": {"Text": {"Data": "Your code is 482913 + 1 = 100%."},
                             "Html": {"Data": "<p>Hello</p>"}}},
        **more}


@case
def a_mail_arrives():
    sent = ses.send_email(**message(
        ReplyToAddresses=["help@example.com"], Tags=[{"Name": "flow", "Value": "verify"}]))
    found = mail(f"/{sent['MessageId']}")
    assert found["subject"] == "Grüezi & ✉" and found["to"] == ["ada@example.com"], found
    assert found["cc"] == ["bob@example.com"] and found["bcc"] == ["eve@example.com"], found
    assert found["text"].strip() == "Your code is 482913 + 1 = 100%.", found
    assert found["html"].strip() == "<p>Hello</p>" and found["codes"] == ["482913"], found
    assert found["replyTo"] == ["help@example.com"], found
    assert found["tags"] == [{"name": "flow", "value": "verify"}], found


@case
def a_raw_mail_arrives_as_it_was():
    raw = email.message.EmailMessage()
    raw["From"] = "raw@example.com"
    raw["To"] = "rita@example.com"
    raw["Subject"] = "Anhänge"
    raw.set_content("with ümlauts\n")
    raw.add_attachment(
        bytes(range(256)), maintype="application", subtype="octet-stream", filename="ä.bin")
    sent = ses.send_raw_email(RawMessage={"Data": raw.as_bytes()})
    found = mail(f"/{sent['MessageId']}")
    assert found["subject"] == "Anhänge" and found["to"] == ["rita@example.com"], found
    [attachment] = found["attachments"]
    assert attachment["name"] == "ä.bin" and attachment["size"] == 256
    ses.send_raw_email(
        Source="other@example.com", Destinations=["only@example.com"],
        RawMessage={"Data": raw.as_bytes()})
    assert len(mail(to="only@example.com")["messages"]) == 1


@case
def errors_are_those_of_version_1():
    with refused("InvalidParameterValue", 400, "Missing final '@domain'"):
        ses.send_email(**message(Source="nobody"))
    with refused("InvalidParameterValue", 400, "Recipient count exceeds 50."):
        ses.send_email(**message(
            Destination={"ToAddresses": [f"{number}@example.com" for number in range(51)]}))
    with refused("InvalidParameterValue", 400):
        ses.send_email(**message(Destination={"ToAddresses": []}))
    with refused("SignatureDoesNotMatch", 403):
        client("ses", {"AccessKeyId": "latchkey", "SecretAccessKey": "wrong",
                       "SessionToken": None}).send_email(**message())
    with refused("InvalidClientTokenId", 403):
        client("ses", {"AccessKeyId": "stranger", "SecretAccessKey": "x",
                       "SessionToken": None}).send_email(**message())
    with refused("NotImplemented", 501, "VerifyEmailIdentity"):
        ses.verify_email_identity(EmailAddress="a@example.com")


@case
def faults_of_sending_are_those_of_version_1():
    for fault, code in [
        ("sending-paused", "AccountSendingPausedException"), ("throttled", "Throttling"),
        ("rejected", "MessageRejected"), ("limit-exceeded", "Throttling"),
        ("mail-from-domain-not-verified", "MailFromDomainNotVerifiedException"),
    ]:
        control("PUT", f"mail/faults/{fault}?times=1")
        with refused(code, 400):
            ses.send_email(**message())
    assert isinstance(ses.exceptions.MessageRejected, type)
    control("POST", "faults", {
        "match": {"service": "ses", "operation": "SendRawEmail"}, "effect": "error",
        "error": "ServiceUnavailable", "count": 1})
    with refused("ServiceUnavailable", 503):
        ses.send_raw_email(RawMessage={"Data": b"From: a@example.com\r\n\r\nx"})


run()
