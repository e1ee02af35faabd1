@Suite("Webhook settings") struct WebhookSettingsTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private static let secret = "whsec_BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUF"

    private func problems(_ settings: [String: String], of function: String = "guest") -> [String] {
        deployment.problems(settings.merging(["STORE": "memory:"]) { $1 }, of: function)
    }

    @Test(arguments: [
        "*=https://app.example.com/events",
        "accountCreated|accountDeleted=https://app.example.com/a?key=b,*=https://[2001:db8::1]:8443",
        "signedIn=http://127.0.0.1:8080/events", "*=http://localhost:1",
    ])
    func `receivers are events and a URL`(_ webhooks: String) {
        expectEqual(problems(["WEBHOOKS": webhooks]), [])
    }

    @Test func `an unknown event is refused, with the one that was probably meant`() {
        let found = problems(["WEBHOOKS": "signedin=https://app.example.com"])
        expectEqual(found.count, 1)
        #expect(found[0].hasPrefix("WEBHOOKS: signedin is unknown; did you mean signedIn?"))
    }

    @Test(arguments: [
        "https://app.example.com", "*=http://app.example.com", "*=ftp://app.example.com",
        "signedIn|=https://app.example.com",
        "=https://app.example.com", "*|signedIn=https://app.example.com",
        "*=https://user:password@app.example.com", "*=",
    ])
    func `a receiver in another form is refused`(_ webhooks: String) {
        expectEqual(
            problems(["WEBHOOKS": webhooks]),
            [
                "WEBHOOKS: each entry is EVENTS=URL: * or names of audit events with | between "
                    + "them, and an https URL (http only for this machine)"
            ])
    }

    @Test func `each URL may be listed once, and there are at most five`() {
        expectEqual(
            problems(["WEBHOOKS": "signedIn=https://a.example,signedOut=https://a.example"]),
            ["WEBHOOKS: each URL may be named once"])
        let six = (1...6).map { "*=https://a\($0).example" }.joined(separator: ",")
        expectEqual(problems(["WEBHOOKS": six]), ["WEBHOOKS: at most 5 URLs"])
    }

    @Test func `functions that send webhooks require the secret`() {
        let webhooks = ["WEBHOOKS": "*=https://app.example.com", "MAIL_URL": "folder:mail"]
        expectEqual(
            problems(webhooks, of: "housekeeping"),
            ["WEBHOOK_SECRET is required to send WEBHOOKS"])
        let both = webhooks.merging(["WEBHOOK_SECRET": "\(Self.secret),\(Self.secret)"]) { $1 }
        expectEqual(problems(both, of: "housekeeping"), [])
    }

    @Test(arguments: ["secret", "whsec_", "whsec_BQUF", "BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUF"])
    func `a secret has the form of Standard Webhooks`(_ secret: String) {
        expectEqual(
            problems(["WEBHOOKS": "*=https://app.example.com", "WEBHOOK_SECRET": secret]),
            ["WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64"])
    }

    /// They have no job that would send them.
    @Test func `other contracts have no webhooks`() {
        expectEqual(problems(["WEBHOOKS": "nonsense", "CONTRACT": "whateat"], of: "refresh"), [])
    }
}
