internal import Bytes
package import Cryptography
package import KeyValueStore

/// The secret of the app that requested a mail. The mail's code works only with it.
///
/// Its bytes are the place of the mail's row and 32 random bytes. The row has the hash of the
/// random bytes, and a MAC of the code with them as the key: a reader of the table can neither make
/// the secret nor try codes.
package struct RequestSecret: Sendable {
    private static let randomByteCount = 32
    /// The longest place belongs to a link for an address, and consists of two hashes.
    private static let bytesMax = 128

    private let bytes: [UInt8]

    /// - Parameter place: the position of the mail's row; empty if no code can find the row.
    package init(place: [UInt8] = [], random: RandomSource) {
        bytes = place + random.bytes(Self.randomByteCount)
    }

    package init?(parsing text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count >= Self.randomByteCount,
            bytes.count <= Self.bytesMax
        else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
    package var hash: [UInt8] { SHA256.hash(bytes) }
    package var place: [UInt8] { Array(bytes.dropLast(Self.randomByteCount)) }

    fileprivate func mac(of code: String) -> [UInt8] {
        HMAC.sha256(Array("latchkey mailed code\0\(code)".utf8), key: SecretBytes(bytes))
    }

    fileprivate var registrantMAC: [UInt8] {
        HMAC.sha256(Array("latchkey registrant".utf8), key: SecretBytes(bytes))
    }

    /// Whether the holder of this secret chose the password of the registration. The place alone
    /// proves nothing, because every holder of the link can compute it.
    package func choseThePassword(of row: Item) -> Bool {
        guard let stored = try? AttributeReader(row).bytes(MailedCode.registrant) else {
            return false
        }
        return constantTimeEquals(registrantMAC, stored)
    }
}

/// The code of a mail with a link, and the secret that is needed together with the code.
package struct MailedCode: Sendable {
    /// A code has eight digits. `docs/threat-model.md` has the probabilities.
    package static let digits = 8

    package let code: String
    package let secret: RequestSecret

    private static let attribute = "code"
    fileprivate static let registrant = "registrant"

    /// - Parameter place: the position of the mail's row.
    package init(place: [UInt8], random: RandomSource) {
        // 2^64 is so much larger than 10^8 that the remainder is practically uniform.
        let number = random.bytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 100_000_000
        let text = String(number)
        code = String(repeating: "0", count: Self.digits - text.utf8.count) + text
        secret = RequestSecret(place: place, random: random)
    }

    /// The row of the link with the MAC of the code. The first use of the link or the code deletes
    /// the row.
    ///
    /// - Parameter isForRegistrant: whether the receiver of the secret chose the password in the
    ///   row.
    package func marking(_ row: Item, isForRegistrant: Bool = false) -> Item {
        var row = row
        row.attributes[Self.attribute] = .bytes(secret.mac(of: code))
        if isForRegistrant { row.attributes[Self.registrant] = .bytes(secret.registrantMAC) }
        return row
    }

    /// Whether a typed code is the code in the row.
    package static func isRight(_ typed: String, _ secret: RequestSecret, for row: Item) -> Bool {
        guard let stored = try? AttributeReader(row).bytes(attribute) else { return false }
        return constantTimeEquals(secret.mac(of: plain(typed)), stored)
    }

    /// People type spaces and hyphens between groups of digits.
    private static func plain(_ typed: String) -> String {
        String(
            String.UnicodeScalarView(
                typed.unicodeScalars.prefix(32).filter {
                    $0 != " " && $0 != "-"
                }))
    }
}
