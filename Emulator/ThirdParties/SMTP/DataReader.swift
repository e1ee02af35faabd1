/// Reads the message after `DATA`, up to the line with a single dot.
struct DataReader {
    enum Failure: Error {
        case tooLarge, lineTooLong, bareLineEnd

        var reply: String {
            switch self {
            case .tooLarge: "552 5.3.4 The message is too large"
            case .lineTooLong: "554 5.6.0 A line of the message is too long"
            case .bareLineEnd: "554 5.6.0 A line of the message does not end with CR LF"
            }
        }
    }

    private let bytesMax: Int
    private let lineBytesMax: Int
    private var message: [UInt8] = []
    /// The bytes since the last CRLF.
    private var line: [UInt8] = []
    /// Whether the beginning of the line was dropped; then it cannot be the line with a single dot.
    private var isLineCut = false
    private var failure: Failure?
    private var readCount = 0

    init(bytesMax: Int, lineBytesMax: Int) {
        self.bytesMax = bytesMax
        self.lineBytesMax = lineBytesMax
    }

    var heldBytes: Int { message.count + line.count }

    /// Whether the message is far over its limit. This is not checked within a line that may be the
    /// last.
    private(set) var isEndless = false

    var result: Result<[UInt8], Failure> { failure.map { .failure($0) } ?? .success(message) }

    /// Returns true at the end of the message; the bytes after it remain in `rest`.
    mutating func read(_ rest: inout ArraySlice<UInt8>) -> Bool {
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A)
            let piece = rest[..<(end.map { $0 + 1 } ?? rest.endIndex)]
            rest = rest[piece.endIndex...]
            readCount += piece.count
            append(piece)
            if isEndless { return false }
            guard end != nil else { return false }
            guard line.suffix(2).elementsEqual([0x0D, 0x0A]) else {
                // This is not a line end: the following bytes belong to the same line.
                fail(.bareLineEnd)
                continue
            }
            if finishLine() { return true }
            checkEnd()
            if isEndless { return false }
        }
        return false
    }

    private mutating func append(_ piece: ArraySlice<UInt8>) {
        line += piece
        guard line.count > lineBytesMax + 2 else { return }
        fail(.lineTooLong)
        // Two bytes are enough to detect the line end.
        line = Array(line.suffix(2))
        isLineCut = true
        checkEnd()
    }

    private mutating func checkEnd() { isEndless = readCount > 4 * bytesMax + (1 << 20) }

    /// Returns true for the line with a single dot.
    private mutating func finishLine() -> Bool {
        defer {
            line.removeAll(keepingCapacity: true)
            isLineCut = false
        }
        let content = line.dropLast(2)
        if !isLineCut, content.elementsEqual([UInt8(ascii: ".")]) { return true }
        if content.contains(0x0D) { fail(.bareLineEnd) }
        guard failure == nil else { return false }
        // RFC 5321 section 4.5.2: the sender doubles a dot at the start of a line.
        message += line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...]
        if message.count > bytesMax { fail(.tooLarge) }
        return false
    }

    /// The first failure is reported.
    private mutating func fail(_ failure: Failure) {
        guard self.failure == nil else { return }
        self.failure = failure
        message = []
    }
}
