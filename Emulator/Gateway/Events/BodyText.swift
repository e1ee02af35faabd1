internal import EmulatorText
internal import Bytes

/// A body as an event can carry it.
struct BodyText: Sendable {
    /// nil for no body.
    let text: String?
    let isBase64: Bool

    /// HTTP API and Function URL: text for few types, and base64 for all others, also for none and
    /// for forms. Bytes that are no UTF-8 cannot be text, whatever their type says.
    init(v2 body: [UInt8], contentType: String?) {
        let type = contentType.map(MediaType.bare) ?? ""
        let isText =
            type.has(prefix: "text/")
            || ["application/json", "application/xml", "application/javascript"]
                .containsText(type)
        self.init(body, asText: isText ? String(validating: body, as: UTF8.self) : nil)
    }

    /// REST: base64 for the API's binary types alone. What is no UTF-8 is damaged, as it is there.
    init(rest body: [UInt8], contentType: String?, binaryTypes: [String]) {
        let isBinary = BinaryTypes.match(contentType.map(MediaType.bare), binaryTypes)
        self.init(body, asText: isBinary ? nil : String(decoding: body, as: UTF8.self))
    }

    private init(_ body: [UInt8], asText text: String?) {
        guard !body.isEmpty else {
            (self.text, isBase64) = (nil, false)
            return
        }
        self.text = text ?? Base64.encode(body)
        isBase64 = text == nil
    }
}

/// `binaryMediaTypes` of a REST API.
enum BinaryTypes {
    /// `*/*` is everything, even no type at all.
    static func match(_ type: String?, _ binaryTypes: [String]) -> Bool {
        if binaryTypes.containsText("*/*") { return true }
        guard let type else { return false }
        return binaryTypes.contains { pattern in
            guard pattern.has(suffix: "/*") else { return pattern.isSame(as: type) }
            return type.has(prefix: String(Substring(pattern.utf8.dropLast())))
        }
    }
}
