/// The same for both ceremonies: each case runs as a registration and as an assertion.
@Suite("Client data")
struct ClientDataTests {
    private typealias Case = EditCase<JSONObject, ClientDataFailure>

    private static let members: [Case] = [
        Case("unchanged", nil) { _ in },
        Case("without type", .malformed) { $0["type"] = nil },
        Case("type null", .malformed) { $0["type"] = .null },
        Case("type as a number", .malformed) { $0["type"] = 1 },
        Case("type empty", .wrongType) { $0["type"] = "" },
        Case("type of neither ceremony", .wrongType) { $0["type"] = "webauthn.other" },
        Case("type in upper case", .wrongType) { $0["type"] = "WEBAUTHN.CREATE" },
        Case("type with a blank", .wrongType) {
            $0["type"] = .string(($0["type"]?.stringValue ?? "") + " ")
        },
        Case("type of secure payment confirmation", .wrongType) { $0["type"] = "payment.get" },
        Case("without challenge", .malformed) { $0["challenge"] = nil },
        Case("challenge as an array", .malformed) { $0["challenge"] = [1, 2] },
        Case("challenge empty", .wrongChallenge) { $0["challenge"] = "" },
        Case("challenge with padding", .wrongChallenge) {
            $0["challenge"] = .string(($0["challenge"]?.stringValue ?? "") + "=")
        },
        Case("challenge truncated", .wrongChallenge) {
            $0["challenge"] = .string(String(($0["challenge"]?.stringValue ?? "").dropLast()))
        },
        Case("challenge in standard base64", .wrongChallenge) {
            let text = $0["challenge"]?.stringValue ?? ""
            $0["challenge"] = .string(
                text.replacing("-", with: "+").replacing("_", with: "/") + "=")
        },
        Case("challenge in hexadecimal", .wrongChallenge) {
            let bytes = Base64URL.decode($0["challenge"]?.stringValue ?? "") ?? []
            $0["challenge"] = .string(Hex.encode(bytes))
        },
        Case("another challenge", .wrongChallenge) {
            $0["challenge"] = .string(Challenge.generate(random: .seeded(99)).text)
        },
        Case("without origin", .malformed) { $0["origin"] = nil },
        Case("origin as an object", .malformed) { $0["origin"] = [:] },
        Case("origin empty", .wrongOrigin) { $0["origin"] = "" },
        Case("origin null as text", .wrongOrigin) { $0["origin"] = "null" },
        Case("crossOrigin as text", .malformed) { $0["crossOrigin"] = "false" },
        Case("crossOrigin null", .malformed) { $0["crossOrigin"] = .null },
        Case("without crossOrigin", nil) { $0["crossOrigin"] = nil },
        Case("in a frame", .crossOrigin) { $0["crossOrigin"] = true },
        Case("in a frame of a named page", .crossOrigin) {
            $0["crossOrigin"] = true
            $0["topOrigin"] = "https://example.com"
        },
        Case("topOrigin without crossOrigin", .crossOrigin) {
            $0["topOrigin"] = "https://example.com"
        },
        Case("topOrigin as a number", .malformed) { $0["topOrigin"] = 1 },
        Case("tokenBinding, which is reserved", nil) {
            $0["tokenBinding"] = ["status": "present", "id": "AAAA"]
        },
        Case("an unknown member", nil) {
            $0["other_keys_can_be_added_here"] = "do not compare clientDataJSON against a template"
        },
        Case("the package name of an Android app", nil) {
            $0["androidPackageName"] = "com.example"
        },
        Case("members in another order", nil) {
            $0 = JSONObject($0.members.reversed().map { ($0.name, $0.value) })
        },
    ]

    @Test(arguments: members)
    private func `members are verified`(test: Case) throws {
        let fixture = try Fixture()
        try expectEqual(
            fixture.registrationFailure { try test.edit(&$0.clientData) },
            test.verdict.map { .clientData($0) })
        try expectEqual(
            fixture.assertionFailure { try test.edit(&$0.clientData) },
            test.verdict.map { .clientData($0) })
    }

    @Test func `type and challenge must match the ceremony`() throws {
        let fixture = try Fixture()
        let (created, requested) = (fixture.created.text, fixture.requested.text)
        let foreign: [(String, String, String, ClientDataFailure)] = [
            ("type", "webauthn.create", "webauthn.get", .wrongType),
            ("challenge", created, requested, .wrongChallenge),
        ]
        for (member, registration, assertion, failure) in foreign {
            try expectEqual(
                fixture.registrationFailure { $0.clientData[member] = .string(assertion) },
                .clientData(failure))
            try expectEqual(
                fixture.assertionFailure { $0.clientData[member] = .string(registration) },
                .clientData(failure))
        }
    }

