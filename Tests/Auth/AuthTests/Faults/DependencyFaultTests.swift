import AuthTestSupport
import TestSupport

/// Failures of identity providers, STS and mail: no session, no keys, and no lost message.
@Suite("Faults of dependencies") struct DependencyFaultTests {
    private static let refusals: [IdentityFailure] = [
        .invalidIDToken, .missingKeyID, .unknownKeyID, .invalidSignature, .invalidIssuer,
        .invalidAudience, .tokenExpired, .tokenNotYetValid, .invalidIssuedAt, .tokenTooOld,
        .nonceMismatch, .invalidSubject,
    ]

    @Test(arguments: refusals)
    func `a refused provider token opens no session, and is not used up`(
        _ failure: IdentityFailure
    ) throws {
        let kit = try AuthKit()
        let fake = FakeIdentityProviders()
        fake.add("token")
        fake.fail(failure)
        let input = SignIn.Input(provider: "apple", idToken: "token")
        expectError(.signIn(.identityRejected(failure))) {
            try kit.signIn(fake.gateway)(input, Caller())
        }
        try expectEqual(kit.sessionCount(), 0)
        fake.fail(nil)
        #expect(try kit.signIn(fake.gateway)(input, Caller()).isNewUser)
    }

    @Test func `a provider without available keys is an outage, and consumes no token`() throws {
        for failure in KeyFetchFailure.allCases {
            let kit = try AuthKit()
            let fake = FakeIdentityProviders()
            fake.add("token")
            fake.fail(.keysUnavailable(failure))
            let input = SignIn.Input(provider: "apple", idToken: "token")
            // `ErrorCatalog` answers it with 503.
            expectError(.signIn(.identityRejected(.keysUnavailable(failure)))) {
                try kit.signIn(fake.gateway)(input, Caller())
            }
            fake.fail(nil)
            #expect(try kit.signIn(fake.gateway)(input, Caller()).isNewUser)
        }
    }

    @Test(arguments: [MailFailure.unavailable, .refused])
    func `an outage of mail delays a link, and loses none`(_ failure: MailFailure) throws {
        let clock = TestClock()
        let kit = try AuthKit(policy: .passwords(.immediate), clock: clock)
        try kit.provenAccount()
        kit.finishReply()
        let before = kit.mail.mails.count
        kit.mail.fail(failure)
        try kit.auth.forgotPassword(try kit.email(), Caller())
        kit.finishReply()
        expectEqual(kit.mail.mails.count, before)
        kit.mail.fail(nil)
        for _ in 0..<10 {
            clock.advance(by: .minutes(2))
            _ = try kit.auth.housekeeping(until: nil)
        }
        expectEqual(kit.mail.mails.count, before + 1)
        let token = try kit.mailedToken()
        try kit.auth.resetPassword(token: token, newPassword: "another password", Caller())
        _ = try kit.logIn("ada@example.com", "another password")
    }
}
