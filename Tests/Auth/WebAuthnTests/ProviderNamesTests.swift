import WebAuthn

@Suite("Provider names")
struct ProviderNamesTests {
    private func name(_ aaguid: String, in names: ProviderNames = .builtIn) throws -> String? {
        names[try #require(AAGUID(text: aaguid))]
    }

    @Test func `the built-in list names the well-known providers`() throws {
        expectEqual(ProviderNames.builtIn.count, 43)
        try expectEqual(name("fbfc3007-154e-4ecc-8c0b-6e020557d7bd"), "Apple Passwords")
        try expectEqual(name("EA9B8D66-4D01-1D21-3CE4-B6B48CB575D4"), "Google Password Manager")
        try expectEqual(name("08987058-cadc-4b81-b6e1-30de50dcbe96"), "Windows Hello")
        try expectEqual(name("d548826e-79b4-db40-a3d8-11116f7e8349"), "Bitwarden")
        try expectEqual(name("00000000-0000-0000-0000-000000000001"), nil)
        try expectEqual(name("00000000-0000-0000-0000-000000000000"), nil)
    }

    @Test func `an operator's list replaces the built-in names`() throws {
        let names = try ProviderNames(
            parsing: Array(
                """
                {"fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "Ours",
                 "00000000-0000-0000-0000-000000000000": "Never shown",
                 "53414D53-554E-4700-0000-000000000000": {"name": "An object", "icon_dark": "x"}}
                """.utf8))
        expectEqual(names.count, 3)
        try expectEqual(name("fbfc3007-154e-4ecc-8c0b-6e020557d7bd", in: names), "Ours")
        try expectEqual(name("53414d53-554e-4700-0000-000000000000", in: names), "An object")
        try expectEqual(name("00000000-0000-0000-0000-000000000000", in: names), nil)
        try expectEqual(name("d548826e-79b4-db40-a3d8-11116f7e8349", in: names), nil)
        try expectEqual(ProviderNames(parsing: Array("{}".utf8)).count, 0)
    }

    @Test(
        arguments: [
            ("", .malformed), ("[]", .malformed), ("{", .malformed),
            (#"{"x": "y"}"#, .invalidAAGUID),
            (#"{"fbfc3007154e4ecc8c0b6e020557d7bd": "y"}"#, .invalidAAGUID),
            (#"{"fbfc3007-154e-4ecc-8c0b-6e020557d7bg": "y"}"#, .invalidAAGUID),
            (#"{"{fbfc3007-154e-4ecc-8c0b-6e020557d7b}": "y"}"#, .invalidAAGUID),
            (#"{"fbfc3007-154e-4ecc-8c0b-6e020557d7bd": ""}"#, .invalidName),
            (#"{"fbfc3007-154e-4ecc-8c0b-6e020557d7bd": null}"#, .invalidName),
            (#"{"fbfc3007-154e-4ecc-8c0b-6e020557d7bd": {"title": "y"}}"#, .invalidName),
            (#"{"fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "a\u0000"}"#, .invalidName),
            (
                """
                {"fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "a",
                 "FBFC3007-154e-4ecc-8c0b-6e020557d7bd": "b"}
                """, .duplicate
            ),
        ] as [(String, ProviderNamesFailure)])
    func `a list with a mistake is refused`(text: String, verdict: ProviderNamesFailure) {
        #expect(throws: verdict) { try ProviderNames(parsing: Array(text.utf8)) }
    }

    @Test func `an AAGUID has two forms`() throws {
        let text = "00112233-4455-6677-8899-aabbccddeeff"
        let aaguid = try #require(AAGUID(text: text))
        expectEqual(aaguid.text, text)
        expectEqual(AAGUID(bytes: aaguid.bytes), aaguid)
        #expect(!aaguid.isUnknown)
        expectEqual(AAGUID(bytes: [UInt8](repeating: 0, count: 16))?.isUnknown, true)
        expectEqual(AAGUID(bytes: [1]), nil)
    }
}
