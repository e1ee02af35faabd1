package import KeyValueStore

package enum TransferFailure: Error, Equatable, Sendable {
    case store(StoreFailure)
    /// The line with this number is malformed.
    case malformedLine(Int)
    /// The file has another format, or a version that this program does not know.
    case unknownFormat
    /// The last line is missing: the export was cut off.
    case incomplete
    /// The items were changed after the export.
    case changed
    case targetNotEmpty
    /// The target has a different item with this key.
    case conflict(ItemKey)
    case unreadableInput
    case unwritableOutput
}
