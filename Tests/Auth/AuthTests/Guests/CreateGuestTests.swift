@Suite("Guests") struct CreateGuestTests {
    @Test func `a guest has no second factor, and is not an administrator`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        expectError(.account(.guest)) { try kit.auth.enrolAuthenticator(kit.caller(tokens)) }
        expectError(.account(.guest)) {
            _ = try kit.auth.administerUser(
                tokens.user.id.text, .setAdmin(true), by: .password, Caller())
        }
        try expectEqual(kit.user(tokens.user.id)?.isAdmin, false)
    }
}
