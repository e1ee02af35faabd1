internal import KeyValueStore
internal import SQLite
internal import Synchronization

/// Copies a long log back into the database, mostly while other threads commit.
///
/// The log begins anew only after a checkpoint to its very end, which is never reached while others
/// commit. So a first checkpoint copies nearly everything beside them, and a second one the few
/// pages since, between two commits.
final class Checkpoints: Sendable {
    private enum Step {
        case none
        case due
        case copying
        /// What is left is copied after the next commit.
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
        if finishes { _ = connection.checkpoint() }
    }

    /// To be called by a thread whose write is finished: only it waits.
    func copyIfDue(_ connections: ConnectionPool) {
        let isDue = step.withLock { step in
            guard step == .due else { return false }
            step = .copying
            return true
        }
        guard isDue else { return }
        // A failure is not one of the write; the next checkpoint is due after the next commit.
        let isComplete = try? connections.withConnection(for: .reading) { connection in
            connection.checkpoint()
        }
        step.withLock { $0 = isComplete == false ? .finishing : .none }
    }
}
