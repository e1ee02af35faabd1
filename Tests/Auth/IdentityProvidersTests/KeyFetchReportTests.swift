@Suite("Reports of failed key fetches")
struct KeyFetchReportTests {
    let fixture = ProviderFixture()
    let url = ProviderFixture.appleKeysURL

    private func signIn(by verifier: IdentityVerifier? = nil) -> IdentityFailure? {
        let now = fixture.clock.now.seconds
        let token = IDToken.apple().with("iat", .number(now)).with("exp", .number(now + 600)).text
        return fixture.verify(token, Configured.apple, by: verifier).failure
    }

    @Test func `successful fetches are not reported`() {
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .hours(2))
        expectEqual(signIn(), nil)
        #expect(fixture.reports.isEmpty)
    }

    @Test func `an unavailable store is reported even if cached keys are used`() {
        let warm = fixture.process()
        expectEqual(signIn(by: warm), nil)
        fixture.store.health = .down
        fixture.clock.advance(by: .hours(2))
        expectEqual(signIn(by: warm), nil)
        expectEqual(fixture.reports, ["apple store_unavailable"])
    }

    @Test func `a discovery document of another issuer is reported`() {
        fixture.provider["https://id.example.com/.well-known/openid-configuration"] = .json([
            "issuer": "https://evil.example", "jwks_uri": "https://evil.example/jwks",
        ])
        let failure = fixture.verify(IDToken.oidc().text, Configured.oidc).failure
        expectEqual(failure, .keysUnavailable(.issuerMismatch))
        expectEqual(fixture.reports, ["acme issuer_mismatch"])
    }

    @Test func `the raw values are stable`() {
        expectEqual(
            KeyFetchFailure.allCases.map(\.rawValue),
            [
                "unreachable", "timed_out", "redirected", "rate_limited", "client_error",
                "server_error", "unexpected_status", "response_too_large", "malformed_discovery",
                "issuer_mismatch", "untrusted_jwks_uri", "malformed_key_set", "duplicate_kid",
                "too_many_keys", "no_usable_key", "store_unavailable", "fetch_in_progress",
                "recently_failed",
            ])
    }
}
