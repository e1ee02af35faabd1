import BaseTestSupport

/// `PASSKEY_*`, and what follows from `ISSUER` without them.
@Suite("Settings of passkeys") struct PasskeySettingsTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private func problems(
        _ settings: [String: String], of function: String = "passkey-options"
    ) -> [String] {
        deployment.problems(settings.merging(["STORE": "memory:"]) { $1 }, of: function)
    }

    /// The RP ID that a function puts into its options.
    private func id(_ settings: [String: String]) throws -> String? {
        let handler = try deployment.handler(
            settings.merging(["STORE": "memory:"]) { $1 }, of: "passkey-options")
        let reply = deployment.post(handler, "/auth/passkeys/options", #"{"purpose":"signIn"}"#)
        guard case .json(let body)? = reply?.body else { return nil }
        return body["options"]?["rpId"]?.stringValue
    }

    // MARK: The RP ID

    static let issuers: [(String, String?)] = [
        ("https://auth.example.com", "auth.example.com"),
        ("https://auth.example.com:8443/tenant", "auth.example.com"),
        ("http://localhost:8000", "localhost"), ("http://127.0.0.1:8000", "localhost"),
        ("http://[::1]:8000", "localhost"), ("https://192.0.2.1", nil),
        ("https://[2001:db8::1]:8443", nil),
    ]

    @Test(arguments: issuers) func `the RP ID is the host of the issuer`(
        issuer: String, expected: String?
    ) throws {
        guard let expected else {
            expectEqual(
                problems(["ISSUER": issuer]),
                ["PASSKEY_RP_ID is required, because the host of ISSUER is not a domain"])
            return
        }
        try expectEqual(id(["ISSUER": issuer]), expected)
    }

    @Test func `the setting overrides the RP ID`() throws {
        try expectEqual(
            id(["ISSUER": "https://192.0.2.1", "PASSKEY_RP_ID": "example.com"]), "example.com")
        try expectEqual(id(["PASSKEY_RP_ID": ""]), "localhost")
    }

    static let wrongIDs = [
        "https://example.com", "Example.com", "example.com.", "192.0.2.1", "example.com:443",
        "*.example.com", "exämple.com", "s3cr3t/",
    ]

    @Test(arguments: wrongIDs) func `an RP ID that is not a domain is refused`(id: String) {
        expectEqual(
            problems(["PASSKEY_RP_ID": id]),
            ["PASSKEY_RP_ID must be a domain in lower case, such as example.com or localhost"])
    }

    // MARK: Origins

    static let origins: [(String, Bool)] = [
        ("https://example.com", true), ("https://example.com, https://app.example.org", true),
        ("http://localhost:5173", true),
        ("android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", true),
        ("", true), ("example.com", false), ("http://example.com", false),
        ("https://example.com/", false), ("https://*.example.com", false),
        ("https://EXAMPLE.com", false), ("android:apk-key-hash:AAAA", false),
        ("https://example.com,https://example.com", false), (",", false),
    ]

    @Test(arguments: origins) func `origins must match exactly`(origins: String, isGood: Bool) {
        let problems = problems(["PASSKEY_ORIGINS": origins])
        expectEqual(problems.isEmpty, isGood)
        #expect(problems.allSatisfy { $0.hasPrefix("PASSKEY_ORIGINS must be origins such as") })
    }

    // MARK: Apps

    private static let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")

    @Test func `an app ID of another form is refused`() {
        for app in ["com.example.app", "abcde12345.com.example", "ABCDE12345", "s3cr3t"] {
            expectEqual(
                problems(["PASSKEY_APPLE_APPS": app]),
                [
                    "PASSKEY_APPLE_APPS must be TEAMID.bundle.id, such as "
                        + "ABCDE12345.com.example.app, separated by commas"
                ])
        }
        for app in [
            "com.example.app", "com.example.app=AB:CD", "example=\(Self.fingerprint)",
            "com.example.app=\(Self.fingerprint)=", "=\(Self.fingerprint)",
        ] {
            let problems = problems(["PASSKEY_ANDROID_APPS": app])
            expectEqual(problems.count, 1)
            #expect(problems[0].hasPrefix("PASSKEY_ANDROID_APPS must be PACKAGE=SHA256"))
        }
    }

    // MARK: Providers

    @Test func `names of providers come from a file`() throws {
        let good = try deployment.write(
            "good.json", #"{"ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4": {"name": "Google"}}"#)
        expectEqual(problems(["PASSKEY_PROVIDERS_FILE": good]), [])
        let bad = try deployment.write("bad.json", #"{"s3cr3t": "Google"}"#)
        expectEqual(
            problems(["PASSKEY_PROVIDERS_FILE": bad]),
            ["PASSKEY_PROVIDERS_FILE must be a JSON object of AAGUIDs and names"])
        expectEqual(
            problems(["PASSKEY_PROVIDERS_FILE": "/nowhere/x"]),
            ["PASSKEY_PROVIDERS_FILE: /nowhere/x cannot be read: No such file or directory"])
    }

    // MARK: Functions

    @Test func `all wrong values are reported at once, but not shown`() {
        let problems = problems([
            "PASSKEY_RP_ID": "S3CR3T", "PASSKEY_ORIGINS": "s3cr3t", "PASSKEY_APPLE_APPS": "s3cr3t",
            "PASSKEY_ANDROID_APPS": "s3cr3t", "PASSKEY_PROVIDERS_FILE": "s3cr3t",
        ])
        for name in ["RP_ID", "ORIGINS", "APPLE_APPS", "ANDROID_APPS", "PROVIDERS_FILE"] {
            #expect(problems.contains { $0.contains("PASSKEY_\(name)") }, "\(name)")
        }
        #expect(!problems.contains { $0.lowercased().contains("s3cr3t") })
    }

    @Test func `functions without passkeys do not read the settings`() {
        expectEqual(problems(["PASSKEY_RP_ID": "S3CR3T"], of: "refresh"), [])
    }

    /// Users of authenticator apps sign in where there are no passkeys.
    @Test func `the second factor needs no domain`() {
        let settings = [
            "ISSUER": "https://192.0.2.1", "MAIL_URL": "ses", "MAIL_FROM": "a@example.com",
            "AWS_REGION": "eu-central-1",
        ]
        expectEqual(problems(settings, of: "second-factor"), [])
        let wrong = settings.merging(["PASSKEY_RP_ID": "S3CR3T"]) { $1 }
        expectEqual(problems(wrong, of: "second-factor").count, 1)
    }

    @Test func `the function for the well-known documents needs no master key`() throws {
        let settings = [
            "STORE": "dynamodb:latchkey", "AWS_REGION": "eu-central-1",
            "ISSUER": "https://auth.example.com",
        ]
        expectEqual(deployment.problems(settings, of: "passkey-documents"), [])
        let needed = deployment.problems(settings, of: "passkey-options")
        #expect(needed.count == 1 && needed[0].hasPrefix("MASTER_KEY is required"))
    }
}
