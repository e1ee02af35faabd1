import AuthDomain
import AuthOperations
import AuthTestSupport
import Testing
import Time

/// Thousands of interleavings of the real operations. A run that fails prints its seed; a seed
/// that once failed belongs into `seeds`, for good.
@Suite("Refresh simulation") struct RefreshSimulationTests {
    /// Seeds in blocks, so that the blocks run side by side.
    static let blocks = Array(0..<16)
    static let runsPerBlock = 125

    private func forEachSeed(_ block: Int, _ run: (UInt64) throws -> Void) rethrows {
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
                        try world.familiesAreSound(of: first.user.id), "unsound, seed \(seed)")
                    world.kit.clock.advance(by: .seconds(5))
                }
                try #require(!owner.isSignedOut, "the owner was signed out, seed \(seed)")
                try #require(owner.wasAnswered, "the owner was never answered, seed \(seed)")
                world.kit.clock.advance(by: .minutes(Int64(world.random.next(below: 60 * 24))))
            }
        }
    }

    @Test(arguments: blocks)
    func `callers that race with one token are all given the same successor`(block: Int) throws {
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
            try #require(!tokens.contains(token), "the spent token came back, seed \(seed)")
            try #require(!tokens.contains("refused"), "somebody was refused, seed \(seed)")
        }
    }

    @Test(arguments: blocks)
    func `a thief and an owner cannot both stay signed in past the window`(block: Int) throws {
        try forEachSeed(block) { seed in
            let world = try World(seed: seed)
            let first = try world.kit.session()
            var owner = Holder(token: first.refresh.reveal())
            var thief = owner
            // They race, inside the window, with whatever each of them holds.
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
            // A family that was reused is gone for everybody.
            if owner.isSignedOut || thief.isSignedOut {
                for token in [owner.token, thief.token, first.refresh.reveal()] {
                    let outcome = world.race([.refresh(token)])[0]
                    if case .token = outcome {
                        Issue.record("a revoked family lives, seed \(seed)")
                    }
                }
            }
        }
    }

    @Test(arguments: blocks)
    func `revoked stays revoked, whatever races with the sign-out`(block: Int) throws {
        try forEachSeed(block) { seed in
            let world = try World(seed: seed)
            let first = try world.kit.session()
            let access = first.access.reveal()
            var tokens: Set<String> = [first.refresh.reveal()]
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
                for outcome in outcomes {
                    if case .token(let next) = outcome { tokens.insert(next) }
                }
                isRevoked = outcomes[1] == .done
            }
            guard isRevoked else { return }
            world.unreliable.setFaults(percent: 0)
            for _ in 0..<3 {
                for token in tokens {
                    let outcome = world.race([.refresh(token)])[0]
                    if case .token = outcome { Issue.record("refreshed, seed \(seed)") }
                }
                #expect(
                    world.race([.authenticate(access)])[0] != .done,
                    "the access token lives, seed \(seed)")
                world.kit.clock.advance(by: .seconds(20))
            }
        }
    }

    @Test(arguments: blocks)
    func `where a contract says so, one reused token ends every session of the user`(
        block: Int
    ) throws {
        try forEachSeed(block) { seed in
            let world = try World(seed: seed, policy: .testing.with { $0.reuseScope = .user })
            let stolen = try world.kit.session()
            let other = try world.kit.session()
            #expect(stolen.user.id == other.user.id)
            let first = stolen.refresh.reveal()
            guard case .token = world.race([.refresh(first)])[0] else {
                Issue.record("no first refresh, seed \(seed)")
                return
            }
            world.kit.clock.advance(by: .minutes(5))
            // The reuse races with a refresh of the innocent session.
            let outcomes = world.race([.refresh(first), .refresh(other.refresh.reveal())])
            #expect(outcomes[0] == .refused(.refreshTokenRejected(.reusedPrevious)), "seed \(seed)")
            var held = other.refresh.reveal()
            if case .token(let next) = outcomes[1] { held = next }
            let after = world.race([.refresh(held)])[0]
            #expect(after == .refused(.refreshTokenRejected(.ended)), "seed \(seed)")
        }
    }
}
