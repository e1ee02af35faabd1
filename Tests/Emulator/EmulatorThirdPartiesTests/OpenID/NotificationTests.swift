import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct NotificationTests {
    private static let url = "http://127.0.0.1:8000/auth/apple/notifications"

    private func harness() throws -> IdentityServiceHarness {
        let harness = try IdentityServiceHarness()
        _ = try harness.put(
            "/_idp/apple/clients/\(IdentityServiceHarness.appleClient)",
            json: ["notificationURL": .string(Self.url)]
        )
        return harness
    }

    /// Verifies and decodes a notification as an app would.
    private func read(
        _ delivery: IdentityServiceHarness.Delivery, _ harness: IdentityServiceHarness
    )
        throws -> (VerifiedToken, JSON)
    {
        let body = try JSON.parse(delivery.body, limits: .request)
        expectEqual(body.objectValue?.count, 1)
        let payload = try #require(body["payload"]?.stringValue)
        let token = try harness.verify(payload, "apple", IdentityServiceHarness.appleClient)
        let events = try #require(token.claims["events"]?.stringValue)
        return (token, try JSON.parse(Array(events.utf8), limits: .request))
    }

    @Test(arguments: [
        "consent-revoked", "account-delete", "account-deleted", "email-disabled", "email-enabled",
    ])
    func `the app receives a notification signed by Apple`(type: String) throws {
        let harness = try harness()
        let answer = try harness.post("/_idp/apple/notify", json: ["type": .string(type)])
        expectEqual(answer.status, 200)
        expectEqual(answer.json["delivered"], true)
        expectEqual(answer.json["status"], 200)
        let delivery = try #require(harness.environment.deliveries.first)
        expectEqual(delivery.url, Self.url)
        let (token, event) = try read(delivery, harness)
        expectEqual(token.claims["jti"], answer.json["jti"])
        expectEqual(token.issuedAt, noon)
        expectEqual(event["type"], .string(type))
        expectEqual(event["event_time"], .number(noon.milliseconds))
        let signedIn = try harness.verify(
            try harness.mint("apple"), "apple", IdentityServiceHarness.appleClient)
        expectEqual(event["sub"]?.stringValue, signedIn.subject)
        expectEqual(event["email"] != nil, type.hasPrefix("email-"))
        expectEqual(event["is_private_email"] != nil, type.hasPrefix("email-"))
    }

    @Test func `consent-revoked revokes the tokens`() throws {
        let harness = try harness()
        let tokens = try harness.redeem(.apple, try harness.code(.apple)).json
        let token = try #require(tokens["refresh_token"]?.stringValue)
        _ = try harness.post("/_idp/apple/notify", json: ["type": "email-disabled"])
        try expectEqual(harness.refresh(.apple, token).status, 200)
        _ = try harness.post("/_idp/apple/notify", json: ["type": "consent-revoked"])
        try expectEqual(harness.refresh(.apple, token).error, "invalid_grant")
        #expect(try harness.approve(.apple)["user"] != nil)
    }

    @Test func `anything but 200 is retried a limited number of times`() throws {
        let harness = try harness()
        harness.environment.answers(503, nil, 202, 500)
        let answer = try harness.post("/_idp/apple/notify", json: [:])
        expectEqual(answer.json["delivered"], false)
        expectEqual(answer.json["status"], 503)
        expectEqual(harness.environment.deliveries.count, 1)
        for (wait, count) in [(Int64(1), 2), (5, 3), (25, 4)] {
            harness.environment.advance(.milliseconds(wait * 1000 - 1))
            expectEqual(harness.environment.deliveries.count, count - 1)
            harness.environment.advance(.milliseconds(1))
            expectEqual(harness.environment.deliveries.count, count)
        }
        harness.environment.advance(.hours(1))
        expectEqual(harness.environment.deliveries.count, 4)
        expectEqual(Set(harness.environment.deliveries.map(\.body)).count, 1)
        let list = try harness.get("/_idp/apple/notifications").json["notifications"]?.arrayValue
        let entry = try #require(list?.first)
        expectEqual(entry["statuses"], [503, .null, 202, 500])
        expectEqual(entry["delivered"], false)
    }

    @Test func `a successful retry is the last`() throws {
        let harness = try harness()
        harness.environment.answers(500)
        _ = try harness.post("/_idp/apple/notify", json: [:])
        harness.environment.advance(.minutes(5))
        expectEqual(harness.environment.deliveries.count, 2)
        let list = try harness.get("/_idp/apple/notifications").json["notifications"]?.arrayValue
        expectEqual(list?.first?["delivered"], true)
    }

    @Test func `a notification can have a wrong signature`() throws {
        let harness = try harness()
        _ = try harness.post("/_idp/apple/notify", json: ["fault": "wrong-signature"])
        let body = try JSON.parse(
            try #require(harness.environment.deliveries.first).body, limits: .request)
        #expect(throws: TokenFailure.badSignature) {
            try harness.verify(
                body["payload"]?.stringValue ?? "", "apple", IdentityServiceHarness.appleClient)
        }
    }

    @Test func `a notification can be repeated, and have an unknown type`() throws {
        let harness = try harness()
        let early = try harness.post("/_idp/apple/notify", json: ["fault": "replayed-jti"])
        expectEqual(early.status, 409)
        _ = try harness.post("/_idp/apple/notify", json: [:])
        harness.environment.advance(.seconds(10))
        _ = try harness.post("/_idp/apple/notify", json: ["fault": "replayed-jti"])
        _ = try harness.post("/_idp/apple/notify", json: ["fault": "unknown-type"])
        let tokens = try harness.environment.deliveries.map { try read($0, harness) }
        expectEqual(tokens.count, 3)
        expectEqual(tokens[0].0.claims["jti"], tokens[1].0.claims["jti"])
        #expect(tokens[0].0.fingerprint != tokens[1].0.fingerprint)
        expectEqual(tokens[2].1["type"], "something-new")
    }

    @Test func `a request can set the recipient and URL of a notification`() throws {
        let harness = try IdentityServiceHarness()
        let answer = try harness.post(
            "/_idp/apple/notify",
            json: ["sub": "001.x.1", "url": "http://127.0.0.1:9/n", "clientId": "com.example.app"])
        expectEqual(answer.status, 200)
        let delivery = try #require(harness.environment.deliveries.first)
        expectEqual(delivery.url, "http://127.0.0.1:9/n")
        try expectEqual(read(delivery, harness).1["sub"], "001.x.1")
    }

    @Test(arguments: [
        ("{}", "notify: give url, or register"),
        ("{\"type\":\"x\"}", "notify: type must be one of"),
        ("{\"url\":\"file:///etc/passwd\"}", "notify: url must be an http or https URL"),
        ("{\"url\":\"http://a@b/\"}", "notify: url must be an http or https URL"),
        (
            "{\"url\":\"http://b/\",\"fault\":\"expired\"}",
            "notify: unknown fault. Notification faults"
        ),
        ("{\"email\":\"x\"}", "notify: email is not a valid"),
        ("[]", "notify: not an object"),
        ("{\"to\":\"x\"}", "notify: unknown member; expected type, email"),
    ])
    func `an invalid notification is not sent`(body: String, words: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.call("POST", "/_idp/apple/notify", body: body)
        expectEqual(answer.status, 400)
        expectEqual(answer.json["message"]?.stringValue?.hasPrefix(words), true, "\(answer.text)")
        #expect(harness.environment.deliveries.isEmpty)
    }

    @Test func `Google has no notifications`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        try expectEqual(harness.call("POST", "/_idp/google/notify").status, 404)
    }
}
