import WebAuthnTestSupport

@Suite("Restoring the former address of an account") struct UndoAddressChangeTests {
    let store: FaultyStore
    let kit: AuthKit

    init() throws { (kit, store) = try AuthKit.withFaultyStore(.emailChanges()) }

    /// An account, a stolen session of it, and the link after the thief has changed the address.
    private func stolen() throws -> (id: UserID, thief: SessionTokens, link: String) {
        try kit.account()
        let thief = try kit.logIn()
        let link = try kit.moveTo("thief@evil.example", by: thief)
        kit.clock.advance(by: .seconds(1))
        return (thief.user.id, thief, link)
    }

    private func error(_ operation: () throws -> Void) -> AuthError? { kit.error(of: operation) }
    private func isRefused(_ link: String) -> Bool {
        error { try kit.undo(link) } == .emailLink(.invalid)
    }

    /// The account is as it was before, and only its owner can sign in.
    private func expectRestored(_ id: UserID) throws {
        let user = try #require(try kit.user(id))
        #expect(user.email == "ada@example.com" && user.login == "ada@example.com")
        #expect(user.isEmailVerified && !user.hasSecondFactor && user.restorePoints.isEmpty)
        try expectEqual(user.identities, [.password(kit.email())])
        try expectEqual(kit.owner(of: "ada@example.com"), id)
        try expectEqual(kit.owner(of: "thief@evil.example"), nil)
        #expect(try kit.finds(id, by: "ada@example.com"))
        try kit.askForReset()
        try kit.reset(try kit.mailedToken(), to: "owner again")
        try expectEqual(kit.logIn("ada@example.com", "owner again").user.id, id)
    }

    @Test func `undo removes a second factor begun before and enabled after the change`() throws {
        try kit.account()
        let thief = try kit.logIn()
        let app = try kit.enrol(thief)
        kit.clock.advance(by: .seconds(1))
        let link = try kit.moveTo("thief@evil.example", by: thief)
        _ = try kit.auth.confirmAuthenticator(code: kit.code(of: app), kit.caller(thief))
        try kit.undo(link)
        try expectRestored(thief.user.id)
    }

    /// What another session added before the stolen one began.
    @Test func `undo keeps what the owner had before`() throws {
        let kit = kit
        try kit.account()
        let owner = try kit.logIn()
        try kit.link("google", "ada", by: owner)
        var passkey = try SoftwareAuthenticator(seed: 2)
        try kit.add(&passkey, by: owner)
        let app = try kit.enrol(owner)
        _ = try kit.auth.confirmAuthenticator(code: kit.code(of: app), kit.caller(owner))
        kit.clock.advance(by: .seconds(60))
        let ticket = try kit.ticket(try kit.firstFactor())
        let stolen = try kit.auth.completeSignIn(ticket: ticket, .code(kit.code(of: app)), Caller())
        let link = try kit.moveTo("thief@evil.example", by: stolen)
        try kit.undo(link)
        let user = try #require(try kit.user(stolen.user.id))
        expectEqual(Set(user.identities.map(\.provider)), ["email", "google", "passkey"])
        #expect(user.hasSecondFactor)
        _ = try kit.ticket(try kit.firstFactor())
        _ = try kit.signIn(with: passkey)
    }

    /// The link was written before the time of the session was kept.
    @Test func `a link without the attribute since removes what was added after the change`() throws
    {
        try kit.account()
        let tokens = try kit.logIn()
        try kit.link("google", "ada", by: tokens)
        let link = try kit.moveTo("thief@evil.example", by: tokens)
        let place = try #require(AccountLink(parsing: link))
        var row = try #require(try store.get(place.key(.undoEmail)))
        row.attributes["since"] = nil
        try store.write([.put(row, when: [.present])])
        var passkey = try SoftwareAuthenticator(seed: 3)
        try kit.add(&passkey, by: tokens)
        try kit.undo(link)
        try expectEqual(kit.user(tokens.user.id)?.providers, ["google", "email"])
    }

    /// The thief leaves only their own sign-in methods.
    @Test func `an owner without sign-in methods signs in by mail`() throws {
        let tokens = try kit.session(of: "001")
        let link = try kit.moveTo("thief@evil.example", by: tokens)
        try kit.link("google", "thief", by: tokens)
        _ = try kit.auth.removeMethod("apple", kit.caller(tokens))
        try kit.undo(link)
        let user = try #require(try kit.user(tokens.user.id))
        try expectEqual(user.identities, [.password(kit.email("001@example.com"))])
        let input = try kit.magicLink("001@example.com")
        try expectEqual(kit.auth.redeemMagicLink(input, Caller()).result.tokens.user.id, user.id)
    }

