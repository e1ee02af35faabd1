internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// Explains a refresh token of the form `lkr_…` (docs/architecture.md, "Sessions and tokens"): it
/// contains its user, its session and its generation. The rest is two MACs, which only functions
/// can verify, because their keys are derived from the master key.
struct RefreshTokenExplanation {
    private let token: String
    private let sessions: SessionBrowser
    private let now: Instant

    static let prefix = "lkr_"
    private static let placeBytes = 36
    private static let bytes = 60

    static func concerns(_ token: String) -> Bool { token.has(prefix: prefix) }

    init(_ token: String, _ sessions: SessionBrowser, _ now: Instant) {
        self.token = token
        self.sessions = sessions
        self.now = now
    }

    func verdict() throws(BrowsingFailure) -> TokenVerdict {
        var verdict = TokenVerdict(subject: "refresh token of Latchkey", checks: [])
        let length = token.utf8.count
        let form = "\(Self.prefix) and 80 characters"
        guard let bytes = Base64URL.decode(token.dropping(prefix: Self.prefix)),
            bytes.count == Self.bytes
        else {
            verdict.checks = [
                TokenCheck(
                    .size, .failed, value: .number(length), expected: form,
                    "This is not a valid refresh token.")
            ]
            return verdict
        }
        verdict.checks = [
            TokenCheck(
                .size, .passed, value: .number(length), expected: form, "The format is valid.")
        ]
        let user = CanonicalUUID.text(bytes[..<16])
        let family = CanonicalUUID.text(bytes[16..<32])
        let generation = bytes[32..<Self.placeBytes].reduce(0) { $0 << 8 | Int64($1) }
        verdict.claims = [
            "user": .string(user), "family": .string(family), "generation": .number(generation),
        ]
        verdict.checks.append(
            TokenCheck(
                .proof, .skipped, "Only functions can verify it: the emulator has no master key."))
        verdict.checks += try checks(user: user, family: family, generation: generation)
        verdict.doubt =
            sessions.canLook
            ? "The visible parts are valid, but only functions can verify the token."
            : "The store of the functions cannot be read from here."
        return verdict
    }

    private func checks(
        user: String, family: String, generation: Int64
    ) throws(BrowsingFailure) -> [TokenCheck] {
        guard sessions.canLook else {
            return [
                TokenCheck(
                    .session, .skipped, value: .string(family),
                    "The store of the functions cannot be read from here.")
            ]
        }
        guard let (session, state, grace) = try sessions.find(user: user, family: family) else {
            return [
                TokenCheck(
                    .session, .failed, value: .string(family), expected: "an active session",
                    "There is no such session: signed out, revoked, or ended and deleted.")
            ]
        }
        return [
            state.check(family),
            TokenCheck(
                .expiry, now < session.expiresAt ? .passed : .failed,
                value: .string(session.expiresAt.iso8601Milliseconds), expected: "in the future",
                "The session ends then unless it is refreshed."),
            check(generation, of: session, session.graceLeft(grace, at: now)),
        ]
    }

    private func check(
        _ generation: Int64, of session: SessionItem, _ graceLeft: Span?
    ) -> TokenCheck {
        func check(_ verdict: TokenCheck.Verdict, _ explanation: String) -> TokenCheck {
            TokenCheck(
                .generation, verdict, value: .number(generation),
                expected: "\(session.generation)", explanation)
        }
        switch session.generation - generation {
        case 0: return check(.passed, "It is the current one: a refresh replaces it.")
        case 1:
            guard let graceLeft else {
                return check(
                    .skipped,
                    "It was replaced; the grace period is not known.")
            }
            guard graceLeft > .zero else { break }
            return check(
                .passed,
                "It was replaced; for another \(graceLeft.milliseconds) ms a refresh with it "
                    + "gets the same successor.")
        case 2...: break
        default: return check(.failed, "It was never issued: the session has a lower generation.")
        }
        return check(
            .failed, "It was replaced: presenting it again is reuse, and ends the session.")
    }
}
