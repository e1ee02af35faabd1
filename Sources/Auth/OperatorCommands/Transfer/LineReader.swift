internal import Glibc
internal import StoreTransfer

/// Reads lines of bounded length.
struct LineReader {
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

    /// The next line without its line break; nil at the end of the input. If the last line has no
    /// line break, the input is incomplete.
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
