import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct MintTests {
    @Test
    func `an account has the same subject in every emulator, whatever the case of its address`()
        throws
    {
        let harness = try IdentityServiceHarness.shared.get()
        let other = try IdentityServiceHarness()
        let first = try harness.verify(
            try harness.mint("acme", ["email": "Bob@Example.com"]), "acme", "acme-client")
        let second = try other.verify(
            try other.mint("acme", ["email": "bob@example.com"]), "acme", "acme-client")
        let third = try harness.verify(
            try harness.mint("acme", ["email": "bob2@example.com"]), "acme", "acme-client")
        expectEqual(first.subject, second.subject)
        #expect(first.subject != third.subject)
    }

    @Test(arguments: [Int64(-3600), -90, 90, 3600])
    func `the provider's clock may be skewed`(seconds: Int64) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.mint("acme", ["skewSeconds": .number(seconds)])
        let expectations = TokenExpectations(
            issuers: ["\(IdentityServiceHarness.base)/_idp/acme"], audiences: ["acme-client"],
            types: [nil],
            now: noon + .seconds(seconds), leeway: .zero)
        let verified = try JWT.verify(token, keys: harness.keys("acme"), expecting: expectations)
        expectEqual(verified.issuedAt, noon + .seconds(seconds))
    }

    @Test func `missing keys are generated for the first token and kept`() throws {
        let scratch = try TemporaryDatabase()
        func published() throws -> [String?] {
            let harness = try IdentityServiceHarness(directory: scratch.path)
            let token = try harness.mint("apple")
            let identity = try harness.verify(token, "apple", IdentityServiceHarness.appleClient)
            #expect(identity.subject != nil)
            return try harness.keys("apple").keys.map(\.kid)
        }
        let first = try published()
        expectEqual(first.count, 2)
        try expectEqual(published(), first)
    }
}
