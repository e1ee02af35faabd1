import BaseTestSupport

@Suite("Occurrences of a text") struct OccurrenceTests {
    @Test(arguments: [
        ("https://a", "://", 5..<8), ("://", "://", 0..<3), ("a:///b", "://", 1..<4),
        ("::://", "://", 2..<5), ("abc", "", 0..<0), ("", "", 0..<0),
    ])
    func `the first occurrence is found`(text: String, sought: String, range: Range<Int>) {
        let bytes = Array(text.utf8)
        expectEqual(bytes.firstOccurrence(of: sought), range)
        expectEqual(text.utf8.firstOccurrence(of: sought).map { text[$0] }, sought[...])
        #expect(bytes.contains(text: sought))
    }

    @Test(arguments: [("", "a"), ("abc", "abcd"), ("a:/", "://"), ("abd", "abc")])
    func `absent text is not found`(text: String, sought: String) {
        expectEqual(text.utf8.firstOccurrence(of: sought), nil)
        #expect(!text.utf8.contains(text: sought))
    }
}
