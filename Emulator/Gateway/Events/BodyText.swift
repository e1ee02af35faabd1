internal import Bytes
internal import EmulatorBase

/// A body as it appears in an event.
struct BodyText: Sendable {
    /// nil without a body.
    let text: String?
    let isBase64: Bool

    /// HTTP API and Function URL: text for a few media types, and base64 for all others, including
    /// none and forms. Bytes that are not UTF-8 are base64 for every type.
    init(v2 body: [UInt8], contentType: String?) {
        let type = contentType.map(MediaType.bare) ?? ""
        let isText =
            type.has(prefix: "text/")
            || ["application/json", "application/xml", "application/javascript"]
                .containsText(type)
        self.init(body, asText: isText ? String(validating: body, as: UTF8.self) : nil)
    }

    /// REST API: base64 only for the API's binary types. Other bodies that are not UTF-8 are
    /// damaged, as on AWS.
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
    /// `*/*` matches everything, even no type.
    static func match(_ type: String?, _ binaryTypes: [String]) -> Bool {
        if binaryTypes.containsText("*/*") { return true }
        guard let type else { return false }
        return binaryTypes.contains { pattern in
            guard pattern.has(suffix: "/*") else { return pattern.isSame(as: type) }
            return type.has(prefix: String(Substring(pattern.utf8.dropLast())))
        }
    }
}
