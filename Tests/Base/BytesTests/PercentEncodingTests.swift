import BaseTestSupport

@Suite("PercentEncoding")
struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("AZaz09-_.~", "AZaz09-_.~"), (" ", "%20"), ("+", "%2B"), ("/", "%2F"),
        ("a=b&c", "a%3Db%26c"), ("é", "%C3%A9"), ("*", "%2A"), ("\u{0}", "%00"), ("%", "%25"),
        ("日本", "%E6%97%A5%E6%9C%AC"),
    ])
    func `only unreserved characters are not encoded`(text: String, encoded: String) {
        expectEqual(PercentEncoding.encode(text), encoded)
        expectEqual(PercentEncoding.decode(encoded, plusIsSpace: true), text)
    }

    @Test func `a path keeps its slashes`() {
        expectEqual(PercentEncoding.encodePath("/a b/c+d/é"), "/a%20b/c%2Bd/%C3%A9")
    }

    @Test func `plus is a space in forms only`() {
        expectEqual(PercentEncoding.decode("a+b", plusIsSpace: true), "a b")
        expectEqual(PercentEncoding.decode("a+b", plusIsSpace: false), "a+b")
    }

    @Test(arguments: ["%", "%2", "%zz", "%2g", "%%20", "a%", "%C3", "%FF", "%C0%AF", "%ED%A0%80"])
    func `invalid escapes and bytes that are not UTF-8 are refused`(text: String) {
        expectEqual(PercentEncoding.decode(text, plusIsSpace: false), nil)
        #expect(PercentEncoding.parseForm("a=\(text)", pairsMax: 8) == nil)
        #expect(PercentEncoding.parseForm("\(text)=a", pairsMax: 8) == nil)
    }

    @Test func `a form is encoded and decoded in order with duplicates`() throws {
        let pairs = [("grant type", "a&b"), ("x", ""), ("x", "1=2"), ("é", "+")]
        let text = PercentEncoding.form(pairs)
        expectEqual(text, "grant%20type=a%26b&x=&x=1%3D2&%C3%A9=%2B")
        let read = try #require(PercentEncoding.parseForm(text, pairsMax: 4))
        expectEqual(read.map(\.0), pairs.map(\.0))
        expectEqual(read.map(\.1), pairs.map(\.1))
    }

    @Test(arguments: [
        ("", [String]()), ("&&", []), ("a", ["a|"]), ("a&", ["a|"]), ("=b", ["|b"]),
        ("a=b=c", ["a|b=c"]), ("a=+%2B", ["a| +"]), ("=", ["|"]),
    ])
    func `unusual forms are parsed as by browsers`(text: String, expected: [String]) throws {
        let pairs = try #require(PercentEncoding.parseForm(text, pairsMax: 8))
        expectEqual(pairs.map { "\($0.0)|\($0.1)" }, expected)
    }

    @Test func `too many pairs are refused`() {
        expectEqual(PercentEncoding.parseForm("a=1&b=2", pairsMax: 2)?.count, 2)
        #expect(PercentEncoding.parseForm("a=1&b=2&c=3", pairsMax: 2) == nil)
    }
}
