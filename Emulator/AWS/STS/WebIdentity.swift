internal import Bytes
internal import JOSE
internal import JSON
internal import Time

/// The identity in a verified token.
struct WebIdentity {
    let provider: OpenIDProvider
    let subject: String
    let audience: String
    /// Condition keys such as `accounts.google.com:sub`.
    let keys: [SessionTag]
    let tags: [SessionTag]
    let transitiveTagKeys: [String]
    let sourceIdentity: String?

    private static let notToken = STSError.invalidToken(
        "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access "
            + "Token)")
    private static let limits = JSONLimits(bytesMax: 16 << 10, depthMax: 16, membersMax: 256)

    init(
        verifying token: String, in directory: IAMDirectory, keys issuerKeys: IssuerKeys,
        at now: Instant
    ) throws(STSError) {
        let (issuer, audiences) = try Self.claimed(token)
        guard let provider = directory.providers.first(where: { $0.issuer.isSame(as: issuer) })
        else {
            throw .invalidToken("No OpenIDConnect provider found in your account for \(issuer)")
        }
        let keys = try Self.keys(of: issuer, issuerKeys)
        let verified: VerifiedToken
        do throws(TokenFailure) {
            verified = try JWT.verify(
                token, keys: keys,
                expecting: TokenExpectations(
                    issuers: [issuer],
                    audiences: provider.audiences.isEmpty ? audiences : provider.audiences,
                    types: [nil, "JWT", "at+jwt"], now: now, leeway: .zero,
                    requires: ["sub", "iat"]))
        } catch {
            throw Self.refusal(error, token, at: now)
        }
        self.init(verified, from: provider)
    }

    /// The issuer and the audiences that an unverified token claims, used only to select the keys.
    private static func claimed(_ token: String) throws(STSError) -> (String, [String]) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let claims = try? JSON.parse(payload, limits: limits)
        else { throw notToken }
        guard let issuer = claims["iss"]?.stringValue else {
            throw .invalidToken("Missing a required claim: iss")
        }
        let audiences = claims["aud"].map { $0.arrayValue ?? [$0] } ?? []
        return (issuer, audiences.compactMap(\.stringValue))
    }

    private static func keys(of issuer: String, _ keys: IssuerKeys) throws(STSError) -> KeySet {
        do throws(IssuerKeys.Failure) {
            return try keys.keys(issuer)
        } catch {
            switch error {
            case .none: throw .unretrievableKey
            case .unreachable:
                throw STSError(
                    400, "IDPCommunicationError",
                    "Unable to communicate with the identity provider, please try again later")
            }
        }
    }

    private static func refusal(
        _ failure: TokenFailure, _ token: String, at now: Instant
    ) -> STSError {
        switch failure {
        case .tooLarge, .malformed, .malformedClaims, .wrongType, .criticalHeader: return notToken
        case .missingKeyID, .unknownKeyID, .algorithmMismatch, .badSignature:
            return .unretrievableKey
        case .wrongAudience, .missingClaim("aud"): return .invalidToken("Incorrect token audience")
        case .missingClaim(let name): return .invalidToken("Missing a required claim: \(name)")
        case .wrongIssuer: return .invalidToken("Incorrect token issuer")
        case .expired, .tooOld:
            let payload = token.split(separator: ".").dropFirst().first.flatMap {
                Base64URL.decode($0)
            }
            let claims = payload.flatMap { try? JSON.parse($0, limits: limits) }
            let end = claims?["exp"]?.int64Value ?? 0
            // The missing space is in AWS's message too.
            return STSError(
                400, "ExpiredTokenException",
                "Token expired: current date/time \(now.seconds) must be before the expiration "
                    + "date/time\(end)")
        case .notYetValid, .issuedInFuture:
            return .invalidToken("Token is not yet valid: current date/time \(now.seconds)")
        }
    }

    private init(_ token: VerifiedToken, from provider: OpenIDProvider) {
        self.provider = provider
        subject = token.subject ?? ""
        let claimed = token.audiences.first ?? ""
        let authorized = token.claims["azp"]?.stringValue
        let isGoogle = provider.name == "accounts.google.com"
        audience = isGoogle ? authorized ?? claimed : claimed
        var keys = [
            SessionTag("\(provider.name):aud", audience),
            SessionTag("\(provider.name):sub", subject),
        ]
        if isGoogle { keys.append(SessionTag("\(provider.name):oaud", claimed)) }
        if let email = token.claims["email"]?.stringValue {
            keys.append(SessionTag("\(provider.name):email", email))
        }
        self.keys = keys
        // Session tags and the source identity are in AWS-specific claims.
        let own = token.claims["https://aws.amazon.com/tags"]
        tags = (own?["principal_tags"]?.objectValue?.members ?? []).compactMap { member in
            let value = member.value.stringValue ?? member.value.arrayValue?.first?.stringValue
            return value.map { SessionTag(member.name, $0) }
        }
        transitiveTagKeys =
            own?["transitive_tag_keys"]?.arrayValue?.compactMap(\.stringValue) ?? []
        sourceIdentity = token.claims["https://aws.amazon.com/source_identity"]?.stringValue
    }
}
