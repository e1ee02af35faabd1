/// Boundaries to the second: the end is exact, where equality means expired; the start may be 60 s
/// ahead of our clock.
@Suite("Token times")
struct TokenTimeTests {
    let fixture = ProviderFixture()

    /// Verifies tokens with this claim, in seconds from now.
    private func check(
        _ claim: String, _ cases: [(Int64, IdentityFailure?)],
        of provider: ProviderConfiguration = Configured.google
    ) {
        let isApple = provider.name == "apple"
        for (seconds, failure) in cases {
            let token = (isApple ? IDToken.apple() : .google()).with("iat", secondsFromNoon: -300)
                .with(claim, secondsFromNoon: seconds)
            expectEqual(
                fixture.verify(token.text, provider).failure, failure, "\(claim) \(seconds)")
        }
    }

    @Test func `a token expires at exp`() {
        check(
            "exp",
            [
                (60, nil), (1, nil), (0, .tokenExpired), (-1, .tokenExpired), (-59, .tokenExpired),
                (-86400, .tokenExpired),
            ])
    }

    @Test func `a token may be issued in the future, within the leeway`() {
        check(
            "iat",
            [(-1, nil), (0, nil), (60, nil), (61, .invalidIssuedAt), (3600, .invalidIssuedAt)])
        check("nbf", [(-3600, nil), (60, nil), (61, .tokenNotYetValid), (3600, .tokenNotYetValid)])
    }

    @Test func `a token is valid for ten minutes, although Apple's exp is a day`() {
        check(
            "iat", [(0, nil), (-599, nil), (-600, .tokenTooOld), (-86000, .tokenTooOld)],
            of: Configured.apple)
        var strict = Configured.apple
        strict.ageMax = .seconds(30)
        strict.leeway = .zero
        check("iat", [(-29, nil), (-30, .tokenTooOld), (1, .invalidIssuedAt)], of: strict)
    }
}