    /// Each is a document in which `members` stands for the right members.
    private static let documents: [(String, @Sendable ([UInt8]) -> [UInt8], Bool)] = [
        ("with a byte order mark", { [0xEF, 0xBB, 0xBF] + $0 }, true),
        ("with two byte order marks", { [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + $0 }, false),
        ("between blanks", { [0x20, 0x0A] + $0 + [0x0D, 0x0A] }, true),
        ("in UTF-16", { $0.flatMap { [0, $0] } }, false),
        ("empty", { _ in [] }, false),
        ("truncated", { Array($0.dropLast()) }, false),
        ("followed by another document", { $0 + $0 }, false),
        ("in an array", { [0x5B] + $0 + [0x5D] }, false),
        ("with a trailing comma", { $0.dropLast() + Array(",}".utf8) }, false),
        ("with a comment", { $0 + Array("/**/".utf8) }, false),
        (
            "with a byte that is not UTF-8",
            { $0.dropLast() + Array(#","x":""#.utf8) + [0xFF, 0x22, 0x7D] }, false
        ),
        ("with a type twice", { $0.dropLast() + Array(#","type":"webauthn.get"}"#.utf8) }, false),
        (
            "with an escaped name twice",
            { $0.dropLast() + Array(#","\u006frigin":"https://example.org"}"#.utf8) }, false
        ),
        ("with a lone surrogate", { $0.dropLast() + Array(#","x":"\ud800"}"#.utf8) }, false),
    ]

    @Test(arguments: documents.indices)
    func `the document is strict JSON in UTF-8`(index: Int) throws {
        let (name, edit, isAccepted) = Self.documents[index]
        let fixture = try Fixture()
        try expectEqual(
            fixture.registrationFailure {
                $0.clientDataBytes = edit($0.clientData.serialized)
            }, isAccepted ? nil : .clientData(.malformed), "\(name)")
        try expectEqual(
            fixture.assertionFailure { $0.clientDataBytes = edit($0.clientData.serialized) },
            isAccepted ? nil : .clientData(.malformed), "\(name)")
    }

    @Test func `escaped and plain values are equivalent`() throws {
        let fixture = try Fixture()
        let failure = try fixture.assertionFailure {
            let text = String(decoding: $0.clientData.serialized, as: UTF8.self)
            $0.clientDataBytes = Array(
                text.replacing("https://example.org", with: #"https:\/\/\u0065xample.org"#).utf8)
        }
        expectEqual(failure, nil)
    }

    @Test func `the size is limited`() throws {
        let fixture = try Fixture()
        func pad(_ object: inout JSONObject, to count: Int) {
            object["pad"] = ""
            let missing = count - object.serialized.count
            object["pad"] = .string(String(repeating: "x", count: missing))
        }
        try expectEqual(
            fixture.registrationFailure { pad(&$0.clientData, to: ClientData.bytesMax) }, nil)
        try expectEqual(
            fixture.registrationFailure { pad(&$0.clientData, to: ClientData.bytesMax + 1) },
            .clientData(.tooLarge))
    }

    @Test func `every origin of the list is accepted, and no other`() throws {
        let fixture = try Fixture()
        for (origin, isAccepted) in [
            ("https://example.org", true), ("https://app.example.org:8443", true),
            ("https://app.example.org", false), ("https://example.org:8443", false),
        ] {
            let failure = try fixture.assertionFailure { $0.clientData["origin"] = .string(origin) }
            expectEqual(failure, isAccepted ? nil : .clientData(.wrongOrigin), "\(origin)")
        }
    }

    @Test func `a frame is accepted only in allowed pages`() throws {
        var fixture = try Fixture()
        let pages = try OriginList(parsing: "https://partner.example")
        for (acceptsUnnamed, unnamed) in [(false, ClientDataFailure.wrongTopOrigin), (true, nil)] {
            fixture.relyingParty = RelyingParty(
                id: fixture.relyingParty.id, name: "Example", origins: fixture.relyingParty.origins,
                embedding: .allowed(topOrigins: pages, acceptsUnnamed: acceptsUnnamed))
            for (topOrigin, verdict) in [
                ("https://partner.example", ClientDataFailure?.none),
                ("https://other.example", .wrongTopOrigin),
                ("https://partner.example.evil.example", .wrongTopOrigin),
                ("https://example.org", .wrongTopOrigin), ("", .wrongTopOrigin),
            ] {
                let failure = try fixture.assertionFailure {
                    $0.clientData["crossOrigin"] = true
                    $0.clientData["topOrigin"] = .string(topOrigin)
                }
                expectEqual(failure, verdict.map { .clientData($0) }, "\(topOrigin)")
            }
            let failure = try fixture.assertionFailure { $0.clientData["crossOrigin"] = true }
            expectEqual(failure, unnamed.map { .clientData($0) })
            try expectEqual(fixture.assertionFailure { _ in }, nil)
        }
    }
}
