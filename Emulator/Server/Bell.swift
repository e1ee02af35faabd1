internal import CHTTPServer
internal import Glibc

/// Wakes the thread of a loop, from any other.
final class Bell: Sendable {
    /// Readable from `ring` to `silence`.
    let descriptor: Int32

    init() throws(ServerFailure) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .noSocket(code: errno) }
    }

    deinit { close(descriptor) }

    func ring() { eventfd_write(descriptor, 1) }

    /// Before looking at what it was rung for: what comes later rings again.
    func silence() {
        var rung = eventfd_t()
        eventfd_read(descriptor, &rung)
    }
}
