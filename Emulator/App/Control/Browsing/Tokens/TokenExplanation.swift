internal import Bytes
internal import EmulatorDebugging
internal import JSON
internal import Time

extension EmulatorServices {
    /// The clock of the functions, which cannot be adjusted.
    var systemTime: Instant { WallClock.system.now() }

    /// Explains each check of a token. The token is neither logged nor kept.
    func explain(_ question: TokenQuestion) throws(BrowsingFailure) -> JSON {
        let refreshToken = RefreshTokenExplanation(question.token, LatchkeyFunctions(self))
        if let verdict = refreshToken.verdict() { return verdict.json }
        return try TokenExplanation(question, self).verdict().json
    }
}

/// The checks of a JWT, in the order of a careful verifier.
struct TokenExplanation {
    private let question: TokenQuestion
    private let services: EmulatorServices
    private let issuers: TokenIssuers
    private let token: TokenReading
    private let issuer: TokenIssuer?

    init(_ question: TokenQuestion, _ services: EmulatorServices) throws(BrowsingFailure) {
        self.question = question
        self.services = services
        issuers = TokenIssuers(services)
        token = TokenReading(question.token)
        issuer = try Self.issuer(question, token, issuers)
    }

    /// The requested issuer, or else the issuer in the token's `iss`, or else the issuer that has
    /// the key.
    private static func issuer(
        _ question: TokenQuestion, _ token: TokenReading, _ issuers: TokenIssuers
    ) throws(BrowsingFailure) -> TokenIssuer? {
        if let wanted = question.issuer {
            guard let issuer = issuers.issuer(wanted) else {
                let known = issuers.names.joined(separator: ", ")
                throw BrowsingFailure(400, "Unknown issuer. Known: \(known).")
            }
            return issuer
        }
        if let named = token.claims?["iss"]?.stringValue, let issuer = issuers.issuer(named) {
            return issuer
        }
        guard let kid = token.header?["kid"]?.stringValue else { return nil }
        return issuers.issuer(withKey: kid)
    }

    func verdict() throws(BrowsingFailure) -> TokenVerdict {
        var verdict = TokenVerdict(subject: subject, checks: [faults] + token.checks)
        verdict.header = token.header
        verdict.claims = token.claims
        guard let header = token.header, let claims = token.claims else {
            verdict.checks += Self.unread(verdict.checks)
            return verdict
        }
        let signature = SignatureChecks(token, header, issuer, issuers)
        verdict.checks += signature.checks
        verdict.doubt = signature.doubt
        let content = ClaimChecks(
            claims: claims, header: header, issuer: issuer, question: question,
            knownIssuers: issuers.names)
        verdict.checks += [content.issuerCheck, content.audienceCheck, content.partyCheck]
        let times = TimeChecks(
            claims: claims, now: services.systemTime, ageMax: issuer?.lifetime)
        verdict.checks += times.all
        verdict.checks += [content.nonceCheck, content.typeCheck, content.subjectCheck]
        if issuer?.isApp == true {
            verdict.checks.append(sessionCheck(claims))
        } else {
            verdict.checks += [content.emailCheck, content.verificationCheck]
        }
        return verdict
    }

    private var subject: String {
        guard let issuer else { return "unknown token" }
        return issuer.isApp ? "access token of the app" : "ID token of \(issuer.name)"
    }

    private var faults: TokenCheck {
        let name = issuer.flatMap { $0.isApp ? nil : $0.name }
        let expected = "none"
        guard issuer?.isApp != true else {
            return TokenCheck(.faults, .skipped, "The token is not from an identity provider.")
        }
        let lines = services.interceptor.faults.lines(ofProvider: name)
        guard !lines.isEmpty else {
            return TokenCheck(
                .faults, .passed, value: .array([]), expected: expected,
                "No fault is active for \(name ?? "an identity provider").")
        }
        return TokenCheck(
            .faults, .failed, value: .array(lines.map { .string($0) }), expected: expected,
            "\(name ?? "An identity provider") has active faults: they, and not the "
                + "token, may be the reason for a function's refusal.")
    }

    /// The checks that are impossible because the token cannot be read.
    private static func unread(_ made: [TokenCheck]) -> [TokenCheck] {
        let missing = TokenCheck.Name.ofTokens.filter { name in
            !made.contains { $0.name == name }
        }
        return missing.map { TokenCheck($0, .skipped, "The token cannot be read.") }
    }

    /// Latchkey's functions read the session at each request, so a sign-out has an immediate
    /// effect.
    private func sessionCheck(_ claims: JSONObject) -> TokenCheck {
        guard let family = claims["sid"]?.stringValue, let user = claims["sub"]?.stringValue else {
            return TokenCheck(
                .session, .skipped, value: claims["sid"],
                "The token names no session that a function can look up.")
        }
        let (answer, problem) = LatchkeyFunctions(services).find(
            ["action": "session", "user": .string(user), "family": .string(family)],
            expecting: "session"
        ) { $0["session"] != .null }
        if let problem {
            return TokenCheck(.session, .skipped, value: .string(family), problem)
        }
        return TokenCheck(ofSession: answer?["session"], .string(family))
    }
}

extension TokenCheck.Name {
    /// The names of the checks of ID tokens and access tokens, in the order of the checks.
    fileprivate static let ofTokens = allCases.filter {
        ![.session, .proof, .expiry, .generation].contains($0)
    }
}
