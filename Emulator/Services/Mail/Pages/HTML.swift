/// A page under construction: text can only get in escaped.
struct HTML {
    private(set) var text = ""

    /// Written in this program.
    mutating func markup(_ markup: StaticString) { text += markup.description }

    mutating func escaped(_ content: String) {
        var escaped: [UInt8] = []
        for byte in content.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        text += String(decoding: escaped, as: UTF8.self)
    }

    /// An element with nothing but text in it.
    mutating func element(_ open: StaticString, _ content: String, _ close: StaticString) {
        markup(open)
        escaped(content)
        markup(close)
    }

    static func page(_ title: String, _ body: (inout HTML) -> Void) -> String {
        var html = HTML()
        html.markup(
            """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>
            """)
        html.escaped(title)
        html.markup("</title><style>")
        html.markup(PageStyle.css)
        html.markup("</style></head><body>")
        body(&html)
        html.markup("</body></html>\n")
        return html.text
    }
}
