import WebAuthn

private func failure(_ text: String) -> OriginFailure? {
    do throws(OriginFailure) {
        _ = try Origin(parsing: text)
        return nil
    } catch {
        return error
    }
}

@Suite("Origins")
struct OriginTests {
    private static let keyHash = Base64URL.encode([UInt8](repeating: 0xAB, count: 32))

    @Test(arguments: [
        "https://example.com", "https://a.b.c.example.com", "https://example.com:8443",
        "https://localhost", "http://localhost", "http://localhost:8000",
        "https://xn--bcher-kva.example", "https://1.example", "https://example.com:1",
        "https://example.com:65535", "https://a-b.example", "https://example.c0m",
        "android:apk-key-hash:\(keyHash)",
    ])
    func `an origin in its canonical form is accepted`(text: String) throws {
        try expectEqual(Origin(parsing: text).text, text)
    }

    private static let refused: [(String, OriginFailure)] = [
        ("", .empty), ("null", .unsupportedScheme), ("*", .unsupportedScheme),
        ("example.com", .unsupportedScheme), ("//example.com", .unsupportedScheme),
        ("http://example.com", .unsupportedScheme), ("http://127.0.0.1:8000", .invalidHost),
        ("http://localhost.example.com", .unsupportedScheme),
        ("ftp://example.com", .unsupportedScheme), ("HTTPS://example.com", .unsupportedScheme),
        ("https:example.com", .unsupportedScheme), ("https:/example.com", .unsupportedScheme),
        ("ios:bundle-id:com.example", .unsupportedScheme),
        (" https://example.com", .unsupportedScheme),
        ("https://", .invalidHost), ("https://Example.com", .invalidHost),
        ("https://example.com.", .invalidHost), ("https://.example.com", .invalidHost),
        ("https://example..com", .invalidHost), ("https://*.example.com", .invalidHost),
        ("https://-example.com", .invalidHost), ("https://example-.com", .invalidHost),
        ("https://exa_mple.com", .invalidHost), ("https://b\u{FC}cher.example", .invalidHost),
        ("https://ex\u{430}mple.com", .invalidHost), ("https://example\u{3002}com", .invalidHost),
        ("https://user@example.com", .invalidHost), ("https://user:pass@example.com", .invalidPort),
        ("https://127.0.0.1", .invalidHost), ("https://[::1]", .invalidHost),
        ("https://0x7f.0x1", .invalidHost), ("https://1234", .invalidHost),
        ("https://example.com:443", .invalidPort), ("http://localhost:80", .invalidPort),
        ("https://example.com:", .invalidPort), ("https://example.com:0", .invalidPort),
        ("https://example.com:08443", .invalidPort), ("https://example.com:65536", .invalidPort),
        ("https://example.com:+1", .invalidPort), ("https://example.com:a", .invalidPort),
        ("https://example.com:\u{663}", .invalidPort),
        ("https://example.com:1:2", .invalidPort), ("https://example.com/", .trailingText),
        ("https://example.com/path", .trailingText), ("https://example.com?q", .trailingText),
        ("https://example.com#f", .trailingText),
        ("https://example.com\\@evil.example", .trailingText),
        ("https://example.com ", .invalidHost), ("https://example.com\u{0}", .invalidHost),
        ("https://exam%70le.com", .invalidHost),
        ("android:apk-key-hash:", .invalidKeyHash), ("android:apk-key-hash:AAAA", .invalidKeyHash),
        ("android:apk-key-hash:\(keyHash)=", .invalidKeyHash),
        ("android:apk-key-hash:\(keyHash)A", .invalidKeyHash),
        ("android:apk-key-hash-sha256:\(keyHash)", .unsupportedScheme),
        ("Android:apk-key-hash:\(keyHash)", .unsupportedScheme),
    ]

    @Test(arguments: refused)
    func `other spellings of an origin are refused`(text: String, verdict: OriginFailure) {
        expectEqual(failure(text), verdict)
    }

    @Test func `lengths are limited`() {
        let label = String(repeating: "a", count: 63)
        expectEqual(failure("https://\(label).example"), nil)
        expectEqual(failure("https://\(label)a.example"), .invalidHost)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(
            separator: ".")
        expectEqual(failure("https://\(longest)"), nil)
        expectEqual(failure("https://\(longest)b"), .invalidHost)
        expectEqual(failure("https://" + String(repeating: "a", count: 300)), .tooLong)
    }

    @Test func `a list is read from a setting`() throws {
        let list = try OriginList(
            parsing: " https://example.com, https://a.example.com\n\thttp://localhost:8000,")
        expectEqual(
            list.origins.map(\.text),
            ["https://example.com", "https://a.example.com", "http://localhost:8000"])
        for (text, verdict) in [
            ("", OriginFailure.empty), (" , ", .empty),
            ("https://example.com https://example.com", .duplicate),
            ("https://example.com;https://a.example", .trailingText),
            ("https://example.com http://example.com", .unsupportedScheme),
            ((0...64).map { "https://a\($0).example" }.joined(separator: ","), .tooMany),
        ] { #expect(throws: verdict, "\(text)") { try OriginList(parsing: text) } }
    }

    @Test(arguments: [
        "https://evilexample.com", "https://example.com.evil.example", "https://a.example.com",
        "https://example.co", "https://example.comm", "http://example.com",
        "https://example.com:443", "https://example.com/", "https://EXAMPLE.com",
        "https://example.com.", "https://example.com ", "https://user@example.com", "",
        "https://\u{212A}example.com", "https://e\u{301}xample.com", "null",
    ])
    func `an origin is in the list only if it is identical`(text: String) throws {
        let list = try OriginList(
            parsing: "https://example.com https://kexample.com https://xn--xample-9ua.com")
        #expect(list.contains("https://example.com"))
        #expect(!list.contains(text))
    }
}

@Suite("RP IDs")
struct RelyingPartyIDTests {
    @Test(arguments: ["example.com", "localhost", "a.b.example", "xn--bcher-kva.example"])
    func `a domain is accepted`(text: String) throws {
        try expectEqual(#require(RelyingPartyID(parsing: text)).hash.count, 32)
    }

    @Test(arguments: [
        "", ".", "example.com.", ".example.com", "Example.com", "https://example.com",
        "example.com:443", "example.com/", "127.0.0.1", "[::1]", "b\u{FC}cher.example",
        "*.example.com", "a b", "example..com", "0x7f.1", "a.0x10",
    ])
    func `any other text is not a domain`(text: String) {
        expectEqual(RelyingPartyID(parsing: text), nil)
    }

    @Test func `the RP ID's hash equals the specification's vector`() throws {
        let id = try #require(RelyingPartyID(parsing: "example.org"))
        expectEqual(
            Hex.encode(id.hash), "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5")
    }
}
