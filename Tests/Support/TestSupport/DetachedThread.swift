/// A thread for work that blocks: the cooperative pool is as wide as the machine has cores, and a
/// test that waits on it can starve what it waits for.
package enum DetachedThread {
    package static func run(_ body: @escaping @Sendable () -> Void) {
        guard let thread = try? PosixThread(body) else { return body() }
        thread.detach()
    }
}
