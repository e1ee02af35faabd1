import WebAuthnTestSupport

@Suite("Renaming and removing passkeys") struct ManagePasskeysTests {
    private func kit(_ change: (inout Policy) -> Void = { _ in }) throws -> AuthKit {
        try AuthKit(policy: .passkeys(change))
    }

    /// An account with a password and two passkeys.
    private struct Account {
        let user: User
        let tokens: SessionTokens
        var phone: SoftwareAuthenticator
        var desk: SoftwareAuthenticator

        init(_ kit: AuthKit) throws {
            user = try kit.provenAccount()
            tokens = try kit.logIn()
            phone = try SoftwareAuthenticator()
            desk = try SoftwareAuthenticator(seed: 2)
            try kit.add(&phone, name: "Phone", by: tokens)
            kit.clock.advance(by: .seconds(1))
            try kit.add(&desk, name: "Desk", by: tokens)
            kit.finishReply()
        }
    }

    private func names(_ list: PasskeyList) -> Set<String?> {
        Set(list.entries.map(\.passkey.name))
    }

    // MARK: Renaming

    @Test func `only a passkey of the account can be renamed or removed`() throws {
        let kit = try kit()
        let account = try Account(kit)
        var other = try SoftwareAuthenticator(seed: 3)
        let eve = try kit.signUp(with: &other)
        for id in [try account.phone.id, "", "unknown", "SESSION#1"] {
            let renamed = kit.error {
                _ = try kit.auth.renamePasskey(id, to: "mine", kit.caller(eve))
            }
            let removed = kit.error { try kit.auth.removePasskey(id, kit.caller(eve)) }
            #expect(renamed == .passkey(.notFound) && removed == .passkey(.notFound))
        }
        expectEqual(
            names(try kit.auth.listPasskeys(kit.caller(account.tokens))), ["Phone", "Desk"])
    }

    @Test func `a name is cut to its printable part`() throws {
        let kit = try kit()
        let account = try Account(kit)
        let long = String(repeating: "é", count: 500)
        let list = try kit.auth.renamePasskey(
            try account.phone.id, to: long, kit.caller(account.tokens))
        #expect(list.entries.contains { $0.passkey.name?.count == 100 })
    }

    @Test func `the export of the account has its passkeys`() throws {
        let kit = try kit()
        let account = try Account(kit)
        let export = try kit.auth.exportAccount(after: nil, kit.caller(account.tokens))
        expectEqual(Set(export.passkeys.map(\.name)), ["Phone", "Desk"])
        expectEqual(Set(export.passkeys.map(\.id)), [try account.phone.id, try account.desk.id])
        try kit.auth.removePasskey(try account.phone.id, kit.caller(account.tokens))
        let later = try kit.auth.exportAccount(after: nil, kit.caller(account.tokens))
        expectEqual(later.passkeys.map(\.id), [try account.desk.id])
    }

    // MARK: Removing

