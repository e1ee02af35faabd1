import Foundation

@Suite("Mail settings") struct MailSettingsTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private func problems(_ settings: [String: String]) -> [String] {
        let standard = [
            "STORE": "memory:", "MAIL_URL": "smtp://mail.example.com",
            "MAIL_FROM": "no-reply@example.com",
        ]
        return deployment.problems(standard.merging(settings) { $1 }, of: "housekeeping")
    }

    @Test func `a function that sends mail does not start without a mail system`() {
        expectEqual(
            deployment.problems(["STORE": "memory:"], of: "housekeeping"),
            [
                "MAIL_URL is required to send mail: ses, "
                    + "smtp://[USER@]HOST[:PORT], smtps://[USER@]HOST[:PORT] or folder:PATH",
                "MAIL_FROM is required to send mail",
            ])
        expectEqual(deployment.problems(["STORE": "memory:"], of: "refresh"), [])
    }

    @Test(arguments: [
        "smtp://mail.example.com", "smtps://mail.example.com:465", "smtp://127.0.0.1:2525",
        "smtp://[::1]:25", "smtp://localhost", "smtps://mail",
    ])
    func `a server is named by a URL`(_ url: String) {
        expectEqual(problems(["MAIL_URL": url]), [])
    }

    @Test(arguments: [
        "smtp://user@mail.example.com", "smtps://user%40example.com@mail.example.com:465",
    ])
    func `a user in the URL needs a password`(_ url: String) {
        expectEqual(problems(["MAIL_URL": url, "MAIL_PASSWORD": "secret"]), [])
        expectEqual(
            problems(["MAIL_URL": url]),
            ["MAIL_PASSWORD is required, because MAIL_URL names a user"])
    }

    @Test(arguments: [
        "SES", "smtp", "smtp://", "smtp:mail", "http://mail.example.com", "smtp://mail:0",
        "smtp://mail:65536", "smtp://mail:", "smtp://mail:2x", "smtp://mail/path", "smtp://ma il",
        "smtp://user:s3cr3t@mail.example.com", "smtp://@mail", "smtp://a%zz@mail", "smtp://mail?x",
        "smtp://a%0Ab@mail", "smtp://mäil", "sendmail", "folder:", "folder",
    ])
    func `an invalid mail system is refused`(_ url: String) {
        let found = problems(["MAIL_URL": url])
        expectEqual(
            found,
            [
                "MAIL_URL must be ses, smtp://[USER@]HOST[:PORT], smtps://[USER@]HOST[:PORT] or "
                    + "folder:PATH, without a password"
            ])
    }

    @Test func `a folder for mails needs no sender`() {
        expectEqual(
            deployment.problems(
                ["STORE": "memory:", "MAIL_URL": "folder:mail"], of: "housekeeping"), []
        )
    }

    @Test func `SES needs a region`() {
        expectEqual(problems(["MAIL_URL": "ses"]), ["AWS_REGION is required"])
        expectEqual(problems(["MAIL_URL": "ses", "AWS_REGION": "eu-central-1"]), [])
        expectEqual(
            problems(["MAIL_URL": "ses", "AWS_REGION": "eu-central-1", "MAIL_PASSWORD": "x"]),
            ["MAIL_PASSWORD needs a user: MAIL_URL must be smtp://USER@HOST"])
    }

    @Test func `all errors are reported at once, without their values`() {
        let found = problems([
            "MAIL_URL": "s3cr3t", "MAIL_FROM": "S3cr3t <s3cr3t@example.com>",
            "MAIL_FROM_NAME": "s3cr3t\nX: y", "APP_NAME": String(repeating: "s3cr3t", count: 50),
            "MAIL_PASSWORD": "file:/nowhere/x", "MAIL_DELIVERY": "s3cr3t",
            "MAIL_TEMPLATES": "/nowhere/s3cr3t",
        ])
        expectEqual(found.count, 7, "\(found)")
        for name in [
            "MAIL_URL must", "MAIL_FROM must", "MAIL_FROM_NAME must", "APP_NAME must",
            "MAIL_PASSWORD: /nowhere/x cannot", "MAIL_DELIVERY must be one of after-reply, outbox",
            "MAIL_TEMPLATES: the folder cannot be read",
        ] { #expect(found.contains { $0.hasPrefix(name) }, "\(name)") }
        #expect(!found.contains { $0.lowercased().contains("s3cr3t") }, "\(found)")
    }

    @Test func `a password must be a single line`() throws {
        let file = try deployment.write("password", "s3cr3t\n")
        let settings = ["MAIL_URL": "smtp://user@mail.example.com"]
        expectEqual(problems(settings.merging(["MAIL_PASSWORD": "file:\(file)"]) { $1 }), [])
        let bad = try deployment.write("bad", "s3cr3t\r\nAUTH")
        expectEqual(
            problems(settings.merging(["MAIL_PASSWORD": "file:\(bad)"]) { $1 }),
            ["MAIL_PASSWORD must be one line of text"])
    }

    @Test func `a folder of templates is checked when the function starts`() throws {
        _ = try deployment.write("magicLink.en.txt", "Hi\n\n{{link}} {{code}} {{nothing}}\n")
        expectEqual(
            problems(["MAIL_TEMPLATES": deployment.folder.path]),
            ["MAIL_TEMPLATES: magicLink.en.txt line 3: unknown value {{nothing}}"])
        _ = try deployment.write(
            "magicLink.en.txt", "Hi\n\n{{app}} {{link}} {{code}} {{minutes}} {{hours}}\n")
        expectEqual(problems(["MAIL_TEMPLATES": deployment.folder.path]), [])
    }

    @Test(arguments: ["off", "hour=0", "hour=500,day=off", "recipient=3", "day=1,hour=off"])
    func `the mail budget is changed by limits`(_ budget: String) {
        expectEqual(problems(["MAIL_BUDGET": budget]), [])
    }

    @Test(arguments: [
        "on", "5", "week=5", "Hour=5", "hour", "hour=", "hour=-1", "hour=1/60", "day=many",
    ])
    func `an invalid mail budget is refused`(_ budget: String) {
        expectEqual(
            problems(["MAIL_BUDGET": budget]),
            [
                "MAIL_BUDGET: each entry is hour, day or recipient, with a number of mails or off: "
                    + "hour=1000,day=10000,recipient=20"
            ])
    }
}
