internal import JOSE
internal import Time

extension IdentityFailure {
    init(_ failure: TokenFailure) {
        switch failure {
        case .tooLarge, .malformed, .criticalHeader, .wrongType, .malformedClaims, .missingClaim:
            self = .invalidIDToken
        case .missingKeyID: self = .missingKeyID
        case .unknownKeyID: self = .unknownKeyID
        case .algorithmMismatch, .badSignature: self = .invalidSignature
        case .wrongIssuer: self = .invalidIssuer
        case .wrongAudience: self = .invalidAudience
        case .expired: self = .tokenExpired
        case .notYetValid: self = .tokenNotYetValid
        case .issuedInFuture: self = .invalidIssuedAt
        case .tooOld: self = .tokenTooOld
        }
    }
}

extension IdentityVerifier {
    static func keyID(of token: String) throws(IdentityFailure) -> String {
        let kid: String?
        do { kid = try JWT.keyID(of: token) } catch { throw IdentityFailure(error) }
        guard let kid else { throw .missingKeyID }
        return kid
    }

    static func expectations(
        _ provider: ProviderConfiguration, _ now: Instant
    ) -> TokenExpectations {
        TokenExpectations(
            issuers: provider.issuers, audiences: provider.clientIDs, types: [nil, "JWT"], now: now,
            leeway: provider.leeway, ageMax: provider.ageMax)
    }
}
