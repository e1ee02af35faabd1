/// Replaces any number of texts wherever they occur: in one pass over a text, with one look-up for
/// each byte.
struct Substitutions {
    private struct Substitution {
        let found: [UInt8]
        let replacement: [UInt8]
        let placeholder: String?
    }

    private static let windowBytes = 4
    /// The substitutions by their first `windowBytes` bytes, the longest first.
    private var byStart: [UInt32: [Substitution]] = [:]

    mutating func add(_ text: String, placeholder: String) {
        add(
            Substitution(
                found: Array(text.utf8), replacement: Array("<\(placeholder)>".utf8),
                placeholder: placeholder))
    }

    mutating func add(_ text: String, mark: String) {
        add(Substitution(found: Array(text.utf8), replacement: Array(mark.utf8), placeholder: nil))
    }

    /// Texts shorter than a window are ignored: they are words, not secrets.
    private mutating func add(_ substitution: Substitution) {
        guard substitution.found.count >= Self.windowBytes else { return }
        let start = substitution.found[..<Self.windowBytes].reduce(0) { $0 << 8 | UInt32($1) }
        byStart[start, default: []].append(substitution)
        byStart[start]?.sort { $0.found.count > $1.found.count }
    }

    /// The text with all replacements made, and the names of the placeholders that were inserted.
    func apply(to text: String) -> (text: String, placeholders: Set<String>) {
        let bytes = Array(text.utf8)
        guard !byStart.isEmpty, bytes.count >= Self.windowBytes else { return (text, []) }
        var result: [UInt8] = []
        var placeholders: Set<String> = []
        var index = 0
        while index < bytes.count {
            guard let substitution = substitution(at: index, in: bytes) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += substitution.replacement
            if let placeholder = substitution.placeholder { placeholders.insert(placeholder) }
            index += substitution.found.count
        }
        return (String(decoding: result, as: UTF8.self), placeholders)
    }

    private func substitution(at index: Int, in bytes: [UInt8]) -> Substitution? {
        guard index + Self.windowBytes <= bytes.count else { return nil }
        let start = bytes[index..<(index + Self.windowBytes)].reduce(0) { $0 << 8 | UInt32($1) }
        return byStart[start]?.first { bytes[index...].starts(with: $0.found) }
    }
}
