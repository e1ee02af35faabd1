import BaseTestSupport
import EmulatorReplay
import Foundation

/// Expectations that match too much would hide changes.
@Suite("Expectation") struct ExpectationTests {
    private static let shapes = PlaceholderShapes([
        ("refreshToken", .pattern("v1.<nonce>")),
        (
            "accessToken",
            .token(
                header: ["alg": "ES256"],
                claims: ["aud": "app", "iat": "<epochSeconds>", "exp": "<epochSeconds>"],
                lifetimeSeconds: 900)
        ),
    ])
    private static func token(_ header: JSON, _ claims: JSON, _ signature: String = "AA") -> String
    {
        "\(Base64URL.encode(header.serialized)).\(Base64URL.encode(claims.serialized)).\(signature)"
    }
    private static let good: JSON = ["aud": "app", "iat": 1_700_000_000, "exp": 1_700_000_900]
    private static let bits = Base64URL.encode([UInt8](repeating: 7, count: 32))

    private static let fitting: [(placeholder: String, text: String)] = [
        ("uuid", "3f2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0d"), ("instant", "2026-01-06T12:00:00.000Z"),
        ("instantSeconds", "2026-01-06T12:00:00Z"), ("retrySeconds", "61"), ("nonce", bits),
        ("kid", bits), ("coordinate", bits), ("base64url", "AA"), ("text", "x"),
        ("refreshToken", "v1." + bits), ("accessToken", token(["alg": "ES256"], good)),
        ("jwt", "e30.e30.AA"),
    ]

    @Test(arguments: fitting)
    func `a placeholder matches values of its shape`(_ placeholder: String, _ text: String) {
        expectEqual(differences("<\(placeholder)>", .string(text)), [])
        expectEqual(differences("a/<\(placeholder)>/z", .string("a/\(text)/z")), [])
    }

    private static let misfits: [(placeholder: String, text: String)] = [
        ("uuid", ""), ("uuid", "3F2B8C1E-9A4D-4C7B-8E21-5D6F7A8B9C0D"),
        ("uuid", "3f2b8c1e-9a4d-1c7b-8e21-5d6f7a8b9c0d"),
        ("uuid", "3f2b8c1e-9a4d-4c7b-ce21-5d6f7a8b9c0d"),
        ("uuid", "3f2b8c1e9a4d4c7b8e215d6f7a8b9c0d"),
        ("instant", "2026-01-06T12:00:00Z"), ("instant", "2026-02-31T12:00:00.000Z"),
        ("instant", "2026-01-06T12:00:00+00:00"), ("instantSeconds", "2026-01-06T12:00:00.000Z"),
        ("instantSeconds", "2026-01-06 12:00:00Z"), ("retrySeconds", "0"), ("retrySeconds", "62"),
        ("retrySeconds", "01"), ("retrySeconds", "-1"), ("nonce", "AAAA"), ("nonce", bits + "="),
        ("kid", "!" + bits.dropFirst()), ("coordinate", ""), ("base64url", ""), ("base64url", "A"),
        ("text", ""), ("refreshToken", bits), ("refreshToken", "v2." + bits),
        ("refreshToken", "v1." + bits + "A"), ("accessToken", "e30.e30.AA"),
        ("accessToken", token(["alg": "none"], good)),
        ("accessToken", token(["alg": "ES256"], good, "")),
        (
            "accessToken",
            token(["alg": "ES256"], ["aud": "app", "iat": 1_700_000_000, "exp": 1_700_000_901])
        ), ("jwt", "e30.e30."),
        ("jwt", "e30.W10.AA"), ("jwt", "e30.e30"), ("epochSeconds", "1700000000"),
        ("integer", "1"),
    ]

    @Test(arguments: misfits)
    func `a placeholder does not match other values`(_ placeholder: String, _ text: String) {
        expectEqual(differences("<\(placeholder)>", .string(text)).count, 1)
    }

