package import Bytes

/// Apple's response to an authorization code (RFC 6749 section 5.1).
package struct AppleTokenResponse: Sendable, Equatable {
    /// Must be stored encrypted. It is needed to revoke Apple's consent later.
    package let refreshToken: SecretBytes
    /// The client ID that received the token; only it can revoke it.
    package let clientID: String
    /// The ID token in the response, verified to be for the same user.
    package let idToken: String?
}

/// Why Apple refused. Contains nothing that Apple or the app sent.
package enum AppleTokenFailure: Error, Equatable, Sendable {
    /// The code was already used, has expired after five minutes, or belongs to another client.
    case invalidGrant
    /// Our team ID, key ID, key or client ID is wrong: a configuration error.
    case invalidClient
    /// Any other refusal.
    case refused
    /// The outcome is unknown: timeout, no connection, 429 or 5xx.
    case unreachable
    /// A required member of the response is missing.
    case malformedAnswer
    /// The code belongs to another user than the token.
    case otherPerson
    /// The client secret could not be signed.
    case signingFailed
}
