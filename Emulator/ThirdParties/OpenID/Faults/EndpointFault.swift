internal import Time

/// A fault of an endpoint, active until it is switched off or its count is used up.
enum EndpointFault: String, Sendable, CaseIterable, NamedFault {
    case discovery500 = "discovery-500"
    case discoveryWrongIssuer = "discovery-wrong-issuer"
    case jwks500 = "jwks-500"
    case jwksSlow = "jwks-slow"
    case jwksEmpty = "jwks-empty"
    case jwksDuplicateKeyID = "jwks-duplicate-kid"
    case jwksHTML = "jwks-html"
    case rotatedOldKept = "rotated-old-kept"
    case rotatedOldDropped = "rotated-old-dropped"
    case tokenTimeout = "token-timeout"
    case token429 = "token-429"
    case token500 = "token-500"
    case tokenHTML = "token-html"
    case codeReused = "code-reused"
    case codeOfOtherClient = "code-from-another-client"
    case pkceMismatch = "pkce-mismatch"
    case idTokenOfOther = "id-token-of-another-person"
    case idTokenMissing = "id-token-missing"

    /// The delay, which is longer than the timeout of that endpoint's clients.
    var usualDelay: Span {
        switch self {
        case .jwksSlow: .seconds(10)
        case .tokenTimeout: .seconds(30)
        case .discovery500, .discoveryWrongIssuer, .jwks500, .jwksEmpty, .jwksDuplicateKeyID,
            .jwksHTML, .rotatedOldKept, .rotatedOldDropped, .token429, .token500, .tokenHTML,
            .codeReused, .codeOfOtherClient, .pkceMismatch, .idTokenOfOther, .idTokenMissing:
            .zero
        }
    }

    var sentence: String {
        switch self {
        case .discovery500: "The discovery document has status 500."
        case .discoveryWrongIssuer: "The discovery document names another issuer."
        case .jwks500: "The key set has status 500."
        case .jwksSlow: "The key set answers after delayMilliseconds, by default 10,000."
        case .jwksEmpty: "The key set has no key."
        case .jwksDuplicateKeyID: "Two keys of the set have the same kid."
        case .jwksHTML: "The key set is replaced by an HTML page with status 200."
        case .rotatedOldKept: "Rotates at once: a new key signs, and the old ones remain published."
        case .rotatedOldDropped: "Rotates at once: a new key signs, and the old ones are removed."
        case .tokenTimeout: "The token endpoint answers after delayMilliseconds, by default 30,000."
        case .token429: "The token endpoint answers with status 429 and Retry-After."
        case .token500: "The token endpoint answers with status 500."
        case .tokenHTML: "The token endpoint answers with an HTML page and status 200."
        case .codeReused: "The token endpoint says that the code was used before."
        case .codeOfOtherClient: "The token endpoint says that the code is another client's."
        case .pkceMismatch: "The token endpoint says that the code verifier is wrong."
        case .idTokenOfOther: "The token endpoint returns the ID token of another user."
        case .idTokenMissing: "The token endpoint returns no ID token."
        }
    }
}
