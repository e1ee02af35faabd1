/// Why STS returned no credentials, as far as callers distinguish it.
package enum STSFailure: Error, Sendable, Equatable {
    /// Assuming that role, or setting these tags, is not allowed.
    case accessDenied
    /// The web identity token has expired.
    case expiredToken
    /// The web identity token is not from the role's identity provider.
    case invalidIdentityToken
    case malformedPolicy
    /// Policy and tags together are too large in a packed binary form, which only STS can compute.
    case packedPolicyTooLarge
    case regionDisabled
    case throttled
    /// STS refused a parameter.
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
        // This code differs from `ExpiredToken`, which is about our own credentials.
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
