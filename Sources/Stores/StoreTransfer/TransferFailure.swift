package import KeyValueStore

package enum TransferFailure: Error, Equatable, Sendable {
    case store(StoreFailure)
    /// With the line number.
    case malformedLine(Int)
    /// Another format, or a version that this program does not know.
    case unknownFormat
    /// The last line is missing: the export was cut off.
    case incomplete
    /// The items are not those that were exported.
    case changed
    case targetNotEmpty
    /// The target has an item with this key that differs.
    case conflict(ItemKey)
    case unreadableInput
    case unwritableOutput
}
