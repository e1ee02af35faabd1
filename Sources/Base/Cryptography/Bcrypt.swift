internal import Bytes
internal import CCrypt
internal import COpenSSL

/// bcrypt, for imported password hashes: `$2b$12$` and 53 characters.
///
/// bcrypt uses the first 72 bytes of a password and stops at a zero byte. Longer passwords are
/// truncated here too, because the other system did so; a password with a zero byte never matches.
enum Bcrypt {
    /// 2¹⁴ rounds take about a second.
    static let costs = 4...14
    private static let bytes = 60

    /// nil unless the text is a bcrypt hash within the limits.
    static func cost(of text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.bytes, bytes[6] == UInt8(ascii: "$"),
            ["$2a$", "$2b$", "$2y$"].contains(where: { bytes.starts(with: $0.utf8) }),
            let cost = Int(String(decoding: bytes[4..<6], as: UTF8.self)), costs.contains(cost)
        else { return nil }
        let isText = bytes[7...].allSatisfy { byte in
            byte.isLetter
                || (UInt8(ascii: ".")...UInt8(ascii: "9")).contains(byte)
        }
        return isText ? cost : nil
    }

    /// A well-formed hash of no known password.
    static func placeholder(cost: Int) -> String {
        "$2b$\(cost < 10 ? "0" : "")\(cost)$" + String(repeating: ".", count: 53)
    }

    static func verify(_ password: SecretBytes, _ text: String) throws(CryptoFailure) -> Bool {
        guard cost(of: text) != nil else { throw .malformed }
        let phrase = password.reveal()
        guard !phrase.contains(0) else { return false }
        // The work area holds data derived from the password, so it is wiped.
        let size = MemoryLayout<crypt_data>.size
        let area = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: MemoryLayout<crypt_data>.alignment)
        area.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        defer {
            OPENSSL_cleanse(area, size)
            area.deallocate()
        }
        let made = (phrase + [0]).withUnsafeBytes { phrase in
            crypt_rn(
                phrase.bindMemory(to: CChar.self).baseAddress, text, area, Int32(size)
            ).map { Array(UnsafeRawBufferPointer(start: $0, count: Self.bytes)) }
        }
        guard let made else { throw .libraryFailure }
        return constantTimeEquals(made, Array(text.utf8))
    }
}
