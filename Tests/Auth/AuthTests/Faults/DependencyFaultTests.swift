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
}
