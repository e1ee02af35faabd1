internal import CPosix
internal import Glibc

/// An eventfd that wakes the thread of an event loop.
final class WakeEvent: Sendable {
    /// A descriptor that is readable from `signal` until `clear`.
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

    /// Clears the signal. Call this before you handle the event, so that no later signal is lost.
    func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