    @Test(arguments: [
        ("epochSeconds", "1700000000", true), ("epochMilliseconds", "1700000000000", true),
        ("epochSeconds", "0", false), ("epochSeconds", "1.7e9", false), ("integer", "0", true),
        ("integer", "-1", false), ("integer", "1.0", false), ("text", "1", false),
    ])
    func `a numeric placeholder matches only numbers`(
        _ placeholder: String, _ literal: String, _ fits: Bool
    ) throws {
        let number = try #require(JSONNumber(literal: literal))
        expectEqual(differences("<\(placeholder)>", .number(number)).isEmpty, fits)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":1}"#, "{}"),
        ("{}", #"{"a":null}"#), ("[1]", "[1,1]"), ("[1]", #"{"0":1}"#), (#""a""#, #""b""#),
        (#""<unheard>""#, #""<unheard>""#),
        (#"{"statusCode":200,"body":{"a":1}}"#, #"{"statusCode":200,"body":"{\"a\": 1}"}"#),
        (#"{"statusCode":200,"body":{"a":1}}"#, #"{"statusCode":200,"body":"nonsense"}"#),
        (#"{"statusCode":200,"body":""}"#, #"{"statusCode":200,"body":"{}"}"#),
        ("null", "false"), ("1", "1.0"),
    ])
    func `differences are reported`(_ pattern: String, _ answer: String) throws {
        #expect(!differences(try json(pattern), try json(answer)).isEmpty)
    }

    @Test func `a body is compared as a tree, in any order of members`() throws {
        let pattern = try json(#"{"statusCode":200,"body":{"b":"<integer>","a":["<uuid>x"]}}"#)
        let answer = try json(
            #"{"body":"{\"a\":[\"3f2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0dx\"],\"b\":7}","statusCode":200}"#
        )
        expectEqual(differences(pattern, answer), [])
    }

    @Test func `a named value of the fixture matches only that value`() {
        let expectation = Expectation("users/<me>/", shapes: Self.shapes) { name in
            name == "me" ? "u-1" : nil
        }
        expectEqual(expectation.differences(from: "users/u-1/"), [])
        expectEqual(expectation.differences(from: "users/u-10/").count, 1)
    }

    @Test func `a recorded expectation matches its own response`() throws {
        let answer = try json(
            #"{"statusCode":200,"headers":{"retry-after":"7"},"body":"{\"at\":1700000000,\"id\":\"3f2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0d\"}"}"#
        )
        let pattern = Expectation.recorded(answer, shapes: Self.shapes, names: [])
        expectEqual(pattern["body"]?["at"], "<epochSeconds>")
        expectEqual(pattern["headers"]?["retry-after"], "<retrySeconds>")
        expectEqual(differences(pattern, answer), [])
        try expectEqual(json(pattern.pretty), pattern)
    }

    @Test func `the wording of a page is not recorded`() throws {
        let page = #"{"statusCode":200,"body":"<!DOCTYPE html>\n<title>Sign in</title>"}"#
        let pattern = Expectation.recorded(try json(page), shapes: Self.shapes, names: [])
        expectEqual(pattern, ["statusCode": 200, "body": "<text>"])
        let other = Expectation(["statusCode": 200, "body": "…"], shapes: Self.shapes) { _ in nil }
        let changed = other.updated(try json(page), shapes: Self.shapes, names: [])
        expectEqual(changed["body"], "<text>")
    }

    @Test func `an unknown placeholder is an error`() {
        #expect(throws: FixtureFailure.unknownPlaceholder("nobody")) {
            try Placeholder.fill("x<nobody>y") { _ throws(FixtureFailure) in nil }
        }
        expectEqual(
            Placeholder.pieces(of: "a<b>c<d e><f"),
            [
                .text("a"), .placeholder("b"), .text("c<d e><f"),
            ])
    }

    @Test(arguments: [
        #"{"contracts":"latchkey"}"#, #"{"exit":"1"}"#, #"{"steps":{}}"#,
        #"{"steps":[{"runs":"x"}]}"#,
        #"{"idTokens":{"a":{"provider":"myspace"}}}"#,
        #"{"idTokens":{"a":{"provider":"apple","fault":"rusty"}}}"#, #"{"values":{"a":1}}"#,
        #"{"steps":[{"run":"x","clock":"2h"}]}"#, #"{"sts":{"answer":"maybe"}}"#, "[]",
        #"{"steps":[{"run":"x","times":0}]}"#,
    ])
    func `an invalid setup is an error`(_ text: String) throws {
        let given = try json(text)
        #expect(throws: FixtureFailure.self) { try FixtureSetup(given) }
    }

    @Test func `a file without an event is reported`() throws {
        let folder = try TemporaryFolder()
        let root = folder.file("Events")
        for path in ["me", "you"] {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(path)", withIntermediateDirectories: true)
        }
        let names = [
            "README.md", "me/good.json", "me/good.response.json", "me/good.given.json",
            "me/lost.response.json", "me/lone.given.json", "me/good.other.json", "me/good.txt",
            "me/Good.json", "me/.json", "notes.md",
        ]
        for name in names { try folder.write([], to: "Events/\(name)") }
        let catalog = Fixture.Catalog(root: root)
        expectEqual(catalog.fixtures.map(\.name), ["me/good"])
        expectEqual(
            Set(catalog.strays),
            [
                "me/lost.response.json", "me/lone.given.json", "me/good.other.json", "me/good.txt",
                "me/Good.json", "me/.json", "notes.md", "you",
            ])
    }

    private func json(_ text: String) throws -> JSON { try JSON.parse(text, limits: .event) }

    private func differences(_ pattern: JSON, _ answer: JSON) -> [String] {
        Expectation(pattern, shapes: Self.shapes).differences(from: answer)
    }

    private func differences(_ pattern: String, _ answer: JSON) -> [String] {
        differences(.string(pattern), answer)
    }
}
