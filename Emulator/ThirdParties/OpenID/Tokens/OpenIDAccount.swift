internal import Bytes
internal import Cryptography
internal import JSON

/// A user account. Its identifiers are derived from the e-mail address, so that they are the same
/// in every emulator, and accounts need not be created before tokens are minted for them.
struct OpenIDAccount: Sendable {
    let email: String
    var givenName: String
    var familyName: String
    /// Overrides the derived subject.
    var ownSubject: String?
    var isEmailVerified = true

    static let nameBytesMax = 128
    static let subjectBytesMax = 255

    /// The name is derived from the address: `ada.lovelace@example.com` becomes Ada Lovelace.
    init?(email: String, name: String? = nil) {
        guard Self.isEmail(email) else { return nil }
        self.email = email
        let local = email.utf8.prefix { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "+") }
        let guessed = local.split { $0 == 0x2E || $0 == 0x5F || $0 == 0x2D }
            .map { Self.capitalised(Array($0)) }.joined(separator: " ")
        let parts = (name ?? guessed).split(separator: " ", maxSplits: 1)
        givenName = parts.first.map(String.init) ?? "User"
        familyName = parts.count > 1 ? String(parts[1]) : ""
    }

    var name: String { familyName.isEmpty ? givenName : "\(givenName) \(familyName)" }

    /// The canonical form of an address: ASCII letters in lower case.
    static func identity(_ email: String) -> String {
        String(
            decoding: email.utf8.map(\.lowercased),
            as: UTF8.self)
    }

    var identity: String { Self.identity(email) }

    /// Google's `hd` claim, the organisation's domain; absent for private accounts.
    var hostedDomain: String? {
        guard let at = email.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let domain = Self.identity(String(email[email.utf8.index(after: at)...]))
        return domain == "gmail.com" || domain == "googlemail.com" ? nil : domain
    }

    static func isEmail(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return (3...254).contains(bytes.count) && parts.count == 2
            && parts.allSatisfy { !$0.isEmpty }
            && bytes.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E
            }
    }

    static func isName(_ text: String) -> Bool {
        (1...nameBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && text.utf8.contains { $0 != 0x20 }
    }

    private static func capitalised(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        if let first = bytes.first, first.isLowercase { bytes[0] = first & 0xDF }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension OpenIDAccount {
    /// The subject for a client. Apple's subjects and its relay addresses are per team.
    func subject(_ issuer: IssuerDefinition, teamID: String?) -> String {
        if let ownSubject { return ownSubject }
        let digest = digest("sub", issuer, teamID)
        switch issuer.kind {
        case .apple:
            let (head, tail) = (Self.digits(digest[0..<4], 3), Self.digits(digest[4..<8], 4))
            return "001\(head).\(Hex.encode(digest[8..<24])).\(tail)"
        case .google: return "1" + Self.digits(digest[0..<8], 10) + Self.digits(digest[8..<16], 10)
        case .oidc: return Base64URL.encode(digest[0..<16])
        }
    }

    func relayAddress(_ issuer: IssuerDefinition, teamID: String?) -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
        let name = digest("relay", issuer, teamID).prefix(10).map { letters[Int($0 & 31)] }
        return String(decoding: name, as: UTF8.self) + "@" + Self.relayDomain
    }

    static let relayDomain = "privaterelay.appleid.com"

    private func digest(_ use: String, _ issuer: IssuerDefinition, _ team: String?) -> [UInt8] {
        let team = issuer.kind == .apple ? team ?? "" : ""
        return SHA256.hash(utf8: "\(use)\n\(issuer.name)\n\(team)\n\(identity)")
    }

    private static func digits(_ bytes: ArraySlice<UInt8>, _ count: Int) -> String {
        var number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var text: [UInt8] = []
        for _ in 0..<count {
            text.append(0x30 + UInt8(number % 10))
            number /= 10
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension OpenIDAccount {
    init?(record: JSONObject) {
        guard let email = record["email"]?.stringValue else { return nil }
        self.init(email: email)
        givenName = record["givenName"]?.stringValue ?? givenName
        familyName = record["familyName"]?.stringValue ?? familyName
        ownSubject = record["sub"]?.stringValue
        isEmailVerified = record["emailVerified"]?.boolValue ?? true
    }

    var record: JSONObject {
        var record: JSONObject = [
            "email": .string(email), "givenName": .string(givenName),
            "familyName": .string(familyName), "emailVerified": .bool(isEmailVerified),
        ]
        if let ownSubject { record["sub"] = .string(ownSubject) }
        return record
    }
}
