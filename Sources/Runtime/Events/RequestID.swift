internal import Bytes
internal import Glibc
internal import Synchronization

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

    private static let byteCount = 16
    /// Random bytes for the next IDs. Their number is the maximum of getentropy(3).
    private static let stock = Mutex<[UInt8]>([])
    private static let stockBytes = 256

    /// A new ID in the form of a version 4 UUID. It must be unique, not secret.
    static func random() -> String {
        let bytes = stock.withLock { stock in
            if stock.isEmpty {
                stock = [UInt8](repeating: 0, count: stockBytes)
                // If the call fails, the IDs are not unique, which only affects the log.
                _ = getentropy(&stock, stock.count)
            }
            defer { stock.removeLast(byteCount) }
            return Array(stock.suffix(byteCount))
        }
        return RandomUUID.text(bytes)
    }
}
