import AuthDomain
import AuthOperations
import AuthTestSupport
import Foundation
import KeyValueStore
import Testing
import Time

/// Thousands of interleavings of the real operations. A run that fails prints its seed; a seed
/// that has failed once stays in `permanent`. `LATCHKEY_SIMULATION_RUNS` asks for more,
/// `LATCHKEY_SIMULATION_SEED` for one alone.
@Suite("Refresh simulation") struct RefreshSimulationTests {
    /// Seeds that found a bug; so far, in deliberate mutations of the product.
    static let permanent: [UInt64] = [3, 7, 41, 977, 0xDEAD_BEEF, .max]
    /// Seeds in blocks, so that the blocks run side by side.
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
    func `an honest client whose answers get lost is never signed out`(block: Int) throws {
        try forEachSeed(block) { seed in
            let world = try World(seed: seed)
            let first = try world.kit.session()
            var owner = Holder(token: first.refresh.reveal())
            for _ in 0..<6 {
                // Until something is answered the client comes back with the same token, inside
                // the window; sometimes twice at once, as two tabs do.
                owner.wasAnswered = false
                for attempt in 0..<8 where !owner.wasAnswered {
                    world.unreliable.setFaults(percent: attempt < 6 ? 30 : 0)
                    let copies = 1 + Int(world.random.next(below: 3))
                    let lost: UInt64 = attempt < 6 ? 40 : 0
                    let outcomes = world.race(
                        Array(repeating: .refresh(owner.token), count: copies), lostPercent: lost)
                    for outcome in outcomes.shuffled(using: &world.random) {
                        owner.receive(outcome)
                    }
                    try #require(
                        try world.sessionsAreSound(of: first.user.id), "unsound, seed \(seed)")
                    world.kit.clock.advance(by: .seconds(5))
                }
                try #require(!owner.isSignedOut, "the owner was signed out, seed \(seed)")
                try #require(owner.wasAnswered, "the owner was never answered, seed \(seed)")
                world.kit.clock.advance(by: .minutes(Int64(world.random.next(below: 60 * 24))))
            }
        }
    }

    @Test(arguments: blocks)
    func `concurrent refreshes with one token all get the same successor`(block: Int) throws {
        try forEachSeed(block) { seed in
            let world = try World(seed: seed)
            let first = try world.kit.session()
            let token = first.refresh.reveal()
            let outcomes = world.race(Array(repeating: .refresh(token), count: 5))
            let tokens = Set(
                outcomes.map { outcome in
                    if case .token(let next) = outcome { next } else { "refused" }
                })
            try #require(tokens.count == 1, "several answers, seed \(seed)")
            try #require(!tokens.contains(token), "the replaced token came back, seed \(seed)")
            try #require(!tokens.contains("refused"), "a caller was refused, seed \(seed)")
        }
    }

    /// Whoever loses the race has presented a token that was replaced: without a grace period that
    /// is reuse, however short the moment.
    @Test(arguments: blocks)
    func `without a grace period one of several refreshes succeeds and the session ends`(
        block: Int
    ) throws {
        try forEachSeed(block) { seed in
            let world = try World(
                seed: seed,
                policy: .simulated.with { $0.sessions.rotation = .everyUse(grace: .zero) })
            let first = try world.kit.session()
            let hasFaults = world.random.happens(50)
            world.unreliable.setFaults(percent: hasFaults ? 40 : 0)
            let outcomes = world.race(Array(repeating: .refresh(first.refresh.reveal()), count: 3))
            let winners = outcomes.count { outcome in
                if case .token = outcome { true } else { false }
            }
            try #require(hasFaults ? winners <= 1 : winners == 1, "seed \(seed)")
            world.unreliable.setFaults(percent: 0)
            if !hasFaults {
                try #require(try world.kit.sessions(of: first.user.id).isEmpty, "seed \(seed)")
            }
        }
    }

    @Test(arguments: blocks)
    func `a slow refresh never sets its session back`(block: Int) throws {
        var advanced = 0
        try forEachSeed(block) { seed in
            let world = try World(seed: seed)
            let first = try world.kit.session()
            let token = first.refresh.reveal()
            let outcomes = world.race([
                .refresh(token), .refreshTwice(token), .refresh(token),
            ])
            // The slow ones may come so late that theirs is a reuse: then the session has ended.
            guard case .token(let newest) = outcomes[1] else { return }
            advanced += 1
            let generations = try world.kit.sessions(of: first.user.id)
                .map { $0.attributes["generation"] }
            try #require(generations == [] || generations == [.integer(2)], "seed \(seed)")
            let after = world.race([.refresh(newest)])[0]
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
            let world = try World(seed: seed)
            let first = try world.kit.session()
            var owner = Holder(token: first.refresh.reveal())
            var thief = owner
            // They race, within the grace period, with whatever each of them holds.
            for _ in 0..<Int(1 + world.random.next(below: 4)) {
                world.unreliable.setFaults(percent: 15)
                let outcomes = world.race(
                    [.refresh(owner.token), .refresh(thief.token)], lostPercent: 15)
                owner.receive(outcomes[0])
                thief.receive(outcomes[1])
                world.kit.clock.advance(by: .seconds(Int64(world.random.next(below: 50))))
            }
            // Then each comes back once an hour, as apps do.
            world.unreliable.setFaults(percent: 0)
            for _ in 0..<3 {
                for isOwner in [true, false].shuffled(using: &world.random) {
                    world.kit.clock.advance(by: .hours(1))
                    let outcome = world.race([.refresh(isOwner ? owner.token : thief.token)])[0]
                    if isOwner { owner.receive(outcome) } else { thief.receive(outcome) }
                }
            }
            try #require(
                owner.isSignedOut || thief.isSignedOut, "both are signed in, seed \(seed)")
            // A session whose token was reused has ended for every holder.
            if owner.isSignedOut || thief.isSignedOut {
                for token in [owner.token, thief.token, first.refresh.reveal()] {
                    let outcome = world.race([.refresh(token)])[0]
                    if case .token = outcome {
                        Issue.record("a revoked session is alive, seed \(seed)")
                    }
                }
            }
        }
    }

    @Test(arguments: blocks)
    func `a session that was signed out stays ended, whatever races with it`(block: Int) throws {
        var (runs, revoked) = (0, 0)
        try forEachSeed(block) { seed in
            let world = try World(seed: seed)
            let first = try world.kit.session()
            let access = first.access.reveal()
            try #require(world.race([.authenticate(access)])[0] == .done, "seed \(seed)")
            var tokens: [String] = [first.refresh.reveal()]
            var isRevoked = false
            for _ in 0..<12 where !isRevoked {
                world.unreliable.setFaults(percent: 20)
                let current = try #require(tokens.randomElement(using: &world.random))
                let scope: SignOut.Scope = world.random.happens(50) ? .session : .all
                let outcomes = world.race(
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
            world.unreliable.setFaults(percent: 0)
            for _ in 0..<2 {
                for token in tokens {
                    let outcome = world.race([.refresh(token)])[0]
                    if case .token = outcome { Issue.record("refreshed, seed \(seed)") }
                }
                #expect(
                    world.race([.authenticate(access)])[0]
                        == .refused(.accessToken(.sessionEnded)),
                    "the access token is accepted, seed \(seed)")
                world.kit.clock.advance(by: .seconds(20))
            }
        }
        // A simulation in which no sign-out succeeds proves nothing.
        #expect(revoked * 3 > runs || runs == 1)
    }

    @Test(arguments: blocks)
    func `sign-out with scope others ends every other session and keeps its own`(block: Int) throws
    {
        try forEachSeed(block) { seed in
            let world = try World(seed: seed)
            let mine = try world.kit.session()
            let others = [try world.kit.session(), try world.kit.session()]
            let asked: World.Action =
                world.random.happens(50)
                ? .signOut(access: mine.access.reveal(), refresh: nil, .others)
                : .signOut(access: nil, refresh: mine.refresh.reveal(), .others)
            let outcomes = world.race(
                [asked] + others.map { .refresh($0.refresh.reveal()) })
            try #require(outcomes[0] == .done, "seed \(seed)")
            for (index, other) in others.enumerated() {
                var held = other.refresh.reveal()
                if case .token(let next) = outcomes[index + 1] { held = next }
                let after = world.race([.refresh(held)])[0]
                #expect(after == .refused(.refreshToken(.sessionEnded)), "seed \(seed)")
            }
            guard case .token = world.race([.refresh(mine.refresh.reveal())])[0] else {
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
            let world = try World(seed: seed)
            let (stolen, other) = (try world.kit.session(), try world.kit.session())
            let first = stolen.refresh.reveal()
            guard case .token(let second) = world.race([.refresh(first)])[0] else {
                Issue.record("no first refresh, seed \(seed)")
                return
            }
            world.kit.clock.advance(by: .minutes(5))
            // The reuse races with the owner's own refresh, and with another session.
            let outcomes = world.race([
                .refresh(first), .refresh(second), .refresh(other.refresh.reveal()),
            ])
            guard case .refused = outcomes[0] else {
                Issue.record("a reused token was accepted, seed \(seed)")
                return
            }
            var held = [first, second]
            if case .token(let third) = outcomes[1] { held.append(third) }
            for token in held {
                let after = world.race([.refresh(token)])[0]
                #expect(after == .refused(.refreshToken(.sessionEnded)), "seed \(seed)")
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
            let world = try World(
                seed: seed, policy: .simulated.with { $0.sessions.reuseScope = .user })
            let stolen = try world.kit.session()
            let other = try world.kit.session()
            #expect(stolen.user.id == other.user.id)
            let first = stolen.refresh.reveal()
            guard case .token = world.race([.refresh(first)])[0] else {
                Issue.record("no first refresh, seed \(seed)")
                return
            }
            world.kit.clock.advance(by: .minutes(5))
            // The reuse races with a refresh of the other session.
            let outcomes = world.race([.refresh(first), .refresh(other.refresh.reveal())])
            #expect(outcomes[0] == .refused(.refreshToken(.reusedPrevious)), "seed \(seed)")
            var held = other.refresh.reveal()
            if case .token(let next) = outcomes[1] { held = next }
            let after = world.race([.refresh(held)])[0]
            #expect(after == .refused(.refreshToken(.sessionEnded)), "seed \(seed)")
        }
    }
}
