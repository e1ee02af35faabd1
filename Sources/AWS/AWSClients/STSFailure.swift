/// Why STS gave no credentials, as far as a caller can act on it.
package enum STSFailure: Error, Sendable, Equatable {
    /// We may not assume that role, or not with these tags.
    case accessDenied
    /// The web identity token is past its end.
    case expiredToken
    /// The web identity token is not what the role's provider signs.
    case invalidIdentityToken
    case malformedPolicy
    /// Policy and tags together, in a packed form that only STS knows.
    case packedPolicyTooLarge
    case regionDisabled
    case throttled
    /// A parameter that STS does not take.
    case validation
    case identityProviderRejected
    case identityProviderUnreachable
    /// Our own credentials are missing, wrong or expired.
    case credentials(CredentialsFailure)
    case unavailable

    init(_ failure: AWSFailure) {
        switch failure {
        case .refused(let refusal): self.init(refusal)
        case .credentials(let failure): self = .credentials(failure)
        case .unreachable, .malformedResponse: self = .unavailable
        }
    }

    private init(_ refusal: AWSRefusal) {
        switch refusal.code {
        case "AccessDenied", "AccessDeniedException": self = .accessDenied
        // Not to be confused with `ExpiredToken`, which is about our own signature.
        case "ExpiredTokenException": self = .expiredToken
        case "InvalidIdentityToken": self = .invalidIdentityToken
        case "MalformedPolicyDocument": self = .malformedPolicy
        case "PackedPolicyTooLarge": self = .packedPolicyTooLarge
        case "RegionDisabledException": self = .regionDisabled
        case "IDPRejectedClaim": self = .identityProviderRejected
        case "IDPCommunicationError": self = .identityProviderUnreachable
        case "ExpiredToken", "RequestExpired": self = .credentials(.expired)
        case "MissingAuthenticationToken", "InvalidClientTokenId", "SignatureDoesNotMatch",
            "IncompleteSignature", "UnrecognizedClientException", "InvalidSignatureException",
            "OptInRequired":
            self = .credentials(.invalid)
        case _ where refusal.retry == .harmless: self = .throttled
        case _ where refusal.retry == .doubtful: self = .unavailable
        default: self = refusal.status == 403 ? .accessDenied : .validation
        }
    }
}