    /// The address is verified, but another account claims it.
    @Test func `an address that the account never claimed is not taken from another`() throws {
        let other = try kit.account("001@example.com")
        let tokens = try kit.session(of: "001")
        expectEqual(tokens.user.login, nil)
        let link = try kit.moveTo("thief@evil.example", by: tokens)
        try kit.link("google", "thief", by: tokens)
        _ = try kit.auth.removeMethod("apple", kit.caller(tokens))
        try kit.undo(link)
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.email == "001@example.com" && user.login == nil)
        try expectEqual(kit.owner(of: "001@example.com"), other.id)
        #expect(try kit.signIn("google", "thief").user.id != user.id)
    }

    @Test func `pending links and codes to the new address become invalid`() throws {
        let (id, thief, link) = try stolen()
        let next = try kit.newAddress("thief@next.example", by: thief)
        let magic = try kit.magicLink("thief@evil.example")
        try kit.askForReset("thief@evil.example")
        let reset = try kit.mailedToken()
        try kit.undo(link)
        expectError(.emailLink(.invalid)) { try kit.auth.redeemMagicLink(magic, Caller()) }
        expectEqual(error { try kit.reset(reset, to: "another one") }, .emailLink(.invalid))
        expectError(.accessToken(.sessionEnded)) { try kit.confirm(next, by: thief) }
        let owner = try kit.logIn()
        expectError(.emailLink(.invalid)) { try kit.confirm(next, by: owner) }
        try expectEqual(kit.user(id)?.email, "ada@example.com")
    }

    // MARK: Several changes

    @Test func `a later change does not invalidate the link`() throws {
        let (id, thief, link) = try stolen()
        let second = try kit.moveTo("thief@next.example", by: thief)
        try kit.undo(link)
        try expectEqual(kit.owner(of: "thief@next.example"), nil)
        #expect(isRefused(second))
        try expectRestored(id)
    }

    @Test func `the link of the second change restores the first, and so on`() throws {
        let (id, thief, link) = try stolen()
        let second = try kit.moveTo("thief@next.example", by: thief)
        try kit.undo(second)
        try expectEqual(kit.user(id)?.email, "thief@evil.example")
        try expectEqual(kit.owner(of: "ada@example.com"), id)
        try expectEqual(kit.owner(of: "thief@next.example"), nil)
        #expect(isRefused(second))
        try kit.undo(link)
        try expectRestored(id)
    }

    @Test func `a thief cannot use up the owner's changes of address`() throws {
        let (id, thief, link) = try stolen()
        for index in 0..<4 { try kit.moveTo("thief\(index)@evil.example", by: thief) }
        #expect(error { try kit.ask(for: "thief@last.example", by: thief) } != nil)
        try kit.undo(link)
        for index in 0..<4 { try expectEqual(kit.owner(of: "thief\(index)@evil.example"), nil) }
        try expectRestored(id)
    }

    @Test func `the link works after the thief ends sessions`() throws {
        let (id, thief, link) = try stolen()
        try kit.auth.signOut(refreshToken: nil, scope: .all, kit.caller(thief))
        try kit.undo(link)
        try expectRestored(id)
    }

    // MARK: Refusals

    @Test func `a link can be used only once, within seven days`() throws {
        let (id, _, link) = try stolen()
        kit.clock.advance(by: .days(7) - .milliseconds(1_001))
        try kit.undo(link)
        #expect(isRefused(link))
        try expectRestored(id)
        let owner = try kit.logIn("ada@example.com", "owner again")
        let again = try kit.moveTo("ada@new.example", by: owner)
        kit.clock.advance(by: .days(7))
        #expect(isRefused(again))
        try expectEqual(kit.user(id)?.email, "ada@new.example")
        #expect(try kit.audit(in: .network("192.0.2.1")).contains("emailChangeUndoFailed"))
    }

    @Test func `a link of another purpose is refused`() throws {
        let (_, thief, link) = try stolen()
        expectError(.emailLink(.invalid)) { try kit.confirm(link, by: thief) }
        expectEqual(error { try kit.reset(link, to: "another one") }, .emailLink(.invalid))
        #expect(try isRefused(kit.newAddress("thief@next.example", by: thief)))
        try kit.askForReset("thief@evil.example")
        #expect(try isRefused(kit.mailedToken()))
    }

    @Test func `nothing is restored for a disabled user`() throws {
        let (id, thief, link) = try stolen()
        try kit.disable(thief.user)
        expectError(.account(.disabled)) { try kit.undo(link) }
        try expectEqual(kit.user(id)?.email, "thief@evil.example")
        try kit.disable(thief.user, false)
        try kit.undo(link)
        try expectRestored(id)
    }

    @Test func `a deleted account releases its former addresses`() throws {
        let (_, thief, link) = try stolen()
        try kit.delete(thief)
        try expectEqual(kit.owner(of: "ada@example.com"), nil)
        #expect(isRefused(link))
        kit.finishReply()
        let next = try kit.account()
        #expect(next.id != thief.user.id && isRefused(link))
    }

    /// The claim has ended, and another account has the address.
    @Test func `a deleted account does not take a former address from another`() throws {
        let (_, _, _) = try stolen()
        kit.clock.advance(by: .days(7))
        let other = try kit.account()
        let thief = try kit.logIn("thief@evil.example")
        try kit.delete(thief)
        try expectEqual(kit.owner(of: "ada@example.com"), other.id)
    }
}
