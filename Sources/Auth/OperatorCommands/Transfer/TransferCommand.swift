internal import AuthComposition
internal import FunctionRuntime
internal import Glibc
internal import KeyValueStore
internal import StoreTransfer

// `latchkey export` and `latchkey import` move all items from one store to another, through
// standard output and standard input (docs/operating.md).
extension OperatorCommand {
    static let export = OperatorCommand(
        CommandShape(name: "export", summary: "Write all items of the store to standard output.")
    ) { _, assembly throws(CommandFailure) in
        let store = try scannableStore(assembly)
        let count = try transferring { () throws(TransferFailure) in
            try StoreExport(store).run { bytes throws(TransferFailure) in
                guard Descriptor.writeAll(bytes, to: 1) else { throw .unwritableOutput }
            }
        }
        Terminal.say("latchkey: exported \(count) items")
        return 0
    }

    static let importing = OperatorCommand(
        CommandShape(
            name: "import", summary: "Read an export from standard input into an empty store.",
            flags: [Flag("--continue", nil, "Resume an unfinished import.")])
    ) { arguments, assembly throws(CommandFailure) in
        let store = try scannableStore(assembly)
        let counts = try transferring { () throws(TransferFailure) in
            var lines = LineReader(descriptor: 0, bytesMax: StoreImport.lineBytesMax)
            return try StoreImport(into: store, clock: assembly.clock, pause: assembly.sleep)
                .run(continues: arguments.has("--continue")) { () throws(TransferFailure) in
                    try lines.next()
                }
        }
        Terminal.say(
            "latchkey: imported \(counts.written) items, \(counts.present) already present, "
                + "\(counts.expired) expired; the count and the checksum match")
        return 0
    }

    private static func scannableStore(
        _ assembly: Assembly
    ) throws(CommandFailure) -> any ScannableStore {
        let store = try starting { () throws(StartFailure) in try assembly.store() }
        guard let store = store as? any ScannableStore else {
            throw CommandFailure("STORE: a memory store cannot be exported or imported")
        }
        return store
    }
}

func transferring<Value>(
    _ call: () throws(TransferFailure) -> Value
) throws(CommandFailure) -> Value {
    do throws(TransferFailure) {
        return try call()
    } catch {
        throw CommandFailure(error.explanation)
    }
}

/// Reads lines of bounded length.
private struct LineReader {
    private static let pieceBytes = 64 << 10

    let descriptor: Int32
    let bytesMax: Int
    private var buffer: [UInt8] = []
    /// The index in the buffer where the next line begins.
    private var start = 0
    private var isAtEnd = false

    init(descriptor: Int32, bytesMax: Int) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
    }

    /// The next line without its line break; nil at the end of the input. A last line without a
    /// line break is truncated input.
    mutating func next() throws(TransferFailure) -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            guard !isAtEnd else {
                guard start == buffer.count else { throw .incomplete }
                return nil
            }
            guard buffer.count - start <= bytesMax else { throw .unknownFormat }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            try fill()
        }
    }

    private mutating func fill() throws(TransferFailure) {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        var count: Int
        repeat {
            count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .unreadableInput }
        isAtEnd = count == 0
        buffer += piece[..<count]
    }
}

extension TransferFailure {
    fileprivate var explanation: String {
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
        case .unreadableInput: "standard input cannot be read"
        case .unwritableOutput: "standard output cannot be written"
        }
    }
}
