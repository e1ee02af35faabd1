/// The provider's tokens of an identity that is removed from its account.
@Suite("Tokens of removed identities") struct RemovedTokenTests {
    let clock = TestClock()
    let memory: MemoryStore
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        memory = MemoryStore(clock: clock.wall)
        store = FaultyStore(memory)
        kit = try AuthKit(policy: .passwords(), clock: clock, store: store)
    }

    /// Signed in with Google, and linked to an identity of Apple that brought a token.
    private func linked(_ subject: String = "001", token: String = "first") throws -> SessionTokens
    {
        let tokens = try #require(try kit.signIn("google", "ada").tokens)
        try kit.link("apple", subject, code: token, by: tokens)
        return tokens
    }

    @discardableResult
    private func remove(
        _ method: String = "apple", by tokens: SessionTokens
    ) throws -> SessionTokens {
        try kit.auth.removeMethod(method, kit.caller(tokens))
    }

    private func housekeep() throws -> [String: Int] {
        let reports = try kit.auth.housekeeping([.finishDeletions], until: nil)
        return Dictionary(uniqueKeysWithValues: reports[0].counts.map { ($0.name, $0.count) })
    }

    private func jobs() throws -> [DeletionRecord] {
        try memory.query(DeletionRecord.query(limit: 100)).items.map { try DeletionRecord($0) }
    }

    /// The stored Apple tokens of an identity.
    private func kept(_ user: UserID, _ subject: String = "001") throws -> [String] {
        try memory.query(StoreLayout.grants(of: .apple(subject), in: user)).items.map { item in
            String(decoding: try kit.auth.providerTokens.open(item).token.reveal(), as: UTF8.self)
        }
    }

    @Test func `each of an account's identities of one provider has its token revoked`() throws {
        let tokens = try linked("001", token: "first")
        let next = try remove(by: tokens)
        try kit.link("apple", "002", code: "second", by: next)
        try expectEqual(kept(tokens.user.id), ["first"])
        try expectEqual(kept(tokens.user.id, "002"), ["second"])
        let principal = try kit.authenticate(next)
        try kit.auth.deleteAccount(principal, Caller())
        kit.finishReply()
        expectEqual(kit.erasure.revoked.sorted(), ["first", "second"])
        try expectEqual(housekeep()["done"], 1)
        try expectEqual(jobs().map(\.identity), [nil])
    }

    @Test func `the token of another identity of the account is kept`() throws {
        let tokens = try linked("001", token: "first")
        try kit.link("apple", "002", code: "second", by: try remove(by: tokens))
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, ["first"])
        try expectEqual(kept(tokens.user.id, "002"), ["second"])
    }

    @Test func `an outage of Apple is retried with pauses, up to a limit`()
        throws
    {
        kit.erasure.failRevoking(.unavailable)
        let tokens = try linked()
        let user = tokens.user.id
        try remove(by: tokens)
        let removedAt = clock.now
        var pauses: [Span] = []
        for _ in 0..<4 {
            try expectEqual(housekeep()["failed"], 1)
            let due = try #require(try jobs().first).due
            pauses.append(due - clock.now)
            clock.advance(by: due - clock.now)
        }
        expectEqual(pauses, Array(DeletionSchedule.pauses.prefix(4)))
        expectEqual(kit.erasure.reports.last, .failed(user, .providerTokens, .unavailable))
        clock.advance(by: .days(30) - (clock.now - removedAt))
        try expectEqual(kept(user), ["first"])
        try expectEqual(housekeep()["done"], 1)
        #expect(try kept(user) == [] && jobs().isEmpty)
        expectEqual(kit.erasure.reports.last, .providerTokenNotRevoked(user))
        #expect(try kit.audit(of: user).contains("providerTokenNotRevoked"))
    }

    // MARK: The identity is used again

    @Test(arguments: [nil, "second"])
    func `an identity that is linked again keeps its token`(code: String?) throws {
        let tokens = try linked()
        try kit.link("apple", "001", code: code, by: try remove(by: tokens))
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, [])
        #expect(try kept(tokens.user.id) == [code ?? "first"] && jobs().isEmpty)
    }

    /// Revoking the older one would end the consent of the newer one.
    @Test func `a token that another account has replaced is deleted without revocation`() throws {
        let tokens = try linked()
        try remove(by: tokens)
        let other = try kit.signIn("apple", "001", code: "second").user
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, [])
        #expect(try kept(tokens.user.id) == [] && kept(other.id) == ["second"])
    }

    @Test func `a token that the identity's new account did not replace is revoked`() throws {
        let tokens = try linked()
        try remove(by: tokens)
        _ = try kit.signIn("apple", "001")
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, ["first"])
    }

    @Test func `tokens are also revoked when the account is deleted`() throws {
        let tokens = try linked()
        try kit.delete(tokens)
        let other = try kit.signIn("apple", "001", code: "second").user
        kit.finishReply()
        expectEqual(kit.erasure.revoked, [])
        #expect(try kept(tokens.user.id) == [] && kept(other.id) == ["second"])
    }

    /// The link comes between the revocation and the deletion of the row.
    @Test(arguments: [false, true])
    func `a newer token is not deleted with the older one`(isGivenUp: Bool) throws {
        let tokens = try linked()
        try remove(by: tokens)
        clock.advance(by: isGivenUp ? .days(31) : .zero)
        let next = try #require(try kit.signIn("google", "ada").tokens)
        let kit = kit
        kit.erasure.beforeCalls { () throws(ErasureFailure) in
            kit.erasure.beforeCalls { () throws(ErasureFailure) in }
            do {
                try kit.link("apple", "001", code: "second", by: next)
            } catch { throw .refused }
            if isGivenUp { throw .unavailable }
        }
        try expectEqual(housekeep()["unfinished"], 1)
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, isGivenUp ? [] : ["first"])
        #expect(try kept(tokens.user.id) == ["second"] && jobs().isEmpty)
        #expect(kit.erasure.reports.isEmpty)
    }

    /// The sign-in comes between what the removal reads and what it writes.
    @Test func `a token that arrives during the removal is revoked too`() throws {
        let tokens = try #require(try kit.signIn("google", "ada").tokens)
        try kit.link("apple", "001", by: tokens)
        let kit = kit
        store.beforeNextWrite { _ = try kit.signIn("apple", "001", code: "late") }
        try remove(by: tokens)
        try expectEqual(kept(tokens.user.id), ["late"])
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, ["late"])
    }

    /// The removal comes between what the sign-in reads and what it writes.
    @Test
    func `a sign-in that loses the race makes a new account, which keeps its token`()
        throws
    {
        let tokens = try linked()
        let kit = kit
        store.beforeNextWrite { _ = try kit.auth.removeMethod("apple", kit.caller(tokens)) }
        let output = try kit.signIn("apple", "001", code: "second")
        #expect(output.isNewUser)
        #expect(try kept(tokens.user.id) == ["first"] && kept(output.user.id) == ["second"])
    }

    // MARK: Failures

    @Test(arguments: [true, false])
    func `a run that is killed at any write is repeated`(isWritten: Bool) throws {
        for step in 1...3 {
            let tests = try RemovedTokenTests()
            let tokens = try tests.linked()
            try tests.remove(by: tokens)
            tests.store.forgetCalls()
            let store = tests.store
            store.setFate { call in
                guard case .write = call else { return .fine }
                let count = store.calls.count { if case .write = $0 { true } else { false } }
                if count < step { return .fine }
                return isWritten && count == step
                    ? .answerLost : .refused(.unavailable(detail: "killed"))
            }
            _ = try? tests.housekeep()
            tests.store.comeBack()
            tests.clock.advance(by: DeletionSchedule.lease)
            _ = try tests.housekeep()
            expectEqual(Set(tests.kit.erasure.revoked), ["first"])
            #expect(try tests.kept(tokens.user.id) == [] && tests.jobs().isEmpty)
        }
    }

    @Test func `a token under another master key is left for the run that has the key`() throws {
        let tokens = try linked()
        try remove(by: tokens)
        let other = try AuthKit(
            policy: .passwords(), clock: clock, store: memory, secret: 8, erasure: kit.erasure)
        _ = try other.auth.housekeeping([.finishDeletions], until: nil)
        expectEqual(kit.erasure.reports, [.failed(tokens.user.id, .providerTokens, .unreadable)])
        clock.advance(by: .minutes(1))
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, ["first"])
    }

    @Test func `if a reset removes an identity, the identity's token is revoked`() throws {
        try kit.account()
        let tokens = try kit.logIn()
        try kit.link("apple", "001", code: "first", by: tokens)
        try kit.change(tokens.user.id) { $0.isEmailVerified = false }
        try kit.askForReset()
        try kit.reset(try kit.mailedToken(), to: "another long password")
        try expectEqual(housekeep()["done"], 1)
        expectEqual(kit.erasure.revoked, ["first"])
    }

    @Test func `a contract that keeps no provider tokens stores no token and no job`() throws {
        let policy = Policy.passwords().with { $0.identity.keepsTokens = false }
        let kit = try AuthKit(policy: policy, clock: clock, store: store)
        let tokens = try #require(try kit.signIn("google", "ada").tokens)
        try kit.link("apple", "001", code: "first", by: tokens)
        _ = try kit.auth.removeMethod("apple", kit.caller(tokens))
        #expect(try kept(tokens.user.id) == [] && jobs().isEmpty)
    }
}
