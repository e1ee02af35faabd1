import TestSupport
import XML

private func parse(_ text: String) throws(XMLFailure) -> XMLElement {
    try XMLElement.parse(Array(text.utf8))
}

@Suite struct XMLElementTests {
    @Test func `elements, attributes and white space are parsed`() throws {
        let root = try parse(
            "<?xml version=\"1.0\"?>\n<a xmlns=\"x\" b = 'y>' >\n <c>1</c>\r\n <d/><e ></e > </a>\n"
        )
        expectEqual(root.name, "a")
        expectEqual(root.children.map(\.name), ["c", "d", "e"])
        expectEqual(root["c"]?.text, "1")
        expectEqual(root["d"]?.text.isEmpty, true)
        #expect(root.text.isEmpty)
        expectEqual(root["f"], nil)
    }

    @Test(arguments: [
        ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"), ("&#65;&#x42;&#x1F600;", "AB😀"),
        ("é &amp;amp; ]]", "é &amp; ]]"), ("&#9;", "\t"), ("&#1114111;", "\u{10FFFF}"),
    ])
    func `references are decoded once`(text: String, expected: String) throws {
        try expectEqual(parse("<a>\(text)</a>").text, expected)
    }

    @Test func `a duplicate name is ambiguous`() throws {
        let root = try parse("<a><b>1</b><b>2</b></a>")
        expectEqual(root["b"], nil)
        expectEqual(root.children.count, 2)
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a", "</a>", "<a></b>", "<a/><b/>", "<a/>text", "text<a/>",
        "<a><b></a></b>", "<a b></a>", "<a b=c/>", "<a b=\"1/>", "<a b=\"<\"/>",
        "<a b=\"1\"c=\"2\"/>",
        "< a/>", "<1/>", "<-a/>", "<a>&nbsp;</a>", "<a>&</a>", "<a>&amp</a>", "<a>&#;</a>",
        "<a>&#x;</a>", "<a>&#+3;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>",
        "<a>&#xFFFE;</a>", "<a>&#12345678901234567890;</a>", "<a>\u{0}</a>", "<a>\u{1B}</a>",
        "<a>x<b/></a>", "<a><b/>x</a>", "<é/>", "<a/ >", "<?xml version", "\u{FEFF}<a/>",
        "<a></a", "<a>x",
    ])
    func `malformed documents are refused`(text: String) {
        #expect(throws: XMLFailure.malformed) { try parse(text) }
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><!-- c --></a>", "<!-- c --><a/>",
        "<a><![CDATA[x]]></a>", "<a><?pi x?></a>", "<?xml version=\"1.0\"?><!DOCTYPE a><a/>",
    ])
    func `unsupported constructs are refused`(text: String) {
        #expect(throws: XMLFailure.unsupported) { try parse(text) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: XMLFailure.malformed) {
            try XMLElement.parse(Array("<a>".utf8) + [0xFF] + Array("</a>".utf8))
        }
    }

    @Test(arguments: [(16, true), (17, false), (10_000, false)])
    func `depth is limited`(depth: Int, isRead: Bool) {
        let text = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        expectEqual((try? parse(text)) != nil, isRead)
    }

    @Test(arguments: [(999, true), (1000, false)])
    func `the number of elements is limited`(count: Int, isRead: Bool) {
        expectEqual(
            (try? parse("<a>" + String(repeating: "<b/>", count: count) + "</a>")) != nil, isRead)
    }

    @Test(arguments: [(65_529, true), (65_530, false)])
    func `the size is limited`(count: Int, isRead: Bool) {
        expectEqual(
            (try? parse("<a>" + String(repeating: "x", count: count) + "</a>")) != nil, isRead)
    }
}
