package import Cryptography
internal import Synchronization
package import Time

/// A folder of events, ready to be replayed against executables. Fixtures may be replayed on
/// several threads at a time.
package final class Replay: Sendable {
    private let context: ReplayEnvironment
    private let isStopped = Atomic<Bool>(false)

    /// - Parameters:
    ///   - judged: the executables that get the fixtures' own events, if other executables run the
    ///     steps.
    ///   - template: the functions to run instead of the executables.
    ///   - tables: the functions' store; nil for the store of the folder's environment.
    package init(
        _ catalog: Fixture.Catalog, settings: FixtureSettings, executables: Executables,
        judged: Executables? = nil, template: (any TemplateFunctions)? = nil,
        tables: (any ReplayTables)? = nil, clock: WallClock, random: RandomSource
    ) throws(FixtureFailure) {
        context = try ReplayEnvironment(
            catalog, settings: settings, executables: executables, judged: judged ?? executables,
            template: template, tables: tables, clock: clock, random: random)
    }

    deinit { stop() }

    /// Stops its servers, and deletes its tables from an external store.
    package func stop() {
        if !isStopped.exchange(true, ordering: .relaxed) { context.stop() }
    }

    /// The secrets seen so far, and the texts that must not contain them.
    package var leakDetector: SecretLeakDetector { context.leakDetector }

    /// The permissions that the functions used in the emulator's DynamoDB.
    package var calls: Set<UsedPermission> { context.tables?.calls ?? [] }

    /// Runs the fixture; blocks until it has ended.
    ///
    /// - Parameter windowMilliseconds: measures the store calls of its request. If each call
    ///   follows the previous one within this time, the calls count as simultaneous.
    package func outcome(
        of fixture: Fixture, measuringWithin windowMilliseconds: Int? = nil
    ) -> ReplayOutcome {
        do throws(FixtureFailure) {
            let meter = windowMilliseconds.map { milliseconds in
                CallMeter(
                    windowMilliseconds: milliseconds,
                    cachedPartitions: context.settings.cachedPartitions,
                    after: context.runner.after)
            }
            return try FixtureRun(fixture, context).replay(meter)
        } catch {
            var outcome = ReplayOutcome(fixture)
            outcome.problems.append(error.description)
            return outcome
        }
    }

    /// Lets each store call of the fixture's request fail in each way, and judges the answers.
    package func faults(of fixture: Fixture) -> FaultOutcome {
        do throws(FixtureFailure) {
            return try FixtureRun(fixture, context).findWrongAnswers()
        } catch {
            var outcome = FaultOutcome(fixture: fixture)
            outcome.problems.append(error.description)
            return outcome
        }
    }
}
