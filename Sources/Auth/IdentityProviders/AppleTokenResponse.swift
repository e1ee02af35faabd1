package import Bytes

/// Apple's response to an authorization code (RFC 6749 section 5.1).
package struct AppleTokenResponse: Sendable, Equatable {
    /// The token is needed later to revoke Apple's consent. It must be stored encrypted.
    package let refreshToken: SecretBytes
    /// The client ID that received the token; only it can revoke it.
    package let clientID: String
    /// The ID token in the response, verified to be for the same user.
    package let idToken: String?
}
