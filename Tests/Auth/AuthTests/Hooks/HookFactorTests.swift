import WebAuthnTestSupport

@Suite("Hooks that ask for a second factor, and races") struct HookFactorTests {
    private static let policy = Policy.guests { $0.devices = DevicePolicy() }
    private static let demand = #"{"decision":"secondFactor"}"#

    @Test func `an account with a second factor needs it on a trusted device too`() throws {
        let hooks = FakeHooks()
        let kit = try AuthKit(policy: Self.policy, hooks: hooks.services())
        let app = try WayIn.protected(kit).app
        var input = LogIn.Input(email: try kit.email("ada@example.com"), password: AuthKit.password)
        input.device.fingerprint = "phone"
        let first = try kit.ticket(try kit.auth.logIn(input, Caller()))
        let tokens = try kit.auth.completeSignIn(ticket: first, .code(kit.code(of: app)), Caller())
        kit.clock.advance(by: .seconds(30))
        let device = DeviceID(of: tokens.user.id, fingerprint: "phone", name: nil, userAgent: nil)
        input.device.token = try kit.auth.trustDevice(
            device.text, code: kit.code(of: app), ProtectedAccount.caller(tokens)
        ).token.reveal()
        guard case .session(let trusted) = try kit.auth.logIn(input, Caller()) else {
            Issue.record("the device is not trusted")
            return
        }
        input.device.token = trusted.deviceToken?.reveal()
        kit.clock.advance(by: .seconds(30))
        hooks.answer(.beforeSignIn, Self.demand)
        let ticket = try kit.ticket(try kit.auth.logIn(input, Caller()))
        _ = try kit.auth.completeSignIn(ticket: ticket, .code(kit.code(of: app)), Caller())
    }

    @Test func `a passkey that verified its user suffices`() throws {
        let hooks = FakeHooks()
        let kit = try AuthKit(policy: Self.policy, hooks: hooks.services())
        var passkey = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &passkey)
        hooks.answer(.beforeSignIn, Self.demand)
        guard case .session = try kit.signIn(with: passkey) else {
            Issue.record("no session")
            return
        }
    }

    @Test func `a lost race does not call the hook again`() throws {
        let hooks = FakeHooks()
        let kit = try AuthKit(policy: Self.policy, hooks: hooks.services())
        let user = try kit.account()
        hooks.onCall { try? kit.change(user.id) { $0.displayName = "Ada" } }
        hooks.forget()
        _ = try kit.logIn()
        expectEqual(hooks.told.count, 1)
    }
}
