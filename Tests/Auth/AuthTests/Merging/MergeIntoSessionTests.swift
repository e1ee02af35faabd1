import WebAuthnTestSupport

extension AuthKit {
    func merge(_ ending: SessionTokens, into other: SessionTokens) throws -> SessionTokens {
        try merge(
            ending,
            into: .session(
                accessToken: other.access.reveal(), refreshToken: other.refresh.reveal()))
    }

    func merge(_ ending: SessionTokens, into proof: MergeAccounts.Proof) throws -> SessionTokens {
        let input = MergeAccounts.Input(proof, refreshToken: ending.refresh.reveal())
        return try auth.mergeAccounts(input, caller(ending))
    }

    fileprivate func mergeError(_ ending: SessionTokens, into other: SessionTokens) -> AuthError? {
        error { _ = try merge(ending, into: other) }
    }
}

@Suite("Merging into a session") struct MergeIntoSessionTests {
    private let refused = AuthError.method(.mergeSessionInvalid)

    // MARK: Every way to sign in

    @Test func `a sign-in with a passkey is sufficient proof of the remaining account`() throws {
        let kit = try AuthKit(policy: .merging())
        var passkey = try SoftwareAuthenticator(seed: 1)
        let owner = try kit.signUp(with: &passkey)
        let guest = try kit.guest()
        let tokens = try kit.signIn(with: passkey).tokens
        try expectEqual(kit.merge(guest, into: tokens).user.id, owner.user.id)
    }

    @Test func `a session without the second factor does not suffice`() throws {
        let account = try ProtectedAccount(.merging())
        let kit = account.kit
        let guest = try kit.guest()
        kit.clock.advance(by: .minutes(10))
        expectEqual(kit.mergeError(guest, into: account.tokens), refused)
        let proven = try account.complete(try account.ticket())
        try expectEqual(kit.merge(guest, into: proven).user.id, account.user.id)

        let scene = try MergeScene()
        try scene.kit.change(scene.owner.user.id) { $0.hasSecondFactor = true }
        expectEqual(scene.kit.mergeError(scene.guest, into: scene.owner), refused)
    }

    // MARK: What is refused

    @Test func `the sign-in of both accounts must be recent`() throws {
        let scene = try MergeScene()
        let kit = scene.kit
        scene.clock.advance(by: .minutes(10))
        expectEqual(kit.mergeError(scene.guest, into: scene.owner), refused)
        let other = try #require(try kit.signIn("apple", "001", "").tokens)
        scene.clock.advance(by: .minutes(10))
        let owner = try #require(try kit.signIn("google", "ada", "ada@example.com").tokens)
        expectEqual(kit.mergeError(other, into: owner), .recentSignInRequired())
        // A guest has nothing to prove.
        let guest = try kit.refresh(scene.guest)
        try expectEqual(kit.merge(guest, into: owner).user.id, owner.user.id)
    }

    @Test func `the two tokens must be of the same session`() throws {
        let scene = try MergeScene()
        let (kit, owner, guest) = (scene.kit, scene.owner, scene.guest)
        let other = try #require(try kit.signIn("google", "ada", "ada@example.com").tokens)
        let (access, refresh) = (owner.access.reveal(), owner.refresh.reveal())
        let wrong = [
            (access, other.refresh.reveal()), (access, guest.refresh.reveal()), (access, ""),
            (access, access), ("", refresh), (refresh, refresh), (guest.access.reveal(), refresh),
        ]
        for (access, refresh) in wrong {
            let proof = MergeAccounts.Proof.session(accessToken: access, refreshToken: refresh)
            expectEqual(kit.error { _ = try kit.merge(guest, into: proof) }, refused)
        }
        try expectEqual(kit.user(guest.user.id)?.deletedAt, nil)
    }

    @Test func `a replaced refresh token of the other session ends only that session`() throws {
        let scene = try MergeScene()
        let kit = scene.kit
        _ = try kit.refresh(scene.owner)
        scene.clock.advance(by: .seconds(59))
        let earlier = try kit.guest()
        _ = try kit.merge(earlier, into: scene.owner)
        scene.clock.advance(by: .seconds(1))
        expectEqual(kit.mergeError(scene.guest, into: scene.owner), refused)
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(scene.owner) }
        try expectEqual(kit.audit(of: scene.owner.user.id).last, "refreshTokenReused")
        _ = try kit.authenticate(scene.guest)
    }

    enum Change: CaseIterable, Sendable {
        case signsOut, signsOutEverywhere, isDisabled, isDeleted
    }

    private func perform(_ change: Change, _ scene: MergeScene) throws {
        let (kit, owner) = (scene.kit, scene.owner)
        switch change {
        case .signsOut, .signsOutEverywhere:
            try kit.auth.signOut(
                refreshToken: owner.refresh.reveal(),
                scope: change == .signsOut ? .session : .all, Caller())
        case .isDisabled: try kit.disable(owner.user)
        case .isDeleted:
            let caller = kit.caller(owner)
            try kit.auth.deleteAccount(
                try kit.auth.authenticate(caller, for: .deleteAccount), caller)
        }
    }

    /// Before the request, and between its read and its write.
    @Test(arguments: Change.allCases, [true, false])
    func `an ended session cannot be the target of a merge`(
        change: Change, isConcurrent: Bool
    ) throws {
        let scene = try MergeScene()
        if isConcurrent {
            scene.store.beforeNextWrite { try self.perform(change, scene) }
        } else {
            try perform(change, scene)
        }
        expectEqual(scene.kit.mergeError(scene.guest, into: scene.owner), refused)
        try expectEqual(scene.kit.user(scene.guest.user.id)?.deletedAt, nil)
    }

    // MARK: Again

    @Test func `a repeated request gets the same answer and merges once`() throws {
        let scene = try MergeScene()
        let first = try scene.kit.merge(scene.guest, into: scene.owner)
        let again = try scene.kit.merge(scene.guest, into: scene.owner)
        expectEqual(again.refresh.reveal(), first.refresh.reveal())
        let audit = try scene.kit.audit(of: scene.owner.user.id)
        expectEqual(audit.count { $0 == "accountMerged" }, 1)
        // Not for another account, nor for another session of the guest's.
        let other = try #require(try scene.kit.signIn("apple", "001", "").tokens)
        expectEqual(scene.kit.mergeError(scene.guest, into: other), .accessToken(.sessionEnded))
    }

    @Test func `only one of two concurrent merges succeeds`() throws {
        let scene = try MergeScene()
        let kit = scene.kit
        let other = try #require(try kit.signIn("apple", "001", "").tokens)
        scene.store.beforeNextWrite { _ = try kit.merge(scene.guest, into: other) }
        expectEqual(kit.mergeError(scene.guest, into: scene.owner), .accessToken(.sessionEnded))
        try expectEqual(kit.user(scene.guest.user.id)?.mergedInto, other.user.id)
    }

    @Test func `of two concurrent opposite merges, one account remains`() throws {
        let scene = try MergeScene()
        let kit = scene.kit
        let other = try #require(try kit.signIn("apple", "001", "").tokens)
        scene.store.beforeNextWrite { _ = try kit.merge(other, into: scene.owner) }
        #expect(kit.mergeError(scene.owner, into: other) != nil)
        try expectEqual(kit.user(scene.owner.user.id)?.deletedAt, nil)
        try expectEqual(kit.user(other.user.id)?.mergedInto, scene.owner.user.id)
    }
}
