/// Passwords that a service knows from data breaches.
@Suite("Breached passwords") struct BreachedPasswordTests {
    private static let breached = "breached password"
    private let service = FakeService()

    private final class FakeService: Sendable {
        private let asked = Mutex<[String]>([])
        private let reported = Mutex<[BreachLookupFailure]>([])
        private let failure = Mutex<BreachLookupFailure?>(nil)

        var questions: [String] { asked.withLock { $0 } }
        var reports: [BreachLookupFailure] { reported.withLock { $0 } }
        func forget() { asked.withLock { $0 = [] } }
        func fail(_ reason: BreachLookupFailure) { failure.withLock { $0 = reason } }

        var port: BreachedPasswords {
            BreachedPasswords(
                { [self] password throws(BreachLookupFailure) in
                    asked.withLock { $0.append(password) }
                    if let failure = failure.withLock({ $0 }) { throw failure }
                    return password == BreachedPasswordTests.breached
                }, report: { [self] failure in reported.withLock { $0.append(failure) } })
        }
    }

    private func kit(
        _ registration: PasswordPolicy.Registration = .immediate,
        _ change: (inout Policy) -> Void = { _ in }
    ) throws -> AuthKit {
        try AuthKit(
            policy: Policy.passwords(registration).with(change), breachedPasswords: service.port)
    }

    private let refused = AuthError.password(.refused(.breached))

    private func register(
        _ kit: AuthKit, _ password: String, _ email: String = "new@example.com"
    ) -> AuthError? {
        kit.error {
            _ = try kit.auth.register(
                Register.Input(email: try kit.email(email), password: password),
                Caller(address: "192.0.2.1"))
        }
    }

    @Test func `a taken address gets the same answer`() throws {
        let kit = try kit(.afterVerification(repeatsPassword: true))
        try kit.account()
        service.forget()
        expectEqual(register(kit, Self.breached, "ada@example.com"), refused)
        expectEqual(register(kit, Self.breached, "new@example.com"), refused)
        expectEqual(service.questions.count, 2)
    }

    @Test func `a breached new password is refused, and the current one is not looked up`() throws {
        let kit = try kit()
        try kit.account()
        let tokens = try kit.logIn()
        service.forget()
        func change(_ current: String, _ new: String) -> AuthError? {
            kit.error {
                _ = try kit.auth.changePassword(
                    current: current, new: new, Caller(bearerText: tokens.access.reveal()))
            }
        }
        expectEqual(change("wrong password", Self.breached), .password(.wrongCurrentPassword))
        #expect(change(AuthKit.password, "short") != nil)
        #expect(service.questions.isEmpty)
        expectEqual(change(AuthKit.password, Self.breached), refused)
        #expect(throws: Never.self) { try kit.logIn() }
        expectEqual(service.questions, [Self.breached])
    }

    @Test func `a link is still valid after a breached password was refused`() throws {
        let kit = try kit()
        try kit.account()
        try kit.askForReset()
        let token = try kit.mailedToken()
        service.forget()
        func reset(_ token: String, _ password: String) -> AuthError? {
            kit.error { try kit.auth.resetPassword(token: token, newPassword: password, Caller()) }
        }
        expectEqual(reset("no link", Self.breached), .emailLink(.invalid))
        #expect(service.questions.isEmpty)
        expectEqual(reset(token, Self.breached), refused)
        expectEqual(reset(token, "another password"), nil)
    }

    @Test func `a sign-in sends no request, even if the password is hashed again`() throws {
        let kit = try kit()
        try kit.account()
        service.forget()
        let dearer = try AuthKit(
            policy: Policy.passwords(.immediate).with { $0.passwords?.cost.passes = 2 },
            clock: kit.clock, store: kit.store, breachedPasswords: service.port)
        _ = try dearer.logIn()
        #expect(service.questions.isEmpty)
    }

    @Test func `passwords of requests over the rate limits are not looked up`() throws {
        let kit = try kit { $0.limits = [RateLimit(.register, per: .address, 1, in: .minutes(1))] }
        expectEqual(register(kit, AuthKit.password), nil)
        expectEqual(register(kit, Self.breached, "b@example.com")?.isRateLimited, true)
        expectEqual(service.questions.count, 1)
    }
}
