internal import Bytes
internal import Glibc

/// The name of one request in logs.
package enum RequestID {
    private static let charactersMax = 128

    /// The text, if it may stand in a log: short, and letters, digits or `+/=_.:-` only. Under
    /// OpenFaaS it is a header that anybody can send.
    package static func legal(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= charactersMax,
            text.utf8.allSatisfy(LogValue.isIdentifier)
        else { return nil }
        return text
    }

    /// A new one in the form of a UUID, version 4. It only has to be new, not secret.
    static func random() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        // getentropy(3) gives up to 256 bytes whole. Without them the log has a poor name for the
        // request, and that is all.
        _ = getentropy(&bytes, bytes.count)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let groups = [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]]
        return groups.map { Hex.encode(Array($0)) }.joined(separator: "-")
    }
}
