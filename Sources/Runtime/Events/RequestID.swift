internal import Bytes
internal import Glibc

/// The ID of a request in logs.
package enum RequestID {
    private static let charactersMax = 128

    /// The text if it is safe to log: short, and only letters, digits or `+/=_.:-`. Under OpenFaaS
    /// it comes from a header that any client can send.
    package static func legal(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= charactersMax,
            text.utf8.allSatisfy(LogValue.isIdentifier)
        else { return nil }
        return text
    }

    /// A new ID in the form of a version 4 UUID. It must be unique, not secret.
    static func random() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        // getentropy(3) provides up to 256 bytes at once. If it fails, the ID is not unique, which
        // only affects the log.
        _ = getentropy(&bytes, bytes.count)
        return RandomUUID.text(bytes)
    }
}
