/// Secrecy of codes and request secrets.
@Suite("Secrecy of mailed codes") struct MailCodeSecrecyTests {
    private func kit(_ store: (any KeyValueStore)? = nil) throws -> AuthKit {
        let clock = TestClock()
        return try AuthKit(
            policy: MailCodeTests.policy, clock: clock,
            store: store ?? MemoryStore(clock: clock.wall))
    }

    /// Costs and answers of a request for a mail, and of a wrong code.
    private func attempt(
        _ kit: AuthKit, _ store: CountingStore, _ request: () throws -> String?,
        _ answer: (MailAnswer) throws -> Void
    ) throws -> (requested: StoreCost, answered: StoreCost, bytes: Int, error: AuthError?) {
        store.forget()
        let secret = try #require(try request())
        let requested = store.cost
        store.forget()
        let error = kit.error { try answer(.code("00000000", requestSecret: secret)) }
        return (requested, store.cost, secret.utf8.count, error)
    }

    @Test(arguments: ["reset", "magic link", "register", "resend"])
    func `known and unknown addresses look the same`(purpose: String) throws {
        let (kit, store) = try AuthKit.withCountingStore(MailCodeTests.policy)
        try kit.account()
        _ = try kit.register("eve@example.com")
        let caller = Caller(address: "192.0.2.7")
        // An account, nobody, and a registration that waits.
        let seen = try ["ada@example.com", "bob@example.com", "eve@example.com"].map { text in
            let email = try kit.email(text)
            return try attempt(kit, store) {
                switch purpose {
                case "reset": try kit.auth.forgotPassword(email, caller)
                case "magic link": try kit.auth.requestMagicLink(email, caller)
                case "resend": try kit.auth.resendVerification(email, caller)
                default:
                    try kit.auth.register(
                        Register.Input(email: email, password: AuthKit.password), caller
                    ).requestSecret
                }
            } _: { answer in
                switch purpose {
                case "reset":
                    try kit.auth.resetPassword(answer, newPassword: "short", caller)
                case "magic link":
                    guard case .code(let code, let secret) = answer else { return }
                    _ = try kit.auth.redeemMagicLink(
                        RedeemMagicLink.Input(code: code, requestSecret: secret), caller)
                default:
                    _ = try kit.auth.completeRegistration(
                        answer, password: "wrong password", caller)
                }
            }
        }
        for one in seen {
            expectEqual(one.error, .emailLink(.invalidCode))
            expectEqual(one.bytes, seen[0].bytes)
            expectEqual(one.requested.roundTrips, seen[0].requested.roundTrips)
            expectEqual(one.requested.itemsWritten, seen[0].requested.itemsWritten)
            expectEqual(one.answered.roundTrips, seen[0].answered.roundTrips)
            expectEqual(one.answered.itemsWritten, seen[0].answered.itemsWritten)
        }
    }

    @Test func `the secrets of two requests for an account are unrelated`() throws {
        let kit = try kit()
        try kit.account()
        let secrets = try (0..<2).map { _ in
            let secret = try kit.auth.forgotPassword(try kit.email(), Caller())
            let text = try #require(secret)
            return try #require(Base64URL.decode(text))
        }
        let common = zip(secrets[0], secrets[1]).count { $0 == $1 }
        #expect(common < 8)
    }

    /// Only the client that registered has chosen the password.
    @Test func `a code that is requested again reveals nothing without the password`() throws {
        let kit = try kit()
        _ = try kit.register("ada@example.com")
        let again = try kit.auth.resendVerification(try kit.email(), Caller())
        let secret = try #require(again)
        kit.finishReply()
        let answer = MailAnswer.code(try kit.mailedCode(), requestSecret: secret)
        for password in ["wrong password", nil] {
            expectError(.emailLink(.invalidCode)) {
                try kit.auth.completeRegistration(answer, password: password, Caller())
            }
        }
        #expect(throws: Never.self) {
            try kit.auth.completeRegistration(answer, password: AuthKit.password, Caller())
        }
    }

    /// The owner of a taken address gets a notice, and nobody gets a second account.
    @Test func `a registration of a taken address has no valid code`() throws {
        let kit = try kit()
        try kit.account()
        _ = try kit.register("ada@example.com")
        kit.finishReply()
        expectEqual(kit.mail.mails.last?.kind, .alreadyRegistered)
        expectEqual(kit.mail.mails.last?.values["code"], nil)
    }

    @Test func `the store has neither the code nor the secret`() throws {
        let clock = TestClock()
        let inner = MemoryStore(clock: clock.wall)
        let kit = try AuthKit(policy: MailCodeTests.policy, clock: clock, store: inner)
        let user = try kit.account()
        let secret = try #require(try kit.auth.forgotPassword(try kit.email(), Caller()))
        kit.finishReply()
        let code = try kit.mailedCode()
        let random = Array(try #require(Base64URL.decode(secret)).suffix(32))
        let rows = try inner.query(
            PartitionQuery(StoreLayout.profile(user.id).partition, prefix: "LINK#", limit: 10))
        expectEqual(rows.items.count, 1)
        for attribute in rows.items.flatMap({ $0.attributes.values }) {
            switch attribute {
            case .text(let text): #expect(!text.contains(code) && !text.contains(secret))
            case .bytes(let bytes): #expect(bytes != random && bytes != Array(code.utf8))
            default: break
            }
        }
    }

    @Test func `a contract without codes mails no codes, and accepts none`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        try expectEqual(kit.auth.forgotPassword(try kit.email(), Caller()), nil)
        kit.finishReply()
        expectEqual(kit.mail.mails.last?.values["code"], nil)
        let secret = try kit.auth.requestMagicLink(try kit.email(), Caller())
        expectEqual(Base64URL.decode(secret)?.count, 32)
        expectError(.emailLink(.invalidCode)) {
            _ = try kit.auth.redeemMagicLink(
                RedeemMagicLink.Input(code: "00000000", requestSecret: secret), Caller())
        }
    }
}
