import BaseTestSupport
import Foundation

/// `/_emulator/tokens/explain` and `emulator explain`, with the emulated identity providers. Tokens
/// of the app are in `Tests/System/TemplateTests/SessionBrowsingTests.swift`.
@Suite("Explained tokens", .serialized, .hangLimit)
struct ExplainTests {
    /// The first check that fails; nil if the token is valid. A fault without a row fails the test.
    private static let faults: [String: String?] = [
        "unknown-kid": "kid", "missing-kid": "kid", "wrong-key": "signature",
        "own-key-in-header": "signature", "previous-key": nil, "alg-none": "alg",
        "hs256-with-public-key": "alg", "es256-with-wrong-key": "alg",
        "changed-payload": "signature", "changed-signature": "signature",
        "missing-signature": "signature", "crit-header": "crit", "b64-header": "crit",
        "wrong-type": "typ", "padded": "base64url", "oversized": "size",
        "duplicate-member": "json", "not-json": "json", "five-parts": "parts",
        "expired": "exp", "not-yet-valid": "nbf", "issued-in-future": "iat", "too-old": "iat",
        "missing-expiry": "exp", "expiry-as-text": "exp", "wrong-issuer": "iss",
        "wrong-audience": "aud", "wrong-azp": "azp", "several-audiences": "aud",
        "missing-audience": "aud", "wrong-nonce": "nonce", "missing-nonce": "nonce",
        "missing-subject": "sub", "missing-email": "email", "email-verified-true": nil,
        "email-verified-text-true": nil, "email-verified-false": "email_verified",
        "email-verified-text-false": "email_verified",
        "email-verified-missing": "email_verified",
    ]

    private let folder: TemporaryFolder
    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    /// Includes issuers with the other algorithms, one of them without a registered client.
    init() throws {
        folder = try TemporaryFolder()
        let issuers: JSON = [
            "acme": ["algorithm": "ES256", "clients": [["id": "acme-app"]]],
            "other": ["algorithm": "EdDSA"],
        ]
        let template: JSON = [
            "Transform": "AWS::Serverless-2016-10-31",
            "Metadata": ["Emulator": ["Identity": ["issuers": issuers]]],
            "Resources": ["Items": JSONObject.table("items")],
        ]
        try folder.write(template.serialized, to: "template.json")
        emulator = try EmulatorProcess(template: folder.file("template.json"))
        caller = EmulatorClient(emulator)
    }

    private func mint(_ provider: String, _ more: JSONObject = [:]) throws -> String {
        let answer = try caller.app(.post, "/_idp/\(provider)/mint", JSON.object(more).text)
        return try #require(answer.json?["idToken"]?.stringValue, "\(answer.text)")
    }

    private func explain(_ token: String, _ more: JSONObject = [:]) throws -> JSON {
        var body = more
        body["token"] = .string(token)
        let answer = try caller.app(.post, "/_emulator/tokens/explain", JSON.object(body).text)
        expectEqual(answer.status, 200, "\(answer.text)")
        return try #require(answer.json)
    }

    private func check(_ name: String, in verdict: JSON) -> JSON? {
        verdict["checks"]?.arrayValue?.first { $0["check"] == .string(name) }
    }

    private func run(_ words: [String], input: String = "") throws -> ProcessResult {
        var command = EmulatorProcess.command(["explain"] + words + ["--url", emulator.appURL])
        command.input = .bytes(Array(input.utf8))
        return try ChildProcess.run(command)
    }

    // MARK: Faults

    @Test(arguments: ["apple", "google", "acme", "other"])
    func `each fault of a token fails the check that belongs to it first`(provider: String) throws {
        let list = try caller.app(.get, "/_idp/\(provider)/faults").json?["token"]?.arrayValue
        let names = try #require(list).compactMap { $0["name"]?.stringValue }
        expectEqual(Set(names), Set(Self.faults.keys))
        for name in names {
            let token = try mint(provider, ["nonce": "n-1", "fault": .string(name)])
            let verdict = try explain(token, ["nonce": "n-1"])
            var expected = Self.faults[name] ?? nil
            // For this issuer the algorithm is right, but the key is wrong.
            if provider == "acme", name == "es256-with-wrong-key" { expected = "signature" }
            expectEqual(verdict["firstFailure"]?.stringValue, expected, "\(name)")
            expectEqual(verdict["verdict"], expected == nil ? "passed" : "failed", "\(name)")
            if let expected {
                let found = try #require(check(expected, in: verdict))
                expectEqual(found["verdict"], "failed")
                expectEqual(found["explanation"], verdict["explanation"])
                expectEqual(found["explanation"]?.stringValue?.hasSuffix("."), true, "\(name)")
            }
            let signature = token.split(separator: ".", omittingEmptySubsequences: false)[2]
            if !signature.isEmpty, name != "five-parts" {
                #expect(!verdict.text.contains(signature), "\(name): the signature is shown")
            }
        }
    }

