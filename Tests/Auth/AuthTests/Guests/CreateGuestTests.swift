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
}
