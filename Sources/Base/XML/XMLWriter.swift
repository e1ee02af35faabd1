/// Writes a document without indentation: elements, attributes, escaped text.
package struct XMLWriter: Sendable {
    package private(set) var bytes: [UInt8]

    package init(declaration: Bool = true) {
        bytes = declaration ? Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8) : []
        if declaration { bytes.append(UInt8(ascii: "\n")) }
    }

    package mutating func element(_ name: String, _ text: String) {
        open(name)
        append(text)
        close(name)
    }

    package mutating func element(_ name: String, _ text: some BinaryInteger) {
        element(name, String(text))
    }

    /// Writes nothing if the text is nil.
    package mutating func element(_ name: String, ifPresent text: String?) {
        if let text { element(name, text) }
    }

    package mutating func element(
        _ name: String, namespace: String? = nil, attributes: [(name: String, text: String)] = [],
        _ body: (inout XMLWriter) -> Void
    ) {
        open(name, namespace: namespace, attributes: attributes)
        body(&self)
        close(name)
    }

    private mutating func open(
        _ name: String, namespace: String? = nil, attributes: [(name: String, text: String)] = []
    ) {
        bytes.append(UInt8(ascii: "<"))
        bytes += name.utf8
        if let namespace { bytes += #" xmlns="\#(namespace)""#.utf8 }
        for attribute in attributes {
            bytes += " \(attribute.name)=\"".utf8
            append(attribute.text)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    private mutating func close(_ name: String) {
        bytes += "</".utf8
        bytes += name.utf8
        bytes.append(UInt8(ascii: ">"))
    }

    /// Appends text to the current element.
    package mutating func text(_ text: String) { append(text) }

    private mutating func append(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            // A parser turns a bare carriage return into a line feed (XML 1.0 section 2.11). The
            // other control characters have no legal form in XML 1.0; S3 writes them as references
            // too.
            case 0..<0x09, 0x0B..<0x20: bytes += "&#\(byte);".utf8
            default: bytes.append(byte)
            }
        }
    }
}
