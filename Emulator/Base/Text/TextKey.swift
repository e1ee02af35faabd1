/// A text as a dictionary key, compared as bytes.
package struct TextKey: Hashable, Sendable {
    package let utf8: [UInt8]

    package init(_ text: String) { utf8 = Array(text.utf8) }

    package var text: String { String(decoding: utf8, as: UTF8.self) }
}
