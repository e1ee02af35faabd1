internal import Glibc
internal import KeyValueStore
internal import Synchronization
internal import Threads

/// The write-ahead log as a file, which is synced while other threads write to it.
///
/// SQLite would sync it in `COMMIT`, and other writers would have to wait during that time. So
/// `synchronous` is `NORMAL`: SQLite itself still syncs around checkpoints and after the log
/// restarts, and the store syncs after each commit, as `FULL` would
/// (https://sqlite.org/pragma.html#pragma_synchronous).
final class LogFile: Sendable {
    private enum State {
        case closed
        case open(Int32)
        /// A sync has failed. The kernel reports that only once, and may then drop the data that it
        /// could not write. A later sync would succeed although the data is lost.
        case failed(StoreFailure)
    }

    private let path: String
    private let state = Mutex(State.closed)
    private let syncFile: @Sendable (Int32) -> Int32

    /// - Parameters:
    ///   - path: the path of the log. SQLite keeps the file as long as a connection is open.
    ///   - sync: 0, or a negative number with the reason in `errno`.
    init(path: String, sync: @escaping @Sendable (Int32) -> Int32) {
        self.path = path
        syncFile = sync
    }

    deinit {
        if case .open(let file) = state.withLock({ $0 }) { close(file) }
    }

    /// Call this before a write that must be durable: after the commit, it is too late to refuse
    /// the write.
    func open() throws(StoreFailure) { _ = try descriptor() }

    private func descriptor() throws(StoreFailure) -> Int32 {
        try state.withLock { state throws(StoreFailure) in
            switch state {
            case .open(let file): return file
            case .failed(let failure): throw failure
            case .closed:
                let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
                guard file >= 0 else { throw failure("cannot be opened", errno) }
                state = .open(file)
                return file
            }
        }
    }

    /// Syncs all that was written before the call.
    func sync() throws(StoreFailure) {
        let file = try descriptor()
        while true {
            // `errno` is read at once, because the next calls may change it. If a failure were
            // mistaken for an interruption, the sync would be repeated, and would succeed.
            let code = Waiting.during { syncFile(file) == 0 ? 0 : errno }
            if code == 0 { return }
            guard code != EINTR else { continue }
            try fail(file, with: failure("cannot be synced; restart the server", code))
        }
    }

    private func fail(_ file: Int32, with failure: StoreFailure) throws(StoreFailure) {
        state.withLock { state in
            close(file)
            state = .failed(failure)
        }
        throw failure
    }

    private func failure(_ reason: String, _ code: Int32) -> StoreFailure {
        .unavailable(detail: "sqlite:\(path): \(reason): \(String(cString: strerror(code)))")
    }
}
