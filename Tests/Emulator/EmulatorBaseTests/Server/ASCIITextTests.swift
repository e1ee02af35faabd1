import BaseTestSupport
import EmulatorBase

@Suite("Text in ASCII") struct ASCIITextTests {
    @Test(arguments: [
        ("Host", "hOST", true), ("", "", true), ("Host", "Hos", false), ("k", "\u{212A}", false),
        ("[", "{", false), ("@", "`", false),
    ])
    func `texts are compared without regard to case`(left: String, right: String, isEqual: Bool) {
        expectEqual(left.equalsIgnoringCase(right), isEqual)
    }

    @Test(arguments: [
        ("no-store, Private", "PRIVATE", true), ("", "", true), ("a", "", true), ("", "a", false),
        ("priv", "private", false),
    ])
    func `parts are found without regard to case`(text: String, part: String, isFound: Bool) {
        expectEqual(text.containsIgnoringCase(part), isFound)
    }

    @Test func `prefixes and suffixes are bytes`() {
        // A combining accent changes the first character.
        #expect("e\u{301}a".has(prefix: "e") && "ae\u{301}".has(suffix: "\u{301}"))
        #expect(!"e".has(prefix: "e\u{301}") && !"a".has(suffix: "aa"))
        expectEqual("name: value".dropping(prefix: "name:").trimmingBlanks, "value")
    }

    @Test func `texts are split at a separator`() {
        expectEqual("a,,b,".pieces(at: ","), ["a", "", "b", ""])
        #expect("a=b=c".halves(at: "=") == ("a", "b=c"))
        #expect("a".halves(at: "=") == ("a", nil))
    }
}
