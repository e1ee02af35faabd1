internal import KeyValueStore
internal import SQLite
internal import Synchronization

/// Copies a long log back into the database, mostly while other threads commit.
///
/// The log begins anew only after a checkpoint to its very end, which is never reached while others
/// commit. So nearly everything is copied beside them, and the few pages since between two commits.
final class Checkpoints: Sendable {
    private enum Step {
        case none
        case due
        case copying
        /// The rest is copied after the next commit.
        case finishing
    }

    private let step = Mutex(Step.none)

    /// To be called after a commit, before the next one can begin.
    func didCommit(on connection: Connection) {
        let finishes = step.withLock { step in
            let finishes = step == .finishing
            if step == .none, connection.logPages >= SQLiteDatabase.checkpointPages { step = .due }
            if finishes { step = .none }
            return finishes
        }
        if finishes { connection.checkpoint() }
    }

    /// To be called by a thread whose write is finished: only it waits.
    func copyIfDue(_ connections: ConnectionPool) {
        let isDue = step.withLock { step in
            guard step == .due else { return false }
            step = .copying
            return true
        }
        guard isDue else { return }
        // The second one is for what was written during the first, which takes longest. A failure
        // is not one of the write.
        try? connections.withConnection(for: .reading) { connection in
            connection.checkpoint()
            connection.checkpoint()
        }
        step.withLock { $0 = .finishing }
    }
}
