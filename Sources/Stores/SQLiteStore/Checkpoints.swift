internal import KeyValueStore
internal import SQLite
internal import Synchronization

/// Copies a long log back into the database, mostly while other threads commit.
///
/// The log starts again from its beginning only after a checkpoint that has reached its end, and
/// that never happens while others commit. So nearly all pages are copied at the same time as
/// others commit, and the last few pages between two commits.
final class Checkpoints: Sendable {
    private enum Step {
        case none
        case due
        case copying
        /// The rest is copied after the next commit.
        case finishing
    }

    private let step = Mutex(Step.none)

    /// Call this after a commit, before the next one can begin.
    func didCommit(on connection: Connection) {
        let finishes = step.withLock { step in
            let finishes = step == .finishing
            if step == .none, connection.logPages >= SQLiteDatabase.checkpointPages { step = .due }
            if finishes { step = .none }
            return finishes
        }
        if finishes { connection.checkpoint() }
    }

    /// A thread calls this when its write is finished. Only this thread waits.
    func copyIfDue(_ connections: ConnectionPool) {
        let isDue = step.withLock { step in
            guard step == .due else { return false }
            step = .copying
            return true
        }
        guard isDue else { return }
        // The first checkpoint takes the longest. The second one copies what was written during the
        // first. A failure here does not mean that the write has failed.
        try? connections.withConnection(for: .reading) { connection in
            connection.checkpoint()
            connection.checkpoint()
        }
        step.withLock { $0 = .finishing }
    }
}
