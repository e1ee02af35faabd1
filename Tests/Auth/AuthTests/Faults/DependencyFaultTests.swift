import AuthDomain
import AuthOperations
import AuthTestSupport
import IdentityProviders
import KeyValueStore
import TestSupport
import Testing
import Time

/// Failures of identity providers, STS and mail: no session, no keys, and no lost message.
@Suite("Faults of dependencies") struct DependencyFaultTests {
    private static let refusals: [IdentityFailure] = [
        .invalidIDToken, .missingKeyID, .unknownKeyID, .invalidSignature, .invalidIssuer,
        .invalidAudience, .tokenExpired, .tokenNotYetValid, .invalidIssuedAt, .tokenTooOld,
        .nonceMismatch, .invalidSubject,
    ]

    @Test(arguments: refusals)
    func `a provider's token that is refused opens no session, and is not used up`(
        _ failure: IdentityFailure
    ) throws {
        let kit = try AuthKit()
        let fake = FakeIdentityProviders()
        fake.add("token")
        fake.fail(failure)
        let input = SignIn.Input(provider: "apple", idToken: "token")
        #expect(throws: AuthError.signIn(.identityRejected(failure))) {
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
            #expect(throws: AuthError.signIn(.identityRejected(.keysUnavailable(failure)))) {
                try kit.signIn(fake.gateway)(input, Caller())
            }
            fake.fail(nil)
            #expect(try kit.signIn(fake.gateway)(input, Caller()).isNewUser)
        }
    }

    @Test(arguments: [
        (StorageFailure.unavailable, AuthError.unavailable(.storageCredentials)),
        (.refused, .storage(.refused)), (.policyTooLarge, .storage(.policyTooLarge)),
    ])
    func `a refusal of STS gives no keys, and the session continues`(
        _ failure: StorageFailure, _ expected: AuthError
    ) throws {
        let faults = try FaultKit()
        let caller = faults.signed(try faults.kit.session())
        faults.broker.fail(failure)
        #expect(throws: expected) { try faults.kit.credentials(.init(), caller) }
        faults.broker.fail(nil)
        _ = try faults.kit.credentials(.init(), caller)
    }

    @Test(arguments: [MailFailure.unavailable, .refused])
    func `mail that is down delays a link, and loses none`(_ failure: MailFailure) throws {
        let faults = try FaultKit()
        _ = try faults.account()
        faults.kit.finishReply()
        let before = faults.kit.mail.mails.count
        faults.kit.mail.fail(failure)
        let email = try faults.kit.email()
        try faults.auth.forgotPassword(email, FaultKit.caller)
        faults.kit.finishReply()
        expectEqual(faults.kit.mail.mails.count, before)
        faults.kit.mail.fail(nil)
        for _ in 0..<10 {
            faults.clock.advance(by: .minutes(2))
            _ = try faults.auth.housekeeping(until: nil)
        }
        expectEqual(faults.kit.mail.mails.count, before + 1)
        let token = try faults.kit.mailedToken()
        try faults.auth.resetPassword(
            token: token, newPassword: "another password", FaultKit.caller)
        _ = try faults.kit.logIn("ada@example.com", "another password")
    }
}
