import AuthTestSupport
import TestSupport

@Suite("Guests") struct CreateGuestTests {
    @Test func `a guest has a session and nothing else`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        let user = try kit.authenticate(tokens.access.reveal()).user
        #expect(user == tokens.user && user.isGuest)
        #expect(user.identities.isEmpty && user.email == nil && user.login == nil)
        try expectEqual(kit.methods(tokens), [])
        try expectEqual(kit.audit(of: user.id), ["accountCreated"])
        #expect(try kit.guest().user.id != user.id)
        let next = try kit.refresh(tokens.refresh.reveal(), Caller())
        #expect(next.user.isGuest)
    }

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
