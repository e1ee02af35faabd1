/// Why a call to a token endpoint failed. Contains nothing that the provider or the app sent.
package enum TokenEndpointFailure: Error, Equatable, Sendable {
    /// The code was already used, has expired, or belongs to another client.
    case invalidGrant
    /// Our client ID, its secret or, at Apple, the key is wrong: a configuration error.
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
