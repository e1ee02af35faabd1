import AuthDomain
import AuthOperations
import AuthTestSupport
import Foundation
import Testing
import Time

/// Random requests of several people, on a store with faults: a session is always of one's own
/// account, what was revoked stays revoked, no token of a provider is forgotten, and at the end
/// each person can sign in.
/// A failing run prints its seed; `LATCHKEY_SIMULATION_SEED` repeats it.
@Suite("Account simulation") struct AccountSimulationTests {
    static let blocks = Array(0..<4)
    static let runsPerBlock = setting("LATCHKEY_SIMULATION_RUNS").map { $0 / blocks.count } ?? 40

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private func forEachSeed(_ block: Int, _ run: (UInt64) throws -> Void) rethrows {
        if let seed = Self.setting("LATCHKEY_SIMULATION_SEED") { return try run(UInt64(seed)) }
        for index in 0..<Self.runsPerBlock {
            try run(UInt64(block * Self.runsPerBlock + index))
        }
    }

    @Test(arguments: blocks)
    func `accounts after verification stay with the owners of their addresses`(block: Int) throws {
        let policy = Policy.passwords().with {
            $0.passkeys = PasskeyPolicy()
            $0.guests = .simulated
            $0.merging = MergePolicy()
            $0.mailCodes = MailCodePolicy()
            $0.emailChanges = EmailChangePolicy()
        }
        let done = try simulate(block, policy)
        guard Self.setting("LATCHKEY_SIMULATION_SEED") == nil else { return }
        let codes: Set = ["verifyByCode", "resetByCode", "redeemCode"]
        #expect(!done.isDisjoint(with: codes), "\(done)")
        let others: Set = ["confirmEmail", "confirmEmailByCode", "confirmPasswordByCode"]
        #expect(!done.isDisjoint(with: others), "\(done)")
    }

    @Test(arguments: blocks)
    func `accounts made at once go to the owners of their addresses`(block: Int) throws {
        let policy = Policy.passkeys {
            $0.guests = .simulated
            $0.merging = MergePolicy()
            $0.emailChanges = EmailChangePolicy()
        }
        _ = try simulate(block, policy)
    }

    /// - Returns: the names of the requests that succeeded.
    private func simulate(_ block: Int, _ policy: Policy) throws -> Set<String> {
        var (sessions, revoked, tokens, merged, undone) = (0, 0, 0, 0, 0)
        var (refused, failed, migrated) = (0, 0, 0)
        var (events, refusedEvents, withheld) = (0, 0, 0)
        var guests = AccountSimulation.GuestCounts()
        var done: Set<String> = []
        try forEachSeed(block) { seed in
            let simulation = try AccountSimulation(seed: seed, policy: policy)
            for _ in 0..<40 {
                let count = 1 + Int(simulation.random.next(below: 3))
                let actions = (0..<count).map { _ in simulation.randomAction() }
                let outcomes = try simulation.race(actions.map(\.1), faultPercent: 12)
                for (action, outcome) in zip(actions, outcomes) where outcome.isSuccess {
                    done.insert(action.0)
                }
                try simulation.check()
                try simulation.checkClaims()
                simulation.kit.clock.advance(
                    by: simulation.random.happens(15)
                        ? .minutes(12) : .seconds(Int64(simulation.random.next(below: 60))))
            }
            sessions += simulation.held.count
            revoked += simulation.held.count(where: \.isRevoked)
            try simulation.checkRefreshing()
            try simulation.checkTokens()
            let found = try simulation.checkGuests()
            guests.swept += found.swept
            guests.upgraded += found.upgraded
            undone += try simulation.checkUndo()
            try simulation.checkHooks()
            refused += simulation.hooks.refusals
            failed += simulation.hooks.failures
            migrated += simulation.hooks.migrations
            simulation.hooks.turnOff()
            try simulation.checkThatAllGetIn()
            tokens += simulation.kit.erasure.revoked.count
            merged += try simulation.checkMerges()
            withheld += simulation.checkMailBudget()
            refusedEvents += simulation.receiver?.refusals ?? 0
            events += try simulation.checkWebhooks()
        }
        // Without these, the simulation would test nothing.
        #expect(sessions > 0 && revoked > 0 && tokens > 0)
        guard Self.setting("LATCHKEY_SIMULATION_SEED") == nil else { return done }
        #expect(guests.swept > 0 && guests.upgraded > 0 && merged > 0)
        #expect(undone > 0 || done.contains("undoEmail"))
        #expect(refused > 0 && failed > 0 && migrated > 0)
        #expect(events > 0 && refusedEvents > 0 && withheld > 0)
        #expect(done.count > 12, "\(done)")
        // A passkey as the second factor is too rare for each block.
        let passkeys = ["signUpWithPasskey", "signInWithPasskey", "addPasskey", "removePasskey"]
        #expect(done.isSuperset(of: passkeys + ["signInForApp", "redeem"]), "\(done)")
        return done
    }
}