    @Test func `removing a passkey ends the sessions begun with it, except the caller's`() throws {
        let kit = try kit()
        let account = try Account(kit)
        let (stolen, other) = (
            try kit.signIn(with: account.phone).tokens, try kit.signIn(with: account.desk).tokens
        )
        let mine = try kit.signIn(with: account.phone).tokens
        try expectEqual(kit.passkeys(mine).filter(\.isCurrent).map(\.id), [try account.phone.id])
        try kit.auth.removePasskey(try account.phone.id, kit.caller(mine))
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(stolen) }
        #expect(throws: AuthError.self) { try kit.refresh(stolen) }
        for tokens in [mine, other, account.tokens] {
            #expect(throws: Never.self) { try kit.authenticate(tokens) }
        }
        expectError(.passkey(.refused)) { try kit.signIn(with: account.phone) }
        try expectEqual(kit.passkeys(mine).map(\.passkey.name), ["Desk"])
        let events = try kit.audit(of: account.user.id)
        expectEqual(events.suffix(2), ["methodRemoved", "sessionRevoked"])
        kit.finishReply()
        let mail = try #require(kit.mail.mails.last)
        #expect(mail.kind == .methodRemoved && mail.values["method"] == "passkey")
    }

    /// More than one transaction deletes, and one that begins while the passkey is removed.
    @Test func `every session begun with a removed passkey ends`() throws {
        let kit = try kit()
        let account = try Account(kit)
        let stolen = try (0..<45).map { _ in try kit.signIn(with: account.phone).tokens }
        let late = try #require(
            try kit.auth.store.get(StoreLayout.session(stolen[0].session, of: account.user.id)))
        try kit.auth.removePasskey(try account.phone.id, kit.caller(account.tokens))
        try kit.store.write([.put(late, when: [])])
        for tokens in stolen {
            expectError(.accessToken(.sessionEnded)) { try kit.authenticate(tokens) }
            #expect(throws: AuthError.self) { try kit.refresh(tokens) }
        }
        #expect(throws: Never.self) { try kit.authenticate(account.tokens) }
    }

    @Test func `a sign-in while its passkey is removed leaves no session`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.passkeys())
        let account = try Account(kit)
        // The sign-in is written before the removal.
        let begun = try kit.begin()
        let late = Mutex<SessionTokens?>(nil)
        store.beforeNextWrite {
            let tokens = try kit.signIn(
                with: account.phone, in: begun.secret, begun.challenge
            ).tokens
            late.withLock { $0 = tokens }
        }
        try kit.auth.removePasskey(try account.phone.id, kit.caller(account.tokens))
        let tokens = try #require(late.withLock { $0 })
        #expect(throws: AuthError.self) { try kit.authenticate(tokens) }
        // The removal is written before the sign-in.
        let other = try account.desk.id
        let next = try kit.begin()
        store.beforeNextWrite { try kit.auth.removePasskey(other, kit.caller(account.tokens)) }
        expectError(.passkey(.refused)) {
            try kit.signIn(with: account.desk, in: next.secret, next.challenge)
        }
    }

    @Test func `the credential can be registered again`() throws {
        let kit = try kit()
        var account = try Account(kit)
        try kit.auth.removePasskey(try account.phone.id, kit.caller(account.tokens))
        try expectEqual(kit.store.get(try account.phone.claim), nil)
        let row = StoreLayout.passkey(try account.phone.id, of: account.user.id)
        try expectEqual(kit.store.get(row), nil)
        #expect(try kit.signUp(with: &account.phone).user.id != account.user.id)
    }

    @Test func `removing a passkey needs a recent sign-in`() throws {
        let kit = try kit()
        let account = try Account(kit)
        kit.clock.advance(by: .minutes(10))
        expectError(.recentSignInRequired()) {
            try kit.auth.removePasskey(try account.phone.id, kit.caller(account.tokens))
        }
        // Another name needs none.
        #expect(throws: Never.self) {
            try kit.auth.renamePasskey(try account.phone.id, to: "x", kit.caller(account.tokens))
        }
    }

    @Test func `passkeys are not removed by the name of the method`() throws {
        let kit = try kit()
        let account = try Account(kit)
        expectError(.method(.notFound)) {
            try kit.auth.removeMethod("passkey", kit.caller(account.tokens))
        }
    }

    @Test func `an administrator removes a passkey, or all of them`() throws {
        let kit = try kit()
        let account = try Account(kit)
        func remove(_ method: SignInMethod, _ passkey: String? = nil) throws {
            _ = try kit.auth.administerUser(
                account.user.id.text, .removeMethod(method, passkey: passkey), by: .password,
                Caller())
        }
        expectError(.method(.notFound)) { try remove(.passkey, "unknown") }
        try remove(.passkey, account.phone.id)
        expectError(.accessToken(.sessionEnded)) { _ = try kit.methods(account.tokens) }
        #expect(throws: (any Error).self) { try kit.signIn(with: account.phone) }
        #expect(throws: Never.self) { try kit.signIn(with: account.desk) }
        try remove(.passkey)
        #expect(throws: (any Error).self) { try kit.signIn(with: account.desk) }
        expectError(.method(.notFound)) { try remove(.passkey) }
        expectError(.method(.last)) { try remove(.email) }
    }

    @Test func `the other methods can be removed while passkeys remain`() throws {
        let kit = try kit()
        let account = try Account(kit)
        let next = try kit.auth.removeMethod("email", kit.caller(account.tokens))
        try expectEqual(kit.methods(next), ["passkey", "passkey"])
        #expect(throws: Never.self) { try kit.signIn(with: account.desk) }
    }
}
