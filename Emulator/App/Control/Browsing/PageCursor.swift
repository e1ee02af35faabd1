internal import Bytes

/// The position of the next page of a list: after a key. Unlike with an offset, writes between two
/// pages neither repeat nor skip an item that exists throughout.
enum PageCursor {
    private static let invalid = BrowsingFailure(
        400, "Invalid cursor: expected the member next of the previous page of the same list.")

    /// The cursor contains the name of the list, so that the cursor of another list is refused.
    static func text(of list: String, after key: [String]) -> String {
        var bytes: [UInt8] = []
        for field in [list] + key {
            // Keys have at most 2,048 bytes.
            let count = field.utf8.count
            bytes += [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            bytes += field.utf8
        }
        return Base64URL.encode(bytes)
    }

    /// The key after which to continue, which must have `parts` parts.
    static func key(
        _ cursor: String, of list: String, parts: Int
    ) throws(BrowsingFailure) -> [String] {
        guard let bytes = Base64URL.decode(cursor) else { throw invalid }
        var rest = bytes[...]
        var fields: [String] = []
        while let high = rest.popFirst() {
            guard let low = rest.popFirst() else { throw invalid }
            let count = Int(high) << 8 | Int(low)
            let part = Array(rest.prefix(count))
            guard part.count == count, let field = String(checkingUTF8: part.span) else {
                throw invalid
            }
            fields.append(field)
            rest = rest.dropFirst(count)
        }
        guard fields.count == parts + 1, fields[0].isSame(as: list) else { throw invalid }
        return Array(fields.dropFirst())
    }

    /// The error for a key that the store rejects.
    static var refusal: BrowsingFailure { invalid }
}

extension [String] {
    /// A page of names, in the order of their bytes, and the cursor of the next page.
    func page(_ page: PageRequest, of list: String) throws(BrowsingFailure) -> (
        names: [String], next: String?
    ) {
        let after = try page.cursor.map { text throws(BrowsingFailure) in
            try PageCursor.key(text, of: list, parts: 1)[0]
        }
        let rest = filter { name in
            after.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true
        }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let names = Array(rest.prefix(page.limit))
        guard rest.count > names.count, let last = names.last else { return (names, nil) }
        return (names, PageCursor.text(of: list, after: [last]))
    }
}
