@Suite("Removing methods") struct RemoveMethodTests {
    private func remove(
        _ kit: AuthKit, _ method: String, by tokens: SessionTokens
    ) throws -> SessionTokens {
        try kit.auth.removeMethod(method, kit.caller(tokens))
    }

    @Test func `a removed identity signs in to another account, and every session ends`() throws {
        let kit = try AuthKit(policy: .passwords())
        let tokens = try kit.session(of: "001")
        try kit.link("google", "ada", by: tokens)
        let other = try #require(try kit.signIn("google", "ada").tokens)
        kit.clock.advance(by: .minutes(1))
        let next = try remove(kit, "google", by: tokens)
        for old in [tokens, other] {
            #expect(throws: AuthError.self) { try kit.authenticate(old) }
            #expect(throws: AuthError.self) { try kit.refresh(old) }
        }
        try expectEqual(kit.methods(next), ["apple"])
        #expect(throws: Never.self) { try kit.refresh(next) }
        #expect(try kit.signIn("google", "ada").user.id != tokens.user.id)
        kit.finishReply()
        let mail = try #require(kit.mail.mails.last { $0.kind == .methodRemoved })
        #expect(mail.to == "001@example.com" && mail.values["method"] == "google")
        #expect(try kit.audit(of: tokens.user.id).contains("methodRemoved"))
        let stored = try #require(try kit.user(tokens.user.id))
        try expectEqual(kit.authenticate(next).user, stored)
    }

    /// Otherwise a recent sign-in would stay recent forever.
    @Test func `the new session has the sign-in time of the replaced one`() throws {
        let kit = try AuthKit(policy: .passwords())
        let tokens = try kit.session(of: "001")
        try kit.link("google", "ada", by: tokens)
        kit.clock.advance(by: .minutes(9))
        let next = try remove(kit, "google", by: tokens)
        kit.clock.advance(by: .minutes(1))
        expectError(.recentSignInRequired()) { try kit.link("google", "ada", by: next) }
    }

    @Test func `without its password an account signs in by mailed links, if the policy has them`()
        throws
    {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let next = try remove(kit, "password", by: try kit.logIn())
        try expectEqual(kit.methods(next), ["email"])
        expectError(.password(.wrongCredentials)) { try kit.logIn() }
        let input = try kit.magicLink()
        try expectEqual(
            kit.auth.redeemMagicLink(input, Caller()).result.tokens.user.id, next.user.id)

        let policy = Policy.passwords().with { $0.magicLinks = nil }
        let other = try AuthKit(policy: policy)
        try other.account()
        let tokens = try other.logIn()
        expectError(.method(.last)) { try remove(other, "password", by: tokens) }
        try other.link("google", "ada", by: tokens)
        try expectEqual(other.methods(try remove(other, "password", by: tokens)), ["google"])
    }

    @Test func `the address is removed with its password and links, but remains claimed`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let tokens = try kit.logIn()
        try kit.link("google", "ada", by: tokens)
        try kit.auth.forgotPassword(try kit.email(), Caller())
        let link = try kit.magicLink()
        let next = try remove(kit, "email", by: tokens)
        try expectEqual(kit.methods(next), ["google"])
        try expectEqual(kit.store.get(StoreLayout.password(of: next.user.id)), nil)
        expectError(.password(.wrongCredentials)) { try kit.logIn() }
        expectError(.emailLink(.invalid)) { try kit.auth.redeemMagicLink(link, Caller()) }
        // No other account can claim the address, and no mail adds a sign-in method.
        let before = kit.mail.mails.count
        try kit.auth.forgotPassword(try kit.email(), Caller())
        _ = try kit.auth.requestMagicLink(try kit.email(), Caller())
        kit.finishReply()
        let sent = kit.mail.mails.dropFirst(before).map(\.kind)
        expectEqual(sent.filter { $0 != .methodRemoved }, [.signInMethods, .signInMethods])
    }

    // MARK: Races and failures

    /// The removal comes between the read of the identity and the read of the account.
    @Test func `a sign-in that reads the account after the removal opens no session`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.passwords())
        let tokens = try kit.session(of: "001")
        try kit.link("google", "ada", by: tokens)
        let profile = StoreLayout.profile(tokens.user.id)
        store.setFate { call in
            guard case .read(let keys, _, _) = call, keys.first == profile else { return .fine }
            store.comeBack()
            do { _ = try remove(kit, "google", by: tokens) } catch {
                return .refused(.refused(detail: "\(error)"))
            }
            return .fine
        }
        let output = try kit.signIn("google", "ada")
        #expect(output.isNewUser && output.user.id != tokens.user.id)
        try expectEqual(kit.sessions(of: tokens.user.id).count, 1)
    }
}
