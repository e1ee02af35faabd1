/// The name of a function of the template, compared as bytes.
package struct FunctionName: Sendable, Hashable, CustomStringConvertible {
    private let utf8: [UInt8]

    package init(_ text: String) { utf8 = Array(text.utf8) }

    package var text: String { String(decoding: utf8, as: UTF8.self) }
    package var description: String { text }
}
