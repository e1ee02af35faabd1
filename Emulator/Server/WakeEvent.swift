internal import CPosix
internal import Glibc

/// Wakes the thread of a loop, from any other.
final class WakeEvent: Sendable {
    /// Readable from `signal` to `clear`.
    let descriptor: Int32

    init() throws(ServerFailure) {
        descriptor = latchkey_event_open()
        guard descriptor >= 0 else { throw .noSocket(code: -descriptor) }
    }

    deinit { close(descriptor) }

    func signal() {
        var count: UInt64 = 1
        write(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Before looking at what it was rung for: what comes later rings again.
    func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
