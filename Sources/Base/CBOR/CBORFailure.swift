/// Why an item was refused. Offsets are in bytes. A failure contains nothing of the input, so it
/// may be logged.
package enum CBORFailure: Error, Sendable, Equatable {
    case tooLarge
    case tooDeep(offset: Int)
    case tooManyItems(offset: Int)
    /// The input ends inside an item.
    case truncated(offset: Int)
    /// An integer or a length has a shorter encoding.
    case notShortest(offset: Int)
    case indefiniteLength(offset: Int)
    /// The item is a tag, a floating-point number, or a simple value other than false, true and
    /// null.
    case unsupported(offset: Int)
    case notUTF8(offset: Int)
    /// A key is neither an integer nor a string.
    case invalidKey(offset: Int)
    /// The keys of a map are not in the canonical order.
    case unsortedKeys(offset: Int)
    case duplicateKey(offset: Int)
    case trailingBytes(offset: Int)
}