    @Test func `a valid token passes each check, in order`() throws {
        let verdict = try explain(try mint("google", ["nonce": "n-1"]), ["nonce": "n-1"])
        #expect(verdict["verdict"] == "passed" && verdict["firstFailure"] == nil)
        expectEqual(verdict["token"], "ID token of google")
        let checks = try #require(verdict["checks"]?.arrayValue)
        expectEqual(
            checks.compactMap { $0["check"]?.stringValue },
            [
                "faults", "size", "parts", "base64url", "json", "crit", "alg", "kid", "signature",
                "iss", "aud", "azp", "exp", "nbf", "iat", "auth_time", "nonce", "typ", "sub",
                "email", "email_verified",
            ])
        let skipped = checks.filter { $0["verdict"] != "passed" }
        expectEqual(skipped.map { $0["check"] }, ["nbf", "auth_time"])
        #expect(checks.allSatisfy { $0["explanation"]?.stringValue?.isEmpty == false })
        expectEqual(verdict["claims"]?["email"], "ada@example.com")
    }

    @Test func `an unreadable token skips the other checks`() throws {
        let verdict = try explain(try mint("apple", ["fault": "padded"]))
        let checks = try #require(verdict["checks"]?.arrayValue)
        expectEqual(checks.count, 21)
        expectEqual(checks.count { $0["verdict"] == "skipped" }, 17)
        expectEqual(check("exp", in: verdict)?["explanation"], "The token cannot be read.")
    }

    @Test func `a dropped key and another issuer's key are explained`() throws {
        let token = try mint("apple")
        _ = try caller.app(.put, "/_idp/apple/faults", #"{"name":"rotated-old-dropped"}"#)
        try expectEqual(explain(token)["firstFailure"], "kid")
        let google = try explain(try mint("google"), ["issuer": "apple"])
        expectEqual(google["firstFailure"], "kid")
        expectEqual(
            google["explanation"], "The key is in the key set of google, not in the issuer's.")
    }

    @Test func `algorithms that need no private key are reported`() throws {
        let none = try explain(try mint("apple", ["fault": "alg-none"]))
        expectEqual(none["explanation"]?.stringValue?.contains("without a signature"), true)
        for provider in ["apple", "acme", "other"] {
            let confused = try explain(try mint(provider, ["fault": "hs256-with-public-key"]))
            let explanation = confused["explanation"]?.stringValue
            expectEqual(explanation?.contains("is the issuer's public key"), true, "\(provider)")
            // The claims are checked nevertheless.
            expectEqual(check("exp", in: confused)?["verdict"], "passed")
        }
        let own = try explain(try mint("apple", ["fault": "own-key-in-header"]))
        expectEqual(own["explanation"]?.stringValue?.contains("(jwk)"), true)
    }

    // MARK: Expected values

    @Test func `a nonce may be hashed`() throws {
        let hash = SHA256.hash(utf8: "n-1")
        for (value, form) in [
            ("n-1", "as it is"), (Hex.encode(hash), "hexadecimal"),
            (Base64URL.encode(hash), "base64url"),
        ] {
            let verdict = try explain(
                try mint("apple", ["nonce": .string(value)]), ["nonce": "n-1"])
            expectEqual(verdict["verdict"], "passed", "\(value)")
            let explanation = check("nonce", in: verdict)?["explanation"]?.stringValue
            expectEqual(explanation?.contains(form), true, "\(value)")
        }
        let without = try explain(try mint("apple", ["nonce": "n-1"]))
        expectEqual(check("nonce", in: without)?["verdict"], "skipped")
    }

    @Test func `the request can name the expected audience and issuer`() throws {
        let token = try mint("apple", ["audience": "com.example.mine"])
        try expectEqual(explain(token)["firstFailure"], "aud")
        for audience: JSON in ["com.example.mine", ["com.example.app", "com.example.mine"]] {
            try expectEqual(explain(token, ["audience": audience])["verdict"], "passed")
        }
        let own: JSON = "com.example.mine"
        let issuer = "\(emulator.appURL)/_idp/apple"
        for name in ["apple", issuer] {
            let verdict = try explain(token, ["audience": own, "issuer": .string(name)])
            expectEqual(verdict["verdict"], "passed")
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"token":1}"#, #"{"token":"x","audience":1}"#,
        #"{"token":"x","nonce":[]}"#, #"{"token":"x","issuer":"https://unknown.example"}"#,
        #"{"token":"x","other":"y"}"#, #"{"token":"x","audience":["a",1]}"#,
    ])
    func `an invalid question is refused`(body: String) throws {
        let answer = try caller.app(.post, "/_emulator/tokens/explain", body)
        expectEqual(answer.status, 400, "\(answer.text)")
        if body.contains("unknown") {
            let message = answer.json?["message"]?.stringValue
            expectEqual(message?.contains("/_idp/other, "), true)
        }
    }

