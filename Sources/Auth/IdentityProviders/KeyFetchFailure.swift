/// Why a provider's keys are not available or could not be refreshed.
///
/// The raw values are stable, for logs and alarms, and contain nothing of the provider's response.
package enum KeyFetchFailure: String, Error, Sendable, CaseIterable {
    /// The URL is invalid, or there was no connection or no complete response.
    case unreachable
    case timedOut = "timed_out"
    /// Redirects are not followed: keys must come from the configured host.
    case redirected
    case rateLimited = "rate_limited"
    /// Any other 4xx.
    case clientError = "client_error"
    case serverError = "server_error"
    /// Any other status but 200.
    case unexpectedStatus = "unexpected_status"
    case responseTooLarge = "response_too_large"
    /// The discovery document is not a JSON object.
    case malformedDiscovery = "malformed_discovery"
    /// The discovery document names another issuer (OpenID Connect Discovery 1.0 section 4.3).
    case issuerMismatch = "issuer_mismatch"
    /// The discovery document's `jwks_uri` is missing, not https, or points to this machine for a
    /// remote issuer.
    case untrustedKeysURL = "untrusted_jwks_uri"
    /// The key set is not JSON, or not a JWK set (RFC 7517 section 5).
    case malformedKeySet = "malformed_key_set"
    /// Duplicate `kid` (RFC 7517 section 4.5).
    case duplicateKeyID = "duplicate_kid"
    case tooManyKeys = "too_many_keys"
    /// A key set without a key for one of the provider's algorithms.
    case noUsableKey = "no_usable_key"
    case storeUnavailable = "store_unavailable"
    /// Another process is still fetching after the maximum wait.
    case fetchInProgress = "fetch_in_progress"
    /// A fetch failed less than a minute ago, and the next one is not due yet.
    case recentlyFailed = "recently_failed"

    /// The failure for a response with a status other than 200.
    init(status: Int) {
        switch status {
        case 300..<400: self = .redirected
        case 429: self = .rateLimited
        case 400..<500: self = .clientError
        case 500..<600: self = .serverError
        default: self = .unexpectedStatus
        }
    }
}
