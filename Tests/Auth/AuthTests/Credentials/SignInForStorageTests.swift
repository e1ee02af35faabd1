import AuthDomain
import AuthOperations
import AuthTestSupport
import Testing

@Suite("SignInForStorage") struct SignInForStorageTests {
    let fake = FakeDesk()
    let broker = FakeBroker()
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func signIn(_ token: String) throws -> (SignIn.Output, StorageCredentials) {
        let bucket = try #require(BucketName(parsing: "photos"))
        let credentials = IssueCredentials(
            kit.ground, limiter: kit.limiter, authenticate: kit.authenticate,
            place: StoragePlace(
                bucket: bucket, region: "eu-central-1", partition: "aws",
                prefixTemplate: "users/{userId}/", endpoint: nil), broker: broker.broker)
        let operation = SignInForStorage(
            signIn: kit.signIn(fake.desk), credentials: credentials)
        return try operation(SignIn.Input(provider: "apple", idToken: token), RequestContext())
    }

    @Test func `a person gets keys to their own prefix and no session`() throws {
        fake.add("one")
        let (output, issued) = try signIn("one")
        #expect(output.isNewUser && output.tokens == nil)
        #expect(issued.prefix.text == "users/\(output.user.id.text)/")
        #expect(broker.asked.map(\.user) == [output.user.id.text])
        #expect(try kit.sessionCount() == 0)
        let audit = try kit.audit(of: output.user.id)
        #expect(audit.contains("accountCreated") && audit.contains("credentialsIssued"))
    }

    @Test func `an outage of STS uses nothing up and makes nobody`() throws {
        fake.add("one")
        broker.fail(.unavailable)
        #expect(throws: Problem.unavailable(.storageCredentials)) { try signIn("one") }
        broker.fail(nil)
        let (output, _) = try signIn("one")
        #expect(output.isNewUser)
    }

    @Test func `a used token asks STS for nothing`() throws {
        fake.add("one")
        _ = try signIn("one")
        #expect(throws: Problem.identityTokenSpent) { try signIn("one") }
        #expect(broker.asked.count == 1)
    }
}
