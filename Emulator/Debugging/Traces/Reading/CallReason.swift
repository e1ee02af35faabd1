internal import Bytes
internal import JSON

/// The reason of a refusal or failure, from the service's own error response.
enum CallReason {
    /// The members for code and message in the errors of AWS services, functions, OAuth (RFC 6749
    /// section 5.2) and problem documents (RFC 9457).
    private static let codes = ["__type", "code", "Code", "error", "errorType", "title"]
    private static let sentences = [
        "message", "Message", "error_description", "errorMessage", "detail",
    ]
    private static let charactersMax = 300

    /// nil if no reason is found.
    static func text(_ detail: [UInt8]) -> String? {
        guard !detail.isEmpty else { return nil }
        if let json = try? JSON.parse(detail, limits: .event) {
            return readable(words(of: json["error"]?.objectValue == nil ? json : json["error"]))
        }
        let text = String(decoding: detail, as: UTF8.self)
        if text.utf8.first == UInt8(ascii: "<") {
            return readable([element("Code", in: text), element("Message", in: text)])
        }
        return readable([text])
    }

    private static func words(of json: JSON?) -> [String?] {
        guard let json else { return [] }
        if let text = json.stringValue { return [text] }
        let code = codes.lazy.compactMap { json[$0]?.stringValue }.first
        // `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`
        let name = code?.split(separator: "#").last.map(String.init)
        return [name, sentences.lazy.compactMap { json[$0]?.stringValue }.first]
    }

    private static func element(_ name: String, in text: String) -> String? {
        guard let start = text.utf8.firstOccurrence(of: "<\(name)>"),
            let end = text.utf8[start.upperBound...].firstOccurrence(of: "</\(name)>")
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }

    private static func readable(_ words: [String?]) -> String? {
        let text = words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
        guard !text.isEmpty else { return nil }
        guard text.count > charactersMax else { return text }
        return String(text.prefix(charactersMax)) + "…"
    }
}
