internal import KeyValueStore
internal import StoreTransfer

func transferring<Value>(
    _ call: () throws(TransferFailure) -> Value
) throws(CommandFailure) -> Value {
    do throws(TransferFailure) {
        return try call()
    } catch {
        throw CommandFailure(error.explanation)
    }
}

extension TransferFailure {
    var explanation: String {
        switch self {
        case .store(.conditionFailed): "STORE: another program writes to the store"
        case .store(.unavailable(let detail)), .store(.refused(let detail)),
            .store(.unreadable(let detail)):
            "STORE: \(detail)"
        case .malformedLine(let number): "line \(number) cannot be read"
        case .unknownFormat: "the input is not an export, or is from a newer version"
        case .incomplete:
            "the export is incomplete: its last line is missing. Do not use the target"
        case .changed:
            "the items differ from the export: the count or the checksum is wrong. "
                + "Do not use the target"
        case .targetNotEmpty:
            "the target is not empty; import --continue resumes an unfinished import"
        case .conflict(let key):
            // The rest of a key may contain an address.
            "the target has another item of the kind "
                + "\(key.partition.prefix { $0 != "#" }): use an empty target"
        case .unreadableInput: "the input cannot be read"
        case .unwritableOutput: "standard output cannot be written"
        }
    }
}
