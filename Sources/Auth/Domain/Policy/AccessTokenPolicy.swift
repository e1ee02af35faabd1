package import Time

/// The format of access tokens: header, claims and lifetime. Each contract's values are in
/// `Contracts/<Name>/<Name>.swift`.
package struct AccessTokenPolicy: Equatable, Sendable {
    package enum Algorithm: String, Sendable { case rs256, es256, edDSA, hs256 }

    package var lifetime: Span
    package var algorithm: Algorithm
    /// Algorithms that a deployment may choose instead (`JWT_ALGORITHM`).
    package let otherAlgorithms: [Algorithm]
    /// The header's `typ`; RFC 9068 says `at+jwt`.
    package var type: String
    /// Whether the header has a key ID. Without it, all of the contract's keys are tried.
    package var includesKeyID: Bool
    package var audience: String
    /// The claims, in the order in which they are serialised.
    package var claims: [Claim]

    package struct Claim: Equatable, Sendable {
        package let name: String
        package let value: ClaimValue

        package init(_ name: String, _ value: ClaimValue) {
            self.name = name
            self.value = value
        }
    }

    package init(
        lifetime: Span, algorithm: Algorithm, or otherAlgorithms: [Algorithm] = [], type: String,
        includesKeyID: Bool, audience: String, claims: [Claim] = .standard
    ) {
        self.lifetime = lifetime
        self.algorithm = algorithm
        self.otherAlgorithms = otherAlgorithms
        self.type = type
        self.includesKeyID = includesKeyID
        self.audience = audience
        self.claims = claims
    }

    package func claim(_ value: ClaimValue) -> String? {
        claims.first { $0.value == value }?.name
    }
}

package enum ClaimValue: Equatable, Sendable {
    case issuer, audience, clientID, issuedAt, expiresAt, tokenID
    /// The user's UUID.
    case userID
    /// The integer ID that a contract uses instead of the UUID.
    case publicUserID
    /// The user's address. The claim is omitted if the user has none.
    case email
    /// The session's UUID, with which a revocation takes effect immediately.
    case session
    /// `<user UUID>.<session UUID>`, for contracts without another claim for the user's UUID.
    case userAndSession
    /// The user's epoch, which is increased to end all sessions.
    case epoch
    /// When the user last proved who they are (RFC 9470 section 6): `auth_time`.
    case provenAt
    /// How strong that proof was: `acr`.
    case strength
    /// How they proved it: `amr`.
    case methods
}

extension [AccessTokenPolicy.Claim] {
    /// RFC 9068 section 2.2, plus session and epoch.
    package static let standard: [AccessTokenPolicy.Claim] = [
        .init("iss", .issuer), .init("aud", .audience), .init("sub", .userID),
        .init("iat", .issuedAt), .init("exp", .expiresAt), .init("jti", .tokenID),
        .init("client_id", .clientID), .init("sid", .session), .init("epoch", .epoch),
    ]

    /// RFC 9068 section 2.2.1.
    package static let proof: [AccessTokenPolicy.Claim] = [
        .init("auth_time", .provenAt), .init("acr", .strength), .init("amr", .methods),
    ]
}
