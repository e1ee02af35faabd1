@Suite("Attacks on the format")
struct FormAttackTests {
    private let key = Forge.p256

    private func honest() throws -> String { try Forge.token(Forge.claims()) }

    @Test func `one part too many or too few is refused`() throws {
        let token = try honest()
        let parts = token.split(separator: ".")
        for other in [
            token + ".", "." + token, token + ".e30", "\(parts[0]).\(parts[1])",
            "\(parts[0])..\(parts[1]).\(parts[2])", ".\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(parts[2]).", parts.joined(), "Bearer " + token,
            "", ".", "..", "...", "....", "a", "a.b", "a.b.c.d", "a.b.c.d.e", "e30", " ",
        ] { try expectEqual(Forge.verdict(other), .malformed, "\(other)") }
        try expectEqual(Forge.verdict("\(parts[0])..\(parts[2])"), .badSignature)
        try expectEqual(Forge.verdict("\(parts[0]).\(parts[1])."), .badSignature)
    }

    // CVE-2025-30204, CVE-2025-61920.
    @Test func `huge input is refused before it is split`() throws {
        for token in [
            String(repeating: ".", count: 10_000_000), String(repeating: "a", count: 10_000_000),
            String(repeating: "a.", count: 5_000_000),
            try honest()
                + String(repeating: "A", count: 16 << 10),
        ] { try expectEqual(Forge.verdict(token), .tooLarge) }
        try expectEqual(Forge.verdict(String(repeating: ".", count: 16 << 10)), .malformed)
    }

    @Test func `a token of exactly the maximum size is accepted, and one byte more is refused`()
        throws
    {
        // Padding in the claims, then to the exact byte by the length of the kid.
        let base = try Forge.token(Forge.claims(["pad": ""])).utf8.count
        let room = ((16 << 10) - base) * 3 / 4
        let largest = (room - 8...room).compactMap { count -> String? in
            let claims = Forge.claims(["pad": .string(String(repeating: "x", count: count))])
            return try? Forge.token(claims)
        }.last
        let token = try #require(largest)
        #expect(token.utf8.count > (16 << 10) - 3)
        try expectEqual(Forge.verdict(token), nil)
        try expectEqual(Forge.verdict(token + "AAA"), .tooLarge)
    }

    // golang-jwt#502, libjwt#284, json-jwt#129: several texts for the same token.
    @Test func `every other encoding of a part is refused`() throws {
        let token = try honest()
        let parts = token.split(separator: ".").map(String.init)
        for index in parts.indices {
            let part = parts[index]
            for changed in [
                part + "=", part + "==", part + "\n", " " + part, part + "\u{0}", part + "A===",
                part.replacing("-", with: "+").replacing("_", with: "/") + "=",
                String(part.prefix(4)) + "\r\n" + part.dropFirst(4), part + "?", part + "%3D",
            ] {
                var parts = parts
                parts[index] = changed
                let verdict = try Forge.verdict(parts.joined(separator: "."))
                #expect(verdict == .malformed || verdict == .badSignature)
            }
        }
    }

    @Test func `the unused bits of a signature must be zero`() throws {
        // 64 bytes leave four unused bits in the last symbol.
        let token = try honest()
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let accepted = try alphabet.count { symbol in
            try Forge.verdict(token.dropLast() + String(symbol)) == nil
        }
        expectEqual(accepted, 1)
    }

    @Test func `any changed byte is refused`() throws {
        for key in Forge.all {
            let token = Array(try Forge.token(Forge.claims(), with: key).utf8)
            for index in stride(from: 0, to: token.count, by: 7) {
                var changed = token
                changed[index] = changed[index] == UInt8(ascii: "A") ? 0x42 : 0x41
                let text = String(decoding: changed, as: UTF8.self)
                #expect(try Forge.verdict(text, key) != nil)
            }
        }
    }

    // CVE-2022-39227: a text that is both a compact token and JSON.
    @Test func `a mix of compact and JSON serialisation is refused`() throws {
        let parts = try honest().split(separator: ".")
        let flat =
            #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
        let general =
            #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
        let mixed = #"{"  \#(parts[0]).\#(parts[1]).":"","protected":"\#(parts[0])"}"#
        for token in [flat, general, mixed, "\"\(try honest())\"", "[\"\(try honest())\"]"] {
            try expectEqual(Forge.verdict(token), .malformed)
        }
    }

    // CVE-2026-29000: an unsigned token inside an encrypted one.
    @Test func `a nested token is refused`() throws {
        let inner =
            Base64URL.encode(#"{"alg":"none"}"#.utf8) + "."
            + Base64URL.encode(Forge.claims().serialized) + "."
        let jwe = Base64URL.encode(#"{"alg":"dir","enc":"A256GCM","cty":"JWT"}"#.utf8)
        try expectEqual(
            Forge.verdict("\(jwe)..AAAA.\(Base64URL.encode(inner.utf8)).AAAA"), .malformed)
        // The same header with three parts and a valid signature.
        let header = Forge.header(key, adding: #","enc":"A256GCM""#)
        try expectEqual(Forge.verdict(Forge.token(header: header, with: key)), .malformed)
        // A signed token whose payload is a token.
        let nested = try Forge.token(
            header: Forge.header(key, adding: #","cty":"JWT""#), payload: try honest(), with: key)
        try expectEqual(Forge.verdict(nested), .malformedClaims)
    }

    @Test(arguments: LaxJSON.documents)
    func `a header that is not strict JSON is refused`(name: String, document: LaxJSON) throws {
        let header = document.bytes(in: #""alg":"ES256","kid":"\#(key.kid)","typ":"JWT""#)
        let token = try Forge.token(
            headerBytes: header, payloadBytes: Forge.claims().serialized, with: key)
        try expectEqual(Forge.verdict(token), .malformed, "\(name)")
    }

    @Test(arguments: LaxJSON.documents)
    func `claims that are not strict JSON are refused`(name: String, document: LaxJSON) throws {
        let members = #""iss":"\#(Forge.issuer)","aud":"app","iat":1700000000,"exp":1700000600"#
        let token = try Forge.token(
            headerBytes: Array(Forge.header(key).utf8), payloadBytes: document.bytes(in: members),
            with: key)
        try expectEqual(Forge.verdict(token), .malformedClaims, "\(name)")
    }

    @Test(arguments: ["[]", "null", "\"x\"", "1", "", "[{}]", "foo"])
    func `claims that are not an object are refused`(payload: String) throws {
        let token = try Forge.token(header: Forge.header(key), payload: payload, with: key)
        try expectEqual(Forge.verdict(token), .malformedClaims)
    }
}
