import AuthTestSupport
import Foundation
import TestSupport

/// Thousands of interleavings of the real operations. A failing run prints its seed; add such seeds
/// to `permanent`. `LATCHKEY_SIMULATION_RUNS` sets the number of runs, `LATCHKEY_SIMULATION_SEED` a
/// single seed.
@Suite("Refresh simulation") struct RefreshSimulationTests {
    /// Seeds that found a bug; so far, in mutations of the product.
    static let permanent: [UInt64] = [3, 7, 41, 977, 0xDEAD_BEEF, .max]
    /// Seeds in blocks, which run in parallel.
    static let blocks = Array(0..<8)
    static let runsPerBlock = setting("LATCHKEY_SIMULATION_RUNS").map { $0 / blocks.count } ?? 125

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private func forEachSeed(_ block: Int, _ run: (UInt64) throws -> Void) rethrows {
        if let seed = Self.setting("LATCHKEY_SIMULATION_SEED") { return try run(UInt64(seed)) }
        if block == 0 { try Self.permanent.forEach(run) }
        for index in 0..<Self.runsPerBlock {
            try run(UInt64(block * Self.runsPerBlock + index))
        }
    }

    @Test(arguments: blocks)
    func `an honest client with lost responses is never signed out`(block: Int) throws {
        try forEachSeed(block) { seed in
            let simulation = try Simulation(seed: seed)
            let first = try simulation.kit.session()
            var owner = Holder(token: first.refresh.reveal())
            for _ in 0..<6 {
                // Until there is a response the client retries with the same token, within the
                // grace period; sometimes twice at once, like two browser tabs.
                owner.wasAnswered = false
                for attempt in 0..<8 where !owner.wasAnswered {
                    simulation.unreliable.setFaults(percent: attempt < 6 ? 30 : 0)
                    let copies = 1 + Int(simulation.random.next(below: 3))
                    let lost: UInt64 = attempt < 6 ? 40 : 0
                    let outcomes = simulation.race(
                        Array(repeating: .refresh(owner.token), count: copies), lostPercent: lost)
                    for outcome in outcomes.shuffled(using: &simulation.random) {
                        owner.receive(outcome)
                    }
                    try #require(
                        try simulation.sessionsAreSound(of: first.user.id), "unsound, seed \(seed)")
                    simulation.kit.clock.advance(by: .seconds(5))
                }
                try #require(!owner.isSignedOut, "the owner was signed out, seed \(seed)")
                try #require(owner.wasAnswered, "the owner was never answered, seed \(seed)")
                simulation.kit.clock.advance(
                    by: .minutes(Int64(simulation.random.next(below: 60 * 24))))
            }
        }
    }

    @Test(arguments: blocks)
    func `concurrent refreshes with one token all get the same successor`(block: Int) throws {
        try forEachSeed(block) { seed in
            let simulation = try Simulation(seed: seed)
            let first = try simulation.kit.session()
            let token = first.refresh.reveal()
            let outcomes = simulation.race(Array(repeating: .refresh(token), count: 5))
            let tokens = Set(
                outcomes.map { outcome in
                    if case .token(let next) = outcome { next } else { "refused" }
                })
            try #require(tokens.count == 1, "several answers, seed \(seed)")
            try #require(!tokens.contains(token), "the replaced token came back, seed \(seed)")
            try #require(!tokens.contains("refused"), "a caller was refused, seed \(seed)")
        }
    }

    /// The loser of the race has presented a replaced token: without a grace period that is reuse,
    /// however short the time.
    @Test(arguments: blocks)
    func `without a grace period one of several refreshes succeeds and the session ends`(
        block: Int
    ) throws {
        try forEachSeed(block) { seed in
            let simulation = try Simulation(
                seed: seed,
                policy: .simulated.with { $0.sessions.rotation = .everyUse(grace: .zero) })
            let first = try simulation.kit.session()
            let hasFaults = simulation.random.happens(50)
            simulation.unreliable.setFaults(percent: hasFaults ? 40 : 0)
            let outcomes = simulation.race(
                Array(repeating: .refresh(first.refresh.reveal()), count: 3))
            let winners = outcomes.count { outcome in
                if case .token = outcome { true } else { false }
            }
            try #require(hasFaults ? winners <= 1 : winners == 1, "seed \(seed)")
            simulation.unreliable.setFaults(percent: 0)
            if !hasFaults {
                try #require(try simulation.kit.sessions(of: first.user.id).isEmpty, "seed \(seed)")
            }
        }
    }

    @Test(arguments: blocks)
    func `a slow refresh never reverts its session`(block: Int) throws {
        var advanced = 0
        try forEachSeed(block) { seed in
            let simulation = try Simulation(seed: seed)
            let first = try simulation.kit.session()
            let token = first.refresh.reveal()
            let outcomes = simulation.race([
                .refresh(token), .refreshTwice(token), .refresh(token),
            ])
            // Slow ones may arrive so late that they are a reuse: then the session has ended.
            guard case .token(let newest) = outcomes[1] else { return }
            advanced += 1
            let generations = try simulation.kit.sessions(of: first.user.id)
                .map { $0.attributes["generation"] }
            try #require(generations == [] || generations == [.integer(2)], "seed \(seed)")
            let after = simulation.race([.refresh(newest)])[0]
            switch after {
            case .token, .refused(.refreshToken(.sessionEnded)): break
            case .done, .nothing, .refused:
                Issue.record("the newest token is \(after), seed \(seed)")
            }
        }
        #expect(advanced > 0)
    }

    @Test(arguments: blocks)
    func `a thief and an owner are not both signed in after the grace period`(block: Int) throws {
        try forEachSeed(block) { seed in
            let simulation = try Simulation(seed: seed)
            let first = try simulation.kit.session()
            var owner = Holder(token: first.refresh.reveal())
            var thief = owner
            // They race within the grace period, each with the token it has.
            for _ in 0..<Int(1 + simulation.random.next(below: 4)) {
                simulation.unreliable.setFaults(percent: 15)
                let outcomes = simulation.race(
                    [.refresh(owner.token), .refresh(thief.token)], lostPercent: 15)
                owner.receive(outcomes[0])
                thief.receive(outcomes[1])
                simulation.kit.clock.advance(by: .seconds(Int64(simulation.random.next(below: 50))))
            }
            // Then each refreshes once an hour, as apps do.
            simulation.unreliable.setFaults(percent: 0)
            for _ in 0..<3 {
                for isOwner in [true, false].shuffled(using: &simulation.random) {
                    simulation.kit.clock.advance(by: .hours(1))
                    let outcome = simulation.race([.refresh(isOwner ? owner.token : thief.token)])[
                        0]
                    if isOwner { owner.receive(outcome) } else { thief.receive(outcome) }
                }
            }
            try #require(owner.isSignedOut || thief.isSignedOut, "both are signed in, seed \(seed)")
            // A session whose token was reused has ended for both.
            if owner.isSignedOut || thief.isSignedOut {
                for token in [owner.token, thief.token, first.refresh.reveal()] {
                    let outcome = simulation.race([.refresh(token)])[0]
                    if case .token = outcome {
                        Issue.record("a revoked session is alive, seed \(seed)")
                    }
                }
            }
        }
    }

    @Test(arguments: blocks)
    func `no race can restore a signed-out session`(block: Int) throws {
        var (runs, revoked) = (0, 0)
        try forEachSeed(block) { seed in
            let simulation = try Simulation(seed: seed)
            let first = try simulation.kit.session()
            let access = first.access.reveal()
            try #require(simulation.race([.authenticate(access)])[0] == .done, "seed \(seed)")
            var tokens: [String] = [first.refresh.reveal()]
            var isRevoked = false
            for _ in 0..<12 where !isRevoked {
                simulation.unreliable.setFaults(percent: 20)
                let current = try #require(tokens.randomElement(using: &simulation.random))
                let scope: SignOut.Scope = simulation.random.happens(50) ? .session : .all
                let outcomes = simulation.race(
                    [
                        .refresh(current), .signOut(access: access, refresh: nil, scope),
                        .refresh(current), .authenticate(access),
                    ], lostPercent: 20)
                for case .token(let next) in outcomes where !tokens.contains(next) {
                    tokens.append(next)
                }
                isRevoked = outcomes[1] == .done
            }
            runs += 1
            guard isRevoked else { return }
            revoked += 1
            simulation.unreliable.setFaults(percent: 0)
            for _ in 0..<2 {
                for token in tokens {
                    let outcome = simulation.race([.refresh(token)])[0]
                    if case .token = outcome { Issue.record("refreshed, seed \(seed)") }
                }
                expectEqual(
                    simulation.race([.authenticate(access)])[0],
                    .refused(.accessToken(.sessionEnded)),
                    "the access token is accepted, seed \(seed)")
                simulation.kit.clock.advance(by: .seconds(20))
            }
        }
        // If no sign-out succeeds, the simulation tests nothing.
        #expect(revoked * 3 > runs || runs == 1)
    }

    @Test(arguments: blocks)
    func `sign-out with scope others ends every other session and keeps its own`(block: Int) throws
    {
        try forEachSeed(block) { seed in
            let simulation = try Simulation(seed: seed)
            let mine = try simulation.kit.session()
            let others = [try simulation.kit.session(), try simulation.kit.session()]
            let asked: Simulation.Action =
                simulation.random.happens(50)
                ? .signOut(access: mine.access.reveal(), refresh: nil, .others)
                : .signOut(access: nil, refresh: mine.refresh.reveal(), .others)
            let outcomes = simulation.race([asked] + others.map { .refresh($0.refresh.reveal()) })
            try #require(outcomes[0] == .done, "seed \(seed)")
            for (index, other) in others.enumerated() {
                var held = other.refresh.reveal()
                if case .token(let next) = outcomes[index + 1] { held = next }
                let after = simulation.race([.refresh(held)])[0]
                expectEqual(after, .refused(.refreshToken(.sessionEnded)), "seed \(seed)")
            }
            guard case .token = simulation.race([.refresh(mine.refresh.reveal())])[0] else {
                Issue.record("the session that asked was ended, seed \(seed)")
                return
            }
        }
    }

    @Test(arguments: blocks)
    func `a reused token ends its own session and no other`(
        block: Int
    ) throws {
        try forEachSeed(block) { seed in
            let simulation = try Simulation(seed: seed)
            let (stolen, other) = (try simulation.kit.session(), try simulation.kit.session())
            let first = stolen.refresh.reveal()
            guard case .token(let second) = simulation.race([.refresh(first)])[0] else {
                Issue.record("no first refresh, seed \(seed)")
                return
            }
            simulation.kit.clock.advance(by: .minutes(5))
            // The reuse races with the owner's own refresh, and with another session.
            let outcomes = simulation.race([
                .refresh(first), .refresh(second), .refresh(other.refresh.reveal()),
            ])
            guard case .refused = outcomes[0] else {
                Issue.record("a reused token was accepted, seed \(seed)")
                return
            }
            var held = [first, second]
            if case .token(let third) = outcomes[1] { held.append(third) }
            for token in held {
                let after = simulation.race([.refresh(token)])[0]
                expectEqual(after, .refused(.refreshToken(.sessionEnded)), "seed \(seed)")
            }
            guard case .token = outcomes[2] else {
                Issue.record("another session was ended, seed \(seed)")
                return
            }
        }
    }

    @Test(arguments: blocks)
    func `with reuse scope user a reused token ends every session of the user`(
        block: Int
    ) throws {
        try forEachSeed(block) { seed in
            let simulation = try Simulation(
                seed: seed, policy: .simulated.with { $0.sessions.reuseScope = .user })
            let stolen = try simulation.kit.session()
            let other = try simulation.kit.session()
            expectEqual(stolen.user.id, other.user.id)
            let first = stolen.refresh.reveal()
            guard case .token = simulation.race([.refresh(first)])[0] else {
                Issue.record("no first refresh, seed \(seed)")
                return
            }
            simulation.kit.clock.advance(by: .minutes(5))
            // The reuse races with a refresh of the other session.
            let outcomes = simulation.race([.refresh(first), .refresh(other.refresh.reveal())])
            expectEqual(outcomes[0], .refused(.refreshToken(.reusedPrevious)), "seed \(seed)")
            var held = other.refresh.reveal()
            if case .token(let next) = outcomes[1] { held = next }
            let after = simulation.race([.refresh(held)])[0]
            expectEqual(after, .refused(.refreshToken(.sessionEnded)), "seed \(seed)")
        }
    }
}
