/// A text as a key: two texts are one key only when their bytes are the same.
package struct TextKey: Hashable, Sendable {
    package let utf8: [UInt8]

    package init(_ text: String) { utf8 = Array(text.utf8) }
}
