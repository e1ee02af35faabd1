internal import CPosix
internal import Glibc
internal import Synchronization

/// The read end of a child's output pipe, non-blocking.
final class OutputPipe: Sendable {
    private let descriptor: Mutex<Int32>
    private let sink: @Sendable (ArraySlice<UInt8>) -> Void

    private static let pieceBytes = 64 << 10
    /// Limits one read, so that a child that writes continuously does not starve others.
    private static let piecesMax = 16

    init(_ descriptor: Int32, sink: @escaping @Sendable (ArraySlice<UInt8>) -> Void) {
        _ = latchkey_set_nonblocking(descriptor)
        self.descriptor = Mutex(descriptor)
        self.sink = sink
    }

    /// Returns false at the end of the output.
    @discardableResult
    func drain() -> Bool {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return false }
            return withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) {
                buffer in
                for _ in 0..<Self.piecesMax {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    if count > 0 {
                        sink(Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))[...])
                        if count < buffer.count { return true }
                        continue
                    }
                    if count < 0 && errno == EINTR { continue }
                    return count < 0 && errno == EAGAIN
                }
                return true
            }
        }
    }

    /// Removes it from the epoll set, then closes it.
    func close(removingFrom set: Int32) {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            _ = latchkey_epoll_remove(set, descriptor)
            Glibc.close(descriptor)
            descriptor = -1
        }
    }

    func add(to set: Int32, token: UInt64) {
        descriptor.withLock { _ = latchkey_epoll_add(set, $0, 0, token) }
    }
}
