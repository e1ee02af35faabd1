/// An account with a password and an authenticator app.
struct ProtectedAccount {
    let kit: AuthKit
    let user: User
    let app: OneTimePassword
    /// The session that confirmed the app.
    let tokens: SessionTokens
    let recoveryCodes: [String]

    static func policy() -> Policy {
        .passwords(.immediate).with {
            $0.limits = [RateLimit(.secondFactor, per: .account, 5, in: .minutes(5))]
        }
    }

    init(
        _ policy: Policy = Self.policy(), clock: TestClock = TestClock(),
        store: (any KeyValueStore)? = nil
    ) throws {
        kit = try AuthKit(policy: policy, clock: clock, store: store)
        user = try kit.provenAccount()
        let session = try kit.logIn()
        app = try kit.enrol(session)
        let output = try kit.auth.confirmAuthenticator(
            code: kit.code(of: app), Self.caller(session))
        tokens = output.tokens
        recoveryCodes = output.recoveryCodes.map { $0.reveal() }
        kit.finishReply()
        // The code that confirmed the app is used.
        kit.clock.advance(by: .seconds(60))
    }

    static func caller(_ tokens: SessionTokens) -> Caller {
        Caller(address: "192.0.2.1", bearerText: tokens.access.reveal())
    }
    var caller: Caller { Self.caller(tokens) }

    var code: String { kit.code(of: app) }
    /// A code of no step near the current time.
    var wrongCode: String {
        let good = (-2...2).map { app.code(step: OneTimePassword.step(at: kit.clock.now) + $0) }
        return ["000000", "111111", "222222", "333333", "444444", "555555"]
            .first { !good.contains($0) } ?? "666666"
    }

    /// The ticket of a sign-in with the password.
    func ticket(_ password: String = AuthKit.password) throws -> String {
        try kit.ticket(try kit.firstFactor("ada@example.com", password))
    }

    func complete(_ ticket: String, _ answer: SecondFactorAnswer? = nil) throws -> SessionTokens {
        try kit.auth.completeSignIn(ticket: ticket, answer ?? .code(code), Caller())
    }

    func error(_ ticket: String, _ answer: SecondFactorAnswer? = nil) -> AuthError? {
        kit.error { _ = try complete(ticket, answer) }
    }

    var factor: SecondFactor? {
        get throws {
            try kit.store.get(StoreLayout.secondFactor(of: user.id))
                .map { try SecondFactorRecord.factor($0) }
        }
    }
}

extension AuthKit {
    /// An account with a password and a verified address, which a second factor requires.
    @discardableResult
    func provenAccount(_ text: String = "ada@example.com") throws -> User {
        let id = try account(text).id
        try change(id) { $0.isEmailVerified = true }
        guard let user = try user(id) else { throw KitFailure.noSession }
        return user
    }

    func enrol(_ tokens: SessionTokens) throws -> OneTimePassword {
        try auth.enrolAuthenticator(ProtectedAccount.caller(tokens)).password
    }

    func code(of app: OneTimePassword) -> String {
        app.code(step: OneTimePassword.step(at: clock.now))
    }

    func ticket(_ result: SignInResult?) throws -> String {
        guard case .secondFactorRequired(let ticket)? = result else { throw KitFailure.noSession }
        return ticket.reveal()
    }
}
