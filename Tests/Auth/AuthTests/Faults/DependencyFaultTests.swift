import AuthTestSupport
import TestSupport

/// Failures of identity providers, STS and mail: no session, no keys, and no lost message.
@Suite("Faults of dependencies") struct DependencyFaultTests {
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
        try kit.askForReset()
        expectEqual(kit.mail.mails.count, before)
        kit.mail.fail(nil)
        for _ in 0..<10 {
            clock.advance(by: .minutes(2))
            _ = try kit.auth.housekeeping(until: nil)
        }
        expectEqual(kit.mail.mails.count, before + 1)
        let token = try kit.mailedToken()
        try kit.reset(token, to: "another password")
        _ = try kit.logIn("ada@example.com", "another password")
    }
}
