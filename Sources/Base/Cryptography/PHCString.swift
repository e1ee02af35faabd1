internal import Bytes

/// Parses `$argon2id$v=19$m=…,t=…,p=…$salt$tag` strictly: each value has one accepted encoding.
struct PHCString {
    let cost: Argon2id.Cost
    let salt: [UInt8]
    let tag: SecretBytes

    static let bytesMax = 256
    static let algorithm = "$argon2id$"
    private static let prefix = algorithm + "v=19$m="

    init(cost: Argon2id.Cost, salt: [UInt8], tag: SecretBytes) {
        self.cost = cost
        self.salt = salt
        self.tag = tag
    }

    var text: String {
        let (salt, tag) = (Self.base64(salt), Self.base64(tag.reveal()))
        return
            "\(Self.prefix)\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)$\(salt)$\(tag)"
    }

    init(parsing text: String) throws(CryptoFailure) {
        guard text.utf8.count <= Self.bytesMax else { throw .limitExceeded }
        var rest = Array(text.utf8)[...]
        guard let memoryKiB = Self.number(after: Self.prefix, in: &rest),
            let passes = Self.number(after: ",t=", in: &rest),
            let lanes = Self.number(after: ",p=", in: &rest)
        else { throw .malformed }
        let fields = rest.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].isEmpty, let salt = Self.bytes(fields[1]),
            let tag = Self.bytes(fields[2])
        else { throw .malformed }
        guard Argon2id.saltBytes.contains(salt.count), Argon2id.tagBytes.contains(tag.count)
        else { throw .limitExceeded }
        cost = try Argon2id.Cost(memoryKiB: memoryKiB, passes: passes, lanes: lanes)
        self.salt = salt
        self.tag = SecretBytes(tag)
    }

    /// A decimal number without sign or leading zeros, at most nine digits.
    private static func number(after label: String, in rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.starts(with: label.utf8) else { return nil }
        rest = rest.dropFirst(label.utf8.count)
        let digits = rest.prefix(while: \.isDigit)
        guard (1...9).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    // The PHC string format uses standard base64 without padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64.encode(bytes)
        return String(text.prefix { $0 != "=" })
    }

    private static func bytes(_ field: ArraySlice<UInt8>) -> [UInt8]? {
        guard !field.contains(UInt8(ascii: "=")) else { return nil }
        let padding = String(repeating: "=", count: (4 - field.count % 4) % 4)
        return Base64.decode(String(decoding: field, as: UTF8.self) + padding)
    }
}
