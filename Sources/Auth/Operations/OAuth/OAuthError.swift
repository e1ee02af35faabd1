/// Refusals of the provider, as OAuth names them (OAuth 2.1 sections 3.2.4 and 4.1.2.1, RFC 8707
/// section 2, RFC 6750 section 3.1, OpenID Connect Core section 3.1.2.6).
package enum OAuthError: Error, Equatable, Sendable {
    /// - Parameter rule: the rule that the request breaks, in words for its developer.
    case invalidRequest(StaticText)
    case invalidClient
    case unauthorizedClient
    case unsupportedGrantType
    case unsupportedResponseType
    case invalidGrant(DeadGrant)
    case invalidScope
    case invalidTarget
    case accessDenied
    case loginRequired
    case consentRequired
    /// A request that waits for a person is not known in this browser, or has expired.
    case unknownRequest
    case unsupported(UnsupportedParameter)
    /// What a client says of itself cannot be registered.
    case unacceptable(ClientMetadata.Problem)
    /// For administrators: there is no such client, or it is one of the settings.
    case clientNotFound, configuredClient
    /// The user has not given the client access.
    case notGranted
    /// A token without the scope that the request needs.
    case insufficientScope(StaticText)

    /// Why a code or a refresh token is of no use, for the log.
    package enum DeadGrant: String, Equatable, Sendable {
        case unknown, expired, used, otherClient, wrongVerifier, otherRedirectURI, ended, reused
    }

    /// Parameters of OpenID Connect that the provider refuses.
    package enum UnsupportedParameter: String, CaseIterable, Equatable, Sendable {
        case request
        case requestURI = "request_uri"
        case registration
    }
}

/// A text that only a literal can be, so that it has nothing of the request.
package struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(stringLiteral text: StaticString) { self.text = "\(text)" }
}
