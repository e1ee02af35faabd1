internal import Bytes
internal import Cryptography

// Parts of keys.
extension StoreLayout {
    /// Adds zeros, so that byte order is numeric order.
    static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    static func digest(_ parts: [String]) -> String {
        Base64URL.encode(digestBytes(parts))
    }

    /// Hashes each part after its length, so that ("a", "bc") and ("ab", "c") differ.
    static func digestBytes(_ parts: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Array("\(part.utf8.count):".utf8) + Array(part.utf8)
        }
        return SHA256.hash(bytes)
    }
}
