/// A text somewhere in another, with `*` for anything.
enum Glob {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        for piece in pattern.utf8.split(separator: UInt8(ascii: "*")) {
            guard let end = end(of: Array(piece), in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    private static func end(of piece: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= piece.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - piece.count))
            .first { bytes[$0...].starts(with: piece) }
            .map { $0 + piece.count }
    }
}