    @Test func `the input is bounded`() throws {
        // A token of 16 KiB is read, a longer one is not.
        let most = String(repeating: "a", count: 16 << 10)
        try expectEqual(explain(most)["firstFailure"], "parts")
        let over = try explain(most + "a")
        expectEqual(over["firstFailure"], "size")
        #expect(over.text.utf8.count < 8 << 10)
        let body = JSON.object(["token": .string(String(repeating: "a", count: 128 << 10))])
        let answer = try caller.app(.post, "/_emulator/tokens/explain", body.text)
        expectEqual(answer.status, 413)
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b.c", "e30.e30.e30", "bnVsbA.bnVsbA.", "lkr_", "lkr_AAAA",
        "lkr_\(String(repeating: "A", count: 80))", "é.é.é", "W10.W10.AAAA",
    ])
    func `an input that is not a token is explained too`(text: String) throws {
        let verdict = try explain(text)
        #expect(["failed", "undecided"].contains(verdict["verdict"]), "\(verdict.text)")
    }

    /// Each claim has a wrong type.
    @Test func `claims of any type are explained`() throws {
        let names = [
            "iss", "aud", "azp", "exp", "nbf", "iat", "auth_time", "nonce", "sub", "email",
            "email_verified",
        ]
        let values: [JSON] = [
            .null, true, -1, 9_223_372_036_854_775_807, "", "x", [], [1], [:],
            .number(try #require(JSONNumber(literal: "1e400"))),
        ]
        for name in names {
            for value in values {
                let own: JSONObject = ["claims": .object([name: value])]
                let verdict = try explain(try mint("google", own), ["nonce": "n"])
                expectEqual(verdict["verdict"], "failed", "\(name) \(value.text)")
            }
        }
    }

    // MARK: Secrecy and the terminal

    @Test func `no part of a token is logged`() throws {
        let token = try mint("apple", ["fault": "wrong-issuer"])
        _ = try explain(token)
        _ = try run(["-"], input: token)
        let parts = token.split(separator: ".").map(String.init)
        let logs = try caller.app(.get, "/_emulator/logs").text
        let invocations = try caller.app(.get, "/_emulator/invocations").text
        for text in [logs, invocations, emulator.log] {
            #expect(parts.allSatisfy { !text.contains($0) })
        }
    }

    @Test func `claims cannot control the terminal`() throws {
        let hostile = "\u{1B}[2J\u{7}\n\u{9B}31m\u{202E}\u{7F}<img src=x onerror=alert(1)>"
        let token = try mint(
            "apple", ["claims": ["nonce": .string(hostile), "iss": .string(hostile)]])
        let verdict = try explain(token, ["nonce": .string(hostile)])
        expectEqual(verdict["claims"]?["nonce"]?.stringValue, hostile)
        expectEqual(check("iss", in: verdict)?["value"]?.stringValue, hostile)
        for flags in [["--json"], [], ["--nonce", hostile]] {
            let result = try run(flags, input: token)
            expectEqual(result.end, .exit(1), "\(result.errorText)")
            #expect(result.text.contains("\\u001b[2J"))
            let unsafe = result.text.unicodeScalars.filter {
                [.control, .format].contains($0.properties.generalCategory) && $0 != "\n"
            }
            #expect(unsafe.isEmpty)
            if flags == ["--json"] {
                let json = try JSON.parse(result.output, limits: .event)
                expectEqual(json["claims"], verdict["claims"])
            }
        }
    }

    @Test func `the command prints a table and sets the exit status`() throws {
        let good = try mint("google", ["nonce": "n-1"])
        let passed = try run(["--nonce", "n-1", good])
        expectEqual(passed.end, .exit(0))
        #expect(passed.text.hasPrefix("ID token of google: passed. No check failed.\n\nverdict"))
        let expired = try mint("apple", ["fault": "expired"])
        for (words, input) in [([expired], ""), (["-"], expired + "\n"), ([], expired)] {
            let failed = try run(words, input: input)
            expectEqual(failed.end, .exit(1))
            #expect(
                failed.text.hasPrefix("ID token of apple: failed at exp. The token expired 2 min"),
                "\(failed.text)")
            let lines = failed.text.split(separator: "\n").map(String.init)
            #expect(lines.contains { $0.hasPrefix("failed   exp ") })
            #expect(lines.contains { $0.hasPrefix("passed   signature ") })
        }
        try expectEqual(run([], input: " \n").end, .exit(2))
        let unknown = try run(["--issuer", "none", good])
        expectEqual(unknown.end, .exit(1))
        #expect(unknown.errorText.hasPrefix("emulator explain: Unknown issuer. Known: "))
    }
}
