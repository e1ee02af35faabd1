import AuthDomain

@Suite("PersonName") struct PersonNameTests {
    static let cleaned: [(raw: String, kept: String?)] = [
        ("Diego", "Diego"), ("  Diego  ", "Diego"), ("José María", "José María"),
        ("王小明", "王小明"), ("O'Brien-Smith", "O'Brien-Smith"), ("", nil), (" ", nil),
        ("\u{A0}\u{3000} ", nil), ("\u{200D}", nil), (" \u{200D} \u{200D}", nil),
        ("a\u{0}b", "ab"), ("a\r\nb", "ab"), ("a\tb", "ab"), ("\u{7F}", nil),
        // Bidirectional overrides can make one name look like another.
        ("\u{202E}nimda", "nimda"), ("ad\u{2066}min", "admin"), ("\u{200B}\u{FEFF}", nil),
        ("a\u{2028}b\u{2029}c", "abc"),
        // Emoji with zero-width joiners are kept.
        ("👩\u{200D}🚀 Ada", "👩\u{200D}🚀 Ada"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ]

    @Test(arguments: cleaned) func `only the printable characters of a name are kept`(
        raw: String, kept: String?
    ) {
        expectEqual(PersonName.cleaned(raw), kept)
    }

    @Test func `the characters of a name, and the size of each, are limited`() {
        expectEqual(PersonName.cleaned(String(repeating: "a", count: 5000))?.count, 100)
        let zalgo = "a" + String(repeating: "\u{301}", count: 100_000)
        let kept = PersonName.cleaned(zalgo)
        expectEqual(kept.map { $0.utf8.count <= 1600 }, true)
        let wide = PersonName.cleaned(String(repeating: "👩‍👩‍👧‍👦", count: 1000))
        expectEqual(wide.map { $0.utf8.count <= 1600 }, true)
    }

    @Test func `a display name is made of the non-empty parts`() {
        expectEqual(PersonName(given: "Ada", family: "Lovelace").displayName, "Ada Lovelace")
        expectEqual(PersonName(given: nil, family: "Lovelace").displayName, "Lovelace")
        expectEqual(PersonName(given: " ", family: "\u{0}").displayName, nil)
        expectEqual(PersonName(given: nil, family: nil).displayName, nil)
    }
}
