@Suite("Identifiers") struct IdentifiersTests {
    @Test func `generated identifiers are version 4 UUIDs that can be parsed`() {
        let random = RandomSource.seeded(1)
        for _ in 0..<1000 {
            let text = UUIDText(random: random).text
            expectEqual(UUIDText(parsing: text)?.text, text)
            let bytes = Array(text.utf8)
            expectEqual(bytes[14], UInt8(ascii: "4"))
            #expect("89ab".utf8.contains(bytes[19]))
            #expect(UserID(parsing: text) != nil && SessionID(parsing: text) != nil)
        }
    }

    @Test func `any random bits make a valid UUID`() {
        expectEqual(
            UUIDText(bytes: [UInt8](repeating: 0, count: 16)).text,
            "00000000-0000-4000-8000-000000000000")
        expectEqual(
            UUIDText(bytes: [UInt8](repeating: 255, count: 16)).text,
            "ffffffff-ffff-4fff-bfff-ffffffffffff")
    }

    static let hostile: [String] = [
        "", "*", "?", "..", "${aws:userid}", "users/1",
        "A1B2C3D4-E5F6-4890-ABCD-EF1234567890",  // upper case is not canonical
        "a1b2c3d4-e5f6-7890-abcd-ef1234567890",  // version 7
        "a1b2c3d4-e5f6-1890-abcd-ef1234567890",
        "a1b2c3d4-e5f6-4890-0bcd-ef1234567890",  // variant of NCS
        "a1b2c3d4-e5f6-4890-cbcd-ef1234567890",  // variant of Microsoft
        "a1b2c3d4-e5f6-4890-fbcd-ef1234567890",
        "a1b2c3d4e5f64890abcdef1234567890",
        "{a1b2c3d4-e5f6-4890-abcd-ef1234567890}",
        "urn:uuid:a1b2c3d4-e5f6-4890-abcd-ef1234567890",
        " a1b2c3d4-e5f6-4890-abcd-ef1234567890", "a1b2c3d4-e5f6-4890-abcd-ef1234567890 ",
        "a1b2c3d4-e5f6-4890-abcd-ef1234567890\n", "a1b2c3d4-e5f6-4890-abcd-ef123456789",
        "a1b2c3d4-e5f6-4890-abcd-ef12345678900", "a1b2c3d4-e5f6-4890-abcd-ef123456789*",
        "a1b2c3d4-e5f6-4890-abcd-ef123456789?", "a1b2c3d4-e5f6-4890-abcd-ef123456789/",
        "a1b2c3d4-e5f6-4890-abcd-ef123456789\u{0}", "a1b2c3d4-e5f6-4890-abcd-ef12345678é",
        "a1b2c3d4_e5f6_4890_abcd_ef1234567890", "a1b2c3d4–e5f6–4890–abcd–ef1234567890",
        "g1b2c3d4-e5f6-4890-abcd-ef1234567890", "a1b2c3d4-e5f6-4890-abcd-ef12345678９0",
        "-1b2c3d4-e5f6-4890-abcd-ef1234567890", "+1b2c3d4-e5f6-4890-abcd-ef1234567890",
        "../../../-....-4...-8...-............", "a1b2c3d4-e5f6-4890-abcd-ef123456789%",
        String(repeating: "a", count: 100_000), "null", "undefined",
        "00000000-0000-0000-0000-000000000000",
    ]

    @Test(arguments: hostile) func `invalid identifiers are refused`(raw: String) {
        expectEqual(UUIDText(parsing: raw), nil)
        expectEqual(UserID(parsing: raw), nil)
        expectEqual(SessionID(parsing: raw), nil)
    }
}
