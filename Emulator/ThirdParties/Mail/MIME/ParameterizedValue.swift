internal import Bytes
internal import EmulatorBase

/// A header value in lower case and its parameters, `text/plain; charset="utf-8"` (RFC 2045, RFC
/// 2231).
struct ParameterizedValue: Sendable {
    private static let parametersMax = 64

    let value: String
    private var parameters: [(name: String, value: String)] = []

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var at = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
        value = String(decoding: bytes[..<at].trimmed, as: UTF8.self).asciiLowercased
        while at < bytes.count, parameters.count < Self.parametersMax {
            at += 1
            let start = at
            while at < bytes.count, bytes[at] != 0x3D, bytes[at] != 0x3B { at += 1 }
            let name = String(decoding: bytes[start..<at].trimmed, as: UTF8.self).asciiLowercased
            guard at < bytes.count, bytes[at] == 0x3D else { continue }
            at += 1
            let value = Self.value(bytes, &at)
            if !name.isEmpty { parameters.append((name, value)) }
        }
    }

    /// Parses up to a semicolon or the end, where it leaves `at`.
    private static func value(_ bytes: [UInt8], _ at: inout Int) -> String {
        while at < bytes.count, bytes[at].isSpace { at += 1 }
        var value: [UInt8] = []
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
            let start = at
            while at < bytes.count, bytes[at] != 0x3B { at += 1 }
            return String(decoding: bytes[start..<at].trimmed, as: UTF8.self)
        }
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count { at += 1 }
            value.append(bytes[at])
            at += 1
        }
        while at < bytes.count, bytes[at] != 0x3B { at += 1 }
        return String(decoding: value, as: UTF8.self)
    }

    private func plain(_ name: String) -> String? {
        parameters.first { $0.name.isSame(as: name) }?.value
    }

    /// Also supports the forms `name*=utf-8''a%20b` and `name*0=`, `name*1=`.
    subscript(name: String) -> String? {
        if let value = plain(name) { return EncodedWords.decode(value) }
        if let value = plain(name + "*") { return Self.undoExtension(value) }
        var joined = ""
        var isExtended = false
        for index in 0..<Self.parametersMax {
            if let piece = plain("\(name)*\(index)") {
                joined += piece
            } else if let piece = plain("\(name)*\(index)*") {
                isExtended = true
                joined += piece
            } else {
                guard index > 0 else { return nil }
                break
            }
        }
        return isExtended ? Self.undoExtension(joined) : joined
    }

    private static func undoExtension(_ text: String) -> String {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let charset = Charset(String(parts[0])) else { return text }
        var bytes: [UInt8] = []
        let encoded = Array(parts[2].utf8)
        var at = 0
        while at < encoded.count {
            if encoded[at] == UInt8(ascii: "%"), at + 2 < encoded.count,
                let high = Hex.value(of: encoded[at + 1]), let low = Hex.value(of: encoded[at + 2])
            {
                bytes.append(high << 4 | low)
                at += 3
            } else {
                bytes.append(encoded[at])
                at += 1
            }
        }
        return charset.decode(bytes)
    }
}
