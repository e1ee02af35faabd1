internal import FunctionRuntime
internal import Glibc
internal import KeyValueStore
internal import StoreTransfer

/// `latchkey export` and `latchkey import`: move all items from one store to another, through
/// standard output and standard input (docs/operating.md).
enum TransferCommand: Equatable {
    case export
    case importing(continues: Bool)

    static let help = """
          export              Write all items of the store to standard output.
          import [--continue] Read them into an empty store, or resume an unfinished
                              import.
        """

    /// nil if the arguments are not those of a transfer.
    init?(_ arguments: [String]) {
        switch arguments {
        case ["export"]: self = .export
        case ["import"]: self = .importing(continues: false)
        case ["import", "--continue"]: self = .importing(continues: true)
        default: return nil
        }
    }

    /// Returns the exit status.
    func run(_ name: String, _ assembly: Assembly) -> Int32 {
        do throws(StartFailure) {
            guard let store = try assembly.store() as? any ScannableStore else {
                throw StartFailure(
                    problems: ["STORE: a memory store cannot be exported or imported"])
            }
            do throws(TransferFailure) {
                Self.say("\(name): \(try transfer(store, assembly))")
                return 0
            } catch {
                throw StartFailure(problems: [error.explanation])
            }
        } catch {
            for problem in error.problems { Self.say("\(name): \(problem)") }
            return 1
        }
    }

    private func transfer(
        _ store: any ScannableStore, _ assembly: Assembly
    ) throws(TransferFailure) -> String {
        switch self {
        case .export:
            let count = try StoreExport(store).run { bytes throws(TransferFailure) in
                guard Descriptor.writeAll(bytes, to: 1) else { throw .unwritableOutput }
            }
            return "exported \(count) items"
        case .importing(let continues):
            var lines = LineReader(descriptor: 0, bytesMax: StoreImport.lineBytesMax)
            let counts = try StoreImport(into: store, clock: assembly.clock, pause: assembly.sleep)
                .run(continues: continues) { () throws(TransferFailure) in try lines.next() }
            return "imported \(counts.written) items, \(counts.present) already present, "
                + "\(counts.expired) expired; the count and the checksum match"
        }
    }

    private static func say(_ text: String) {
        _ = Descriptor.writeAll(Array("\(text)\n".utf8), to: 2)
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
