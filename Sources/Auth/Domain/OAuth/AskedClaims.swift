/// Claims that a client asks for by their names, in addition to its scopes' claims (OpenID Connect
/// Core section 5.5).
package struct AskedClaims: Equatable, Sendable {
    /// The claims for the userinfo response.
    package let userinfo: [UserClaim]
    /// The claims for the ID token.
    package let identity: [UserClaim]
    /// The ID token's `acr` must be one of these, or the user is not signed in; empty: any will do.
    package let strengths: [ProofStrength]

    package static let none = AskedClaims(userinfo: [], identity: [], strengths: [])

    package init(userinfo: [UserClaim], identity: [UserClaim], strengths: [ProofStrength]) {
        self.userinfo = userinfo
        self.identity = identity
        self.strengths = strengths
    }

    /// The scopes that contain these claims. The user is asked about them.
    package var scope: [String] {
        var words: [String] = []
        for word in (userinfo + identity).map(\.scope.rawValue) where !words.contains(word) {
            words.append(word)
        }
        return words
    }

    /// The weakest proof that suffices; nil: any.
    package var strength: ProofStrength? { strengths.min() }

    /// The `acr` for a strength of proof.
    package func strength(of proof: ProofStrength) -> ProofStrength {
        strengths.filter { $0 <= proof }.max() ?? proof
    }
}

/// The claims about a user (OpenID Connect Core section 5.4).
package enum UserClaim: String, CaseIterable, Sendable {
    case name, email
    case isEmailVerified = "email_verified"

    /// The scope that includes the claim.
    package var scope: StandardScope {
        switch self {
        case .name: .profile
        case .email, .isEmailVerified: .email
        }
    }
}
