import AuthTestSupport
import TestSupport

@Suite("Guests") struct CreateGuestTests {
    @Test func `a guest has no second factor, and is not an administrator`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        let enrolment = kit.error { _ = try kit.auth.enrolAuthenticator(kit.caller(tokens)) }
        expectEqual(enrolment, .account(.guest))
        expectError(.account(.guest)) {
            _ = try kit.auth.administerUser(
                tokens.user.id.text, .setAdmin(true), by: .password, Caller())
        }
        try expectEqual(kit.user(tokens.user.id)?.isAdmin, false)
    }

    @Test func `guests may delete themselves at any time`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        kit.clock.advance(by: .minutes(14))
        let caller = kit.caller(tokens)
        try kit.auth.deleteAccount(try kit.auth.authenticate(caller, for: .deleteAccount), caller)
        #expect(try kit.user(tokens.user.id)?.deletedAt != nil)
        kit.clock.advance(by: .days(31))
        try expectEqual(kit.sweep()["obsolete"], 1)
        #expect(try kit.looks().isEmpty)
    }
}
