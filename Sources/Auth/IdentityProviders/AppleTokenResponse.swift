package import Bytes

/// Apple's response to an authorization code (RFC 6749 section 5.1).
package struct AppleTokenResponse: Sendable, Equatable {
    /// To be kept encrypted: it is the only thing that can withdraw Apple's consent later.
    package let refreshToken: SecretBytes
    /// The client id that got the token, and the only one that may revoke it.
    package let clientID: String
    /// The ID token that came with it, verified to be the same person's.
    package let idToken: String?
}

/// Why Apple did not do what was asked. Holds nothing that Apple or the app sent.
package enum AppleTokenFailure: Error, Equatable, Sendable {
    /// The code was used before, has expired after its five minutes, or belongs to another client.
    case invalidGrant
    /// Our team id, key id, key or client id is wrong: a configuration error.
    case invalidClient
    /// Any other refusal.
    case refused
    /// Nothing is known about the outcome: time-out, no connection, 429 or 5xx.
    case unreachable
    /// An answer in which something that has to be there is not.
    case malformedAnswer
    /// The code is of another person than the token that came with it.
    case otherPerson
    /// The client secret could not be signed.
    case signingFailed
}
