/// Refusals of the provider, as OAuth names them (OAuth 2.1 sections 3.2.4 and 4.1.2.1, RFC 8707
/// section 2, RFC 6750 section 3.1, OpenID Connect Core section 3.1.2.6).
package enum OAuthError: Error, Equatable, Sendable {
    /// - Parameter rule: the rule that the request breaks, in words for its developer.
    case invalidRequest(StaticText)
    /// - Parameter expected: how the client must send its secret, for a client that has sent the
    ///   right one in another way.
    case invalidClient(FailedClient, expected: Client.Authentication? = nil)
    case unauthorizedClient(Client.GrantType)
    case unsupportedGrantType
    case unsupportedResponseType
    case invalidGrant(DeadGrant)
    /// - Parameter word: the scope that is unknown or was not granted; nil if it cannot be
    ///   repeated.
    case invalidScope(RepeatedText?, RefusedScope)
    case invalidTarget(RepeatedText?)
    /// The request must name one of several servers.
    case targetMissing
    case accessDenied
    case loginRequired
    case consentRequired
    /// The user could give the proof that the client requires, but must be asked for it.
    case interactionRequired
    /// The user has not given the proof that the client requires, or cannot give it.
    case unmetRequirements
    /// The waiting request is not known in this browser, or has expired.
    case unknownRequest
    /// The answers to a device's poll (RFC 8628 section 3.5).
    case authorizationPending, slowDown, expiredToken
    /// No device shows the entered code.
    case wrongUserCode
    case unsupported(UnsupportedParameter)
    /// A client's own description cannot be registered.
    case unacceptable(ClientMetadata.Problem)
    /// Errors for administrators: the client does not exist, or is in the settings.
    case clientNotFound, configuredClient
    /// The user has not given the client access.
    case notGranted
    /// The token lacks the scope that the request needs.
    case insufficientScope(StaticText)
    /// Userinfo was asked with a token for a server of `OAUTH_RESOURCES`.
    case tokenOfOtherServer
    /// The proof has the wrong time or nonce. A proof with this nonce is accepted.
    case useNonce(String, withToken: Bool)

    /// Why a code or a refresh token is refused, for the log.
    package enum DeadGrant: String, Equatable, Sendable {
        case unknown, expired, used, otherClient, wrongVerifier, otherRedirectURI, ended, reused
    }

    /// Why a client is not authenticated, for the log.
    package enum FailedClient: String, Equatable, Sendable {
        /// No client has the ID, or the client is disabled.
        case unknown
        /// The request names no client, or its header or assertion cannot be read.
        case unnamed
        case noSecret, wrongSecret, otherMethod, wrongAssertion, usedAssertion
        /// The client cannot authenticate, so it may not ask about tokens.
        case publicClient
    }

    /// Why a scope is refused, for the log.
    package enum RefusedScope: String, Equatable, Sendable {
        /// No server has the scope.
        case unknown
        /// The client's own `scope` lacks it.
        case notOfClient
        case notOfResource, notGranted, tooLong
    }

    /// Parameters of OpenID Connect that the provider refuses.
    package enum UnsupportedParameter: String, CaseIterable, Equatable, Sendable {
        case request
        case requestURI = "request_uri"
        case registration
    }
}

/// Text from a request that a response may repeat: a single word with characters that
/// `error_description` can contain (OAuth 2.1 section 4.1.2.1).
package struct RepeatedText: Equatable, Sendable {
    package let text: String

    private static let bytesMax = 255

    /// nil for text that may not be repeated.
    package init?(_ text: String) {
        let isWord = text.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && !"\"\\".utf8.contains($0)
        }
        guard isWord, (1...Self.bytesMax).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}

/// Text that must be a literal, so that it cannot contain anything from a request.
package struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(stringLiteral text: StaticString) { self.text = "\(text)" }
}
