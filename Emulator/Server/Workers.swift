internal import Glibc
internal import Synchronization

/// The daemon's threads, which have to be woken now and then.
///
/// libmicrohttpd 0.9.75 takes up to 128 events at a time from the system. When it gets exactly as
/// many, it asks for more before it serves any of them, and if there are none, it waits for them
/// as long as a connection may be idle: 128 clients get no answer. A signal ends the wait.
final class Workers: Sendable {
    /// Fewer connections cannot make so many events.
    static let connectionsMin = 128
    /// Ignored by default, and nobody's elsewhere.
    private static let signal = SIGURG

    private let threads = Mutex<Set<pthread_t>>([])

    /// The calling thread is one of them.
    func add() {
        let thread = pthread_self()
        threads.withLock { _ = $0.insert(thread) }
    }

    /// Not after the daemon has been stopped.
    func wake() {
        threads.withLock { threads in
            for thread in threads { pthread_kill(thread, Self.signal) }
        }
    }

    /// Threads that `body` starts can be woken, whatever the caller has blocked for itself.
    static func wakeable<Result>(_ body: () -> Result) -> Result {
        _ = hasHandler
        var ours = sigset_t()
        var before = sigset_t()
        sigemptyset(&ours)
        sigaddset(&ours, signal)
        pthread_sigmask(SIG_UNBLOCK, &ours, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    /// A signal that is ignored would wake nobody.
    private static let hasHandler: Bool = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        action.sa_flags = SA_RESTART
        return sigaction(signal, &action, nil) == 0
    }()
}
