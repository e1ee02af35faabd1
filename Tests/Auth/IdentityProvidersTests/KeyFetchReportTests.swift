import HTTP
import IdentityProviders
import JSON
import Testing
import Time

@Suite("Reports of keys that cannot be fetched")
struct KeyFetchReportTests {
    let world = World()
    let url = World.appleKeysURL

    private func signIn(by verifier: IdentityVerifier? = nil) -> IdentityFailure? {
        let now = world.clock.now.seconds
        let token = IDToken.apple().with("iat", .number(now)).with("exp", .number(now + 600)).text
        return world.verify(token, Configured.apple, by: verifier).failure
    }

    @Test func `nothing is reported while all is well`() {
        #expect(signIn() == nil)
        world.clock.advance(by: .hours(2))
        #expect(signIn() == nil)
        #expect(world.reports.isEmpty)
    }

    @Test(arguments: KeySetCacheTests.faults.indices)
    func `each fault is reported once, with the word that the failure carries`(index: Int) {
        let (answer, failure) = KeySetCacheTests.faults[index]
        world.provider[url] = answer
        #expect(signIn() == .keysUnavailable(failure))
        #expect(world.reports == ["apple \(failure.rawValue)"])
    }

    @Test(arguments: KeySetCacheTests.faults.indices)
    func `a fault is reported even though an older set serves`(index: Int) {
        #expect(signIn() == nil)
        let (answer, failure) = KeySetCacheTests.faults[index]
        world.provider[url] = answer
        world.clock.advance(by: .hours(1))
        #expect(signIn() == nil)
        #expect(world.reports == ["apple \(failure.rawValue)"])
        // Not again for each sign-in: the next fetch is due in a minute.
        #expect(signIn() == nil)
        #expect(world.reports.count == 1)
    }

    @Test func `a store that is down is reported though memory serves`() {
        let warm = world.process()
        #expect(signIn(by: warm) == nil)
        world.store.health = .down
        world.clock.advance(by: .hours(2))
        #expect(signIn(by: warm) == nil)
        #expect(world.reports == ["apple store_unavailable"])
    }

    @Test func `an impostor's discovery document is named in the report`() {
        world.provider["https://id.example.com/.well-known/openid-configuration"] = .json([
            "issuer": "https://evil.example", "jwks_uri": "https://evil.example/jwks",
        ])
        let failure = world.verify(IDToken.oidc().text, Configured.oidc).failure
        #expect(failure == .keysUnavailable(.issuerMismatch))
        #expect(world.reports == ["acme issuer_mismatch"])
    }

    @Test func `the words are fit for a log and do not change`() {
        #expect(
            KeyFetchFailure.allCases.map(\.rawValue) == [
                "unreachable", "timed_out", "redirected", "rate_limited", "client_error",
                "server_error", "unexpected_status", "response_too_large", "malformed_discovery",
                "issuer_mismatch", "untrusted_jwks_uri", "malformed_key_set", "duplicate_kid",
                "too_many_keys", "no_usable_key", "store_unavailable", "fetch_in_progress",
                "recently_failed",
            ])
    }
}
