package import Cryptography
internal import Synchronization
package import Time

/// A folder of events, ready to be replayed against executables. Fixtures may be replayed on
/// several threads at a time.
package final class Replay: Sendable {
    private let context: ReplayEnvironment
    private let isStopped = Atomic<Bool>(false)

    /// - Parameter tables: where functions have their state; nil: where the world's environment
    ///   says.
    package init(
        _ catalog: Fixture.Catalog, world: FixtureSettings, executables: Executables,
        tables: (any ReplayTables)? = nil, clock: WallClock, random: RandomSource
    ) throws(FixtureFailure) {
        context = try ReplayEnvironment(
            catalog, world: world, executables: executables, tables: tables, clock: clock,
            random: random)
    }

    deinit { stop() }

    /// Ends its servers, and deletes what it has in a store that is not its own.
    package func stop() {
        if !isStopped.exchange(true, ordering: .relaxed) { context.stop() }
    }

    /// Everything secret that has been seen so far, and every text in which none may be.
    package var leakDetector: SecretLeakDetector { context.leakDetector }

    /// What the functions did in the tables of the emulator's DynamoDB.
    package var calls: Set<ObservedCall> { context.tables?.calls ?? [] }

    /// Runs it, and blocks meanwhile.
    package func outcome(of fixture: Fixture) -> ReplayOutcome {
        do throws(FixtureFailure) {
            return try FixtureRun(fixture, context).replay()
        } catch {
            var outcome = ReplayOutcome(fixture)
            outcome.problems.append(error.description)
            return outcome
        }
    }
}
