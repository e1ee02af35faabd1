/// A thread for blocking work: the cooperative pool has one thread per core, and tests that block
/// in it can starve what they wait for.
package enum DetachedThread {
    package static func run(_ body: @escaping @Sendable () -> Void) {
        guard let thread = try? PosixThread(body) else { return body() }
        thread.detach()
    }
}
