internal import Foundation

/// Reads the texts of elements in the small, flat responses of S3.
enum XMLText {
    static func first(_ name: String, in body: Data) -> String? { all(name, in: body).first }

    static func all(_ name: String, in body: Data) -> [String] {
        let text = String(decoding: body, as: UTF8.self)
        var found: [String] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "<\(name)>") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: "</\(name)>") else { break }
            found.append(decoded(String(rest[..<end.lowerBound])))
            rest = rest[end.upperBound...]
        }
        return found
    }

    /// Whether the document is an `Error`.
    static func isError(_ body: Data) -> Bool {
        !body.isEmpty && String(decoding: body.prefix(512), as: UTF8.self).contains("<Error>")
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }

    private static func decoded(_ text: String) -> String {
        text.replacing("&quot;", with: "\"").replacing("&#34;", with: "\"")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&apos;", with: "'").replacing("&amp;", with: "&")
    }
}
