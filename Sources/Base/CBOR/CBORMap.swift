/// The entries of a map, in order, with unique keys.
package struct CBORMap: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        /// An integer, a byte string or a text.
        package let key: CBOR
        package let value: CBOR

        package init(key: CBOR, value: CBOR) {
            self.key = key
            self.value = value
        }
    }

    package let entries: [Entry]

    /// The caller guarantees that no key occurs twice.
    package init(unique entries: [Entry]) { self.entries = entries }

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    package subscript(key: CBOR) -> CBOR? { entries.first { $0.key == key }?.value }
    package subscript(text: String) -> CBOR? { self[.text(text)] }
    package subscript(integer: Int64) -> CBOR? { self[.integer(integer)] }
}
