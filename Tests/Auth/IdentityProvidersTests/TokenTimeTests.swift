import AuthTestSupport
import TestSupport

/// Boundaries to the second: the end is exact, where equality means expired; the start may be 60 s
/// ahead of our clock.
@Suite("Token times")
struct TokenTimeTests {
    let fixture = ProviderFixture()

    @Test(
        arguments: [
            (60, nil), (1, nil), (0, .tokenExpired), (-1, .tokenExpired),
            (-59, .tokenExpired), (-86400, .tokenExpired),
        ] as [(Int64, IdentityFailure?)])
    func `a token expires at exp`(seconds: Int64, expected: IdentityFailure?) {
        let token = IDToken.google().with("exp", secondsFromNoon: seconds)
            .with("iat", secondsFromNoon: -300).text
        expectEqual(fixture.verify(token, Configured.google).failure, expected)
    }

    @Test(
        arguments: [
            (-1, nil), (0, nil), (59, nil), (60, nil),
            (61, .invalidIssuedAt), (3600, .invalidIssuedAt),
        ] as [(Int64, IdentityFailure?)])
    func `a token may be issued in the future, within the leeway`(
        seconds: Int64, expected: IdentityFailure?
    ) {
        let token = IDToken.google().with("iat", secondsFromNoon: seconds).text
        expectEqual(fixture.verify(token, Configured.google).failure, expected)
    }

    @Test(
        arguments: [
            (-3600, nil), (60, nil), (61, .tokenNotYetValid),
            (3600, .tokenNotYetValid),
        ] as [(Int64, IdentityFailure?)])
    func `a token may become valid in the future, within the leeway`(
        seconds: Int64, expected: IdentityFailure?
    ) {
        let token = IDToken.google().with("nbf", secondsFromNoon: seconds).text
        expectEqual(fixture.verify(token, Configured.google).failure, expected)
    }

    @Test(
        arguments: [
            (0, nil), (-599, nil), (-600, .tokenTooOld), (-86000, .tokenTooOld),
        ] as [(Int64, IdentityFailure?)])
    func `a token is valid for ten minutes, although Apple's exp is a day`(
        seconds: Int64, expected: IdentityFailure?
    ) {
        let token = IDToken.apple().with("iat", secondsFromNoon: seconds).text
        expectEqual(fixture.verify(token, Configured.apple).failure, expected)
    }

    @Test func `age and leeway can be configured`() throws {
        var strict = Configured.apple
        strict.ageMax = .seconds(30)
        strict.leeway = .zero
        let token = { (seconds: Int64) in IDToken.apple().with("iat", secondsFromNoon: seconds) }
        expectEqual(fixture.verify(token(-29).text, strict).failure, nil)
        expectEqual(fixture.verify(token(-30).text, strict).failure, .tokenTooOld)
        expectEqual(fixture.verify(token(1).text, strict).failure, .invalidIssuedAt)
    }

    @Test(arguments: ["exp", "iat"], [nil, .null, "1767700800", true, [], "never"] as [JSON?])
    func `a token without valid times is refused`(claim: String, value: JSON?) {
        let token = IDToken.google().with(claim, value).text
        expectEqual(fixture.verify(token, Configured.google).failure, .invalidIDToken)
    }
}
