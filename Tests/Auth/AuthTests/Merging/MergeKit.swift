// Merges, for tests.
extension Policy {
    static func merging(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
        .guests {
            $0.merging = MergePolicy()
            change(&$0)
        }
    }
}

extension AuthKit {
    /// The ticket for the account that has the identity.
    func offer(
        _ provider: String = "google", _ subject: String = "ada", by tokens: SessionTokens
    ) throws -> String {
        let input = LinkIdentity.Input(proof(provider, subject))
        guard case .inUse(let ticket) = try auth.linkIdentity(input, caller(tokens)) else {
            throw KitFailure.noSession
        }
        return ticket.reveal()
    }

    func merge(
        _ ticket: String, by tokens: SessionTokens, refresh: String? = nil,
        _ answer: SecondFactorAnswer? = nil
    ) throws -> SessionTokens {
        let input = MergeAccounts.Input(
            .ticket(ticket, secondFactor: answer),
            refreshToken: refresh ?? tokens.refresh.reveal())
        return try auth.mergeAccounts(input, caller(tokens))
    }

    func mergeError(
        _ ticket: String, by tokens: SessionTokens, refresh: String? = nil,
        _ answer: SecondFactorAnswer? = nil
    ) -> AuthError? {
        error { _ = try merge(ticket, by: tokens, refresh: refresh, answer) }
    }

    /// Housekeeping's report on merges. It also erases the rest of the accounts.
    @discardableResult
    func finishMerges() throws -> [String: Int] {
        let reports = try auth.housekeeping([.finishMerges, .finishDeletions], until: nil)
        return Dictionary(uniqueKeysWithValues: reports[0].counts.map { ($0.name, $0.count) })
    }

    func mergeJobs() throws -> [MergeRecord] {
        try store.query(MergeRecord.query(limit: 1000)).items.map { try MergeRecord($0) }
    }
}

/// An account that signs in with Google, and a guest on whose device it is used next.
struct MergeScene {
    let clock: TestClock
    let store: FaultyStore
    let kit: AuthKit
    let owner: SessionTokens
    let guest: SessionTokens

    init(
        _ policy: Policy = .merging(), erasure: FakeErasure = FakeErasure(),
        clock: TestClock = TestClock()
    ) throws {
        self.clock = clock
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(policy: policy, clock: clock, store: store, erasure: erasure)
        guard let owner = try kit.signIn("google", "ada", "ada@example.com").tokens else {
            throw AuthKit.KitFailure.noSession
        }
        self.owner = owner
        guest = try kit.guest()
    }

    func offer() throws -> String { try kit.offer(by: guest) }
    func merge(_ ticket: String) throws -> SessionTokens { try kit.merge(ticket, by: guest) }

    /// The guest has objects, and entries of an application.
    func fill() {
        for number in 1...5 { kit.erasure.addObject("photo\(number)", of: guest.user.id) }
        kit.erasure.addObject("own", of: owner.user.id)
        kit.erasure.addEntry("note", of: guest.user.id)
    }

    /// Whether everything of the guest belongs to the owner, and to nobody else.
    var isMoved: Bool {
        let photos = Set((1...5).map { "photo\($0)" })
        return kit.erasure.objectNames(of: owner.user.id) == photos.union(["own"])
            && kit.erasure.entries(of: owner.user.id) == ["note"]
            && kit.erasure.entries(of: guest.user.id).isEmpty
    }
}
