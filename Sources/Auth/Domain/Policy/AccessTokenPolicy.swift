package import Time

/// The form of access tokens: header, claims and lifetime.
package struct AccessTokenPolicy: Equatable, Sendable {
    package enum Algorithm: String, Sendable { case rs256, es256, edDSA, hs256 }

    package var lifetime: Span
    package var algorithm: Algorithm
    /// The header's `typ`; RFC 9068 says `at+jwt`.
    package var type: String
    /// Whether the header names the key. A contract without it can have one key at a time, or
    /// several of which each is tried.
    package var includesKeyID: Bool
    package var audience: String
    /// In the order in which they stand in the token.
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
        lifetime: Span, algorithm: Algorithm, type: String, includesKeyID: Bool, audience: String,
        claims: [Claim] = .standard
    ) {
        self.lifetime = lifetime
        self.algorithm = algorithm
        self.type = type
        self.includesKeyID = includesKeyID
        self.audience = audience
        self.claims = claims
    }

    package func claim(_ value: ClaimValue) -> String? {
        claims.first { $0.value == value }?.name
    }
}

/// What a claim of an access token says.
package enum ClaimValue: Equatable, Sendable {
    case issuer, audience, clientID, issuedAt, expiresAt, tokenID
    /// The user's UUID.
    case userID
    /// The integer that a contract shows instead of the UUID.
    case publicUserID
    /// Left out where the user has none.
    case email
    /// The session's UUID: revocation is seen at once by looking for it.
    case session
    /// `<user UUID>.<session UUID>`, for contracts in which no other claim has the user's UUID.
    case userAndSession
    /// The user's epoch, which rises when all of the user's sessions end.
    case epoch
}

extension [AccessTokenPolicy.Claim] {
    /// RFC 9068 section 2.2, with the session and the epoch.
    package static let standard: [AccessTokenPolicy.Claim] = [
        .init("iss", .issuer), .init("aud", .audience), .init("sub", .userID),
        .init("iat", .issuedAt), .init("exp", .expiresAt), .init("jti", .tokenID),
        .init("client_id", .clientID), .init("sid", .session), .init("epoch", .epoch),
    ]
}
