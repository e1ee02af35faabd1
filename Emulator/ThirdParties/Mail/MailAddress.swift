internal import Bytes
internal import EmulatorBase

/// An RFC 5322 mailbox: a display name and an address.
package struct MailAddress: Sendable, Equatable {
    package static let addressBytesMax = 320
    private static let listMax = 1000

    /// The name, unquoted and with encoded words decoded.
    package let name: String?
    /// The address as written; internationalised domains are allowed.
    package let address: String

    package init(name: String?, address: String) {
        self.name = name
        self.address = address
    }

    package var domain: String {
        guard let at = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { return "" }
        return String(Substring(address.utf8[address.utf8.index(after: at)...]))
    }

    /// The display form.
    package var text: String {
        guard let name, !name.isEmpty else { return address }
        return "\(name) <\(address)>"
    }

    /// Parses exactly one mailbox.
    package init(parsing text: String) throws(AddressFailure) {
        let list = try Self.list(parsing: text)
        guard list.count == 1 else { throw .illegal }
        self = list[0]
    }

    /// Parses a comma-separated list of mailboxes. Groups are rejected, because they cannot be
    /// delivered to.
    package static func list(parsing text: String) throws(AddressFailure) -> [MailAddress] {
        var scanner = AddressScanner(text)
        var list: [MailAddress] = []
        while let item = try scanner.next() {
            guard list.count < listMax else { throw .illegal }
            if let item = item.trimmedParts { list.append(try MailAddress(item)) }
        }
        return list
    }

    private init(_ item: AddressItem) throws(AddressFailure) {
        address = item.address
        name = item.name.isEmpty ? nil : EncodedWords.decode(item.name)
        try Self.check(Array(address.utf8))
    }

    /// Throws unless `bytes` are a local part, an @ and a domain.
    package static func check(_ bytes: [UInt8]) throws(AddressFailure) {
        guard bytes.count <= addressBytesMax else { throw .illegal }
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), at + 1 < bytes.count else {
            throw .missingDomain
        }
        let local = bytes[..<at]
        guard !local.isEmpty else { throw .missingUser }
        guard local.count <= 64 else { throw .illegal }
        if local.first == UInt8(ascii: "\"") {
            guard local.count > 2, local.last == UInt8(ascii: "\""),
                !local.contains(where: \.isControl),
                isQuotedContent(local.dropFirst().dropLast())
            else { throw .illegal }
        } else {
            guard !local.contains(where: { $0.isControl || $0 == 0x20 }) else {
                throw .controlInLocal
            }
            let forbidden = Array("()<>[]:;@\\,\"".utf8)
            guard !local.contains(where: forbidden.contains) else { throw .illegal }
        }
        try check(domain: bytes[(at + 1)...])
    }

    /// Whether every quote is behind a backslash, and every backslash before a character (RFC 5322
    /// section 3.2.4).
    private static func isQuotedContent(_ content: ArraySlice<UInt8>) -> Bool {
        var rest = content
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return false }
            if byte == UInt8(ascii: "\\"), rest.popFirst() == nil { return false }
        }
        return true
    }

    private static func check(domain: ArraySlice<UInt8>) throws(AddressFailure) {
        if domain.first == UInt8(ascii: "["), domain.last == UInt8(ascii: "]") {
            let inside = domain.dropFirst().dropLast()
            guard !inside.isEmpty,
                inside.allSatisfy({ $0.isLetterOrDigit || $0 == 0x2E || $0 == 0x3A })
            else { throw .illegalDomain }
            return
        }
        for label in domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !label.isEmpty else { throw .illegalDomain }
            guard
                label.allSatisfy({
                    $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x5F || $0 >= 0x80
                })
            else { throw .illegalDomain }
        }
    }
}

/// Why an address is invalid; `message` is SES's.
package enum AddressFailure: Error, Sendable, Equatable {
    case missingDomain, missingUser, controlInLocal, illegalDomain, group, illegal

    package var message: String {
        switch self {
        case .missingDomain: "Missing final '@domain'"
        case .missingUser: "User name is missing"
        case .controlInLocal: "Local address contains control or whitespace"
        case .illegalDomain: "Domain contains illegal character"
        case .group: "Groups of addresses are not accepted"
        case .illegal: "Illegal address"
        }
    }
}

/// The text between two commas.
private struct AddressItem {
    var name = ""
    var address = ""

    /// nil if empty, as after a trailing comma.
    var trimmedParts: AddressItem? {
        let parts = AddressItem(name: name.trimmed, address: address.trimmed)
        return parts.name.isEmpty && parts.address.isEmpty ? nil : parts
    }
}

/// Splits a header's value at its commas, and each part into name and address.
private struct AddressScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func next() throws(AddressFailure) -> AddressItem? {
        guard position < bytes.count else { return nil }
        var plain: [UInt8] = []
        var unquoted: [UInt8] = []
        var angle: [UInt8]?
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: ","):
                position += 1
                return item(plain, unquoted, angle)
            case UInt8(ascii: "\""):
                let start = position
                unquoted += try quotedString()
                // A local part keeps its quotes and backslashes.
                plain += bytes[start..<position]
            case UInt8(ascii: "("): try skipComment()
            case UInt8(ascii: "<"):
                guard angle == nil else { throw .illegal }
                angle = try angleAddress()
            case UInt8(ascii: ":"), UInt8(ascii: ";"):
                throw .group
            default:
                // Only white space may follow the angle bracket.
                guard angle == nil || byte.isSpace else { throw .illegal }
                plain.append(byte)
                unquoted.append(byte)
                position += 1
            }
        }
        return item(plain, unquoted, angle)
    }

    private func item(_ plain: [UInt8], _ unquoted: [UInt8], _ angle: [UInt8]?) -> AddressItem {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        guard let angle else { return AddressItem(address: text(plain)) }
        return AddressItem(name: text(unquoted), address: text(angle))
    }

    /// The content without quotes and backslashes.
    private mutating func quotedString() throws(AddressFailure) -> [UInt8] {
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return content }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                content.append(bytes[position])
                position += 1
            } else {
                content.append(byte)
            }
        }
        throw .illegal
    }

    private mutating func skipComment() throws(AddressFailure) {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\\"): position += 1
            default: break
            }
            position += 1
            if depth == 0 { return }
        }
        throw .illegal
    }

    private mutating func angleAddress() throws(AddressFailure) -> [UInt8] {
        let start = position + 1
        var isQuoted = false
        position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\") where isQuoted: position += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ">") where !isQuoted:
                defer { position += 1 }
                return Array(bytes[start..<position])
            default: break
            }
            position += 1
        }
        throw .illegal
    }
}
