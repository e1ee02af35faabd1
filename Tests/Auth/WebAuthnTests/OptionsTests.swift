import WebAuthn

@Suite("Options")
struct OptionsTests {
    private let relyingParty: RelyingParty
    private let challenge: Challenge
    private let passkey: CredentialDescriptor

    init() throws {
        relyingParty = RelyingParty(
            id: try #require(RelyingPartyID(parsing: "example.org")), name: "Example",
            origins: try OriginList(parsing: "https://example.org"))
        challenge = try #require(Challenge(Array(0..<32)))
        passkey = CredentialDescriptor(
            id: try #require(CredentialID([0xFB, 0xFF])), transports: ["internal", "hybrid"])
    }

    private var user: CredentialUser {
        get throws {
            CredentialUser(
                handle: try #require(UserHandle([1, 2, 3])), name: "a@example.org",
                displayName: "A")
        }
    }

    @Test func `the options to create a credential have all members`() throws {
        var options = CreationOptions(
            relyingParty: relyingParty, user: try user, challenge: challenge)
        options.timeout = .milliseconds(90_500)
        options.excluded = [passkey, CredentialDescriptor(id: passkey.id, transports: [])]
        options.residentKey = .preferred
        options.userVerification = .required
        options.attachment = .crossPlatform
        options.hints = [.securityKey, .clientDevice, .hybrid]
        let json = options.json
        expectEqual(json["timeout"], 90500)
        expectEqual(
            json["excludeCredentials"],
            [
                ["type": "public-key", "id": "-_8", "transports": ["internal", "hybrid"]],
                ["type": "public-key", "id": "-_8"],
            ])
        expectEqual(
            json["authenticatorSelection"],
            [
                "residentKey": "preferred", "requireResidentKey": false,
                "userVerification": "required", "authenticatorAttachment": "cross-platform",
            ])
        expectEqual(json["hints"], ["security-key", "client-device", "hybrid"])
    }

    @Test func `the options to ask for an assertion have all members`() {
        var options = RequestOptions(relyingParty: relyingParty, challenge: challenge)
        let expected = """
            {"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","rpId":"example.org",\
            "allowCredentials":[],"userVerification":"preferred","timeout":300000}
            """
        expectEqual(String(decoding: options.json.serialized, as: UTF8.self), expected)
        options.allowed = [passkey]
        options.userVerification = .required
        options.hints = [.clientDevice]
        expectEqual(
            options.json["allowCredentials"],
            [["type": "public-key", "id": "-_8", "transports": ["internal", "hybrid"]]])
        expectEqual(options.json["userVerification"], "required")
        expectEqual(options.json["hints"], ["client-device"])
    }

    @Test func `challenges are random, and at least 16 bytes long`() {
        let random = RandomSource.seeded(1)
        let first = Challenge.generate(random: random)
        expectEqual(first.bytes.count, 32)
        #expect(first != Challenge.generate(random: random))
        expectEqual(Challenge(first.bytes), first)
        for count in [0, 15, 129] {
            expectEqual(Challenge([UInt8](repeating: 1, count: count)), nil)
        }
        for count in [16, 128] { #expect(Challenge([UInt8](repeating: 1, count: count)) != nil) }
    }

    @Test func `credential IDs and user handles have their length limits`() {
        for (count, isID, isHandle) in [
            (0, false, false), (1, true, true), (64, true, true), (65, true, false),
            (1023, true, false), (1024, false, false),
        ] {
            let bytes = [UInt8](repeating: 1, count: count)
            expectEqual(CredentialID(bytes) != nil, isID)
            expectEqual(UserHandle(bytes) != nil, isHandle)
        }
    }
}

@Suite("Well-known documents")
struct WellKnownDocumentTests {
    private static let fingerprint =
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F"
        + ":CF:44:E5"

    private func documents(
        origins: String, android: [AndroidApp] = [], apple: [AppleApp] = []
    ) throws -> WellKnownDocuments {
        WellKnownDocuments(
            relyingParty: RelyingParty(
                id: try #require(RelyingPartyID(parsing: "example.com")), name: "Example",
                origins: try OriginList(parsing: origins)),
            androidApps: android, appleApps: apple)
    }

    @Test func `related origins are the web origins on other domains`() throws {
        let documents = try documents(
            origins: """
                https://example.com https://app.example.com https://example.co.uk
                https://badexample.com https://example.com.example android:apk-key-hash:\
                \(Base64URL.encode([UInt8](repeating: 1, count: 32))) https://example.de:8443
                """)
        expectEqual(
            documents.relatedOrigins,
            [
                "origins": [
                    "https://example.co.uk", "https://badexample.com",
                    "https://example.com.example", "https://example.de:8443",
                ]
            ])
    }

    @Test func `Android apps share the site's credentials`() throws {
        let fingerprint = try #require(CertificateFingerprint(parsing: Self.fingerprint))
        let app = try #require(
            AndroidApp(packageName: "com.example.app_1", fingerprints: [fingerprint]))
        let documents = try documents(origins: "https://example.com", android: [app])
        expectEqual(
            documents.assetLinks,
            [
                [
                    "relation": [
                        "delegate_permission/common.handle_all_urls",
                        "delegate_permission/common.get_login_creds",
                    ],
                    "target": [
                        "namespace": "android_app", "package_name": "com.example.app_1",
                        "sha256_cert_fingerprints": [.string(Self.fingerprint)],
                    ],
                ]
            ])
        expectEqual(
            app.origins.map(\.text),
            ["android:apk-key-hash:FG3pg8VzBlDY7rmVLzT8ZBagg0LmHb6oigSWsj_PROU"])
        try expectEqual(Origin(parsing: app.origins[0].text), app.origins[0])
    }

    @Test(arguments: [
        "", "com.example", "ABCDE1234.com.example", "abcde12345.com.example", "ABCDE12345.",
        "ABCDE12345.com.example/x", "ABCDE12345.*\"", "ABCDE12345",
    ])
    func `an identifier that is not Apple's is refused`(text: String) {
        expectEqual(AppleApp(parsing: text), nil)
    }

    @Test(arguments: ["", "app", "com.", ".com", "com..app", "1com.app", "com.app-1", "com.\u{FC}"])
    func `a name that is not Android's is refused`(name: String) throws {
        let fingerprint = try #require(CertificateFingerprint(parsing: Self.fingerprint))
        expectEqual(AndroidApp(packageName: name, fingerprints: [fingerprint]), nil)
        expectEqual(AndroidApp(packageName: "com.example", fingerprints: []), nil)
    }

    @Test func `a fingerprint is 32 bytes with colons`() {
        let text = Self.fingerprint
        expectEqual(CertificateFingerprint(parsing: text)?.text, text)
        expectEqual(CertificateFingerprint(parsing: text.lowercased())?.text, text)
        for other in [
            "", String(text.dropLast(3)), text + ":00", text.replacing(":", with: ""),
            text.replacing(":", with: "-"), text.replacing("6D", with: "6G"),
            String(text.dropLast()),
        ] { expectEqual(CertificateFingerprint(parsing: other), nil) }
    }
}
