internal import Bytes

// Uses spans, because each header of each request is checked.
extension String {
    /// A token (RFC 9110 section 5.6.2), such as the name of a header or a method.
    package var isHTTPToken: Bool {
        let bytes = utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            guard
                byte.isLetter || byte == UInt8(ascii: "-") || byte.isDigit
                    || "!#$%&'*+.^_`|~".utf8.contains(byte)
            else { return false }
        }
        return !bytes.isEmpty
    }

    /// A header's value: no control characters except tab (RFC 9110 section 5.5). A line break
    /// would add a header.
    package var isHTTPFieldValue: Bool {
        let bytes = utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return false }
        }
        return true
    }
}
