package import Cryptography
package import Time

/// A folder of events, ready to be replayed against executables. Fixtures may be replayed on
/// several threads at a time.
package final class Replay: Sendable {
    private let surroundings: Surroundings

    package init(
        _ catalog: Fixture.Catalog, world: World, executables: Executables,
        clock: WallClock, random: RandomSource
    ) throws(FixtureFailure) {
        surroundings = try Surroundings(
            catalog, world: world, executables: executables, clock: clock, random: random)
    }

    deinit { surroundings.stop() }

    /// Everything secret that has been seen so far, and every text in which none may be.
    package var ledger: SecretLedger { surroundings.ledger }

    /// Runs it, and blocks meanwhile.
    package func outcome(of fixture: Fixture) -> Outcome {
        do throws(FixtureFailure) {
            return try Scenario(fixture, surroundings).replay()
        } catch {
            var outcome = Outcome(fixture)
            outcome.problems.append(error.description)
            return outcome
        }
    }
}
