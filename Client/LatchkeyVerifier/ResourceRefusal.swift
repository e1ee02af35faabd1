/// Why a resource refuses a request, and what to answer (RFC 6750 section 3, RFC 9728 section 5.1).
public struct ResourceRefusal: Error, Equatable, Sendable {
    /// The status of the answer: 401, 403 for a token without a scope, 503 without keys, or a list.
    public let status: Int
    /// The headers of the answer. The challenge leads a client to the provider, and names the
    /// scopes that the request needs.
    public let headers: [String: String]
    /// The reason why the token is invalid, for logs; nil if it is not, or if there is none.
    public let invalidToken: InvalidToken?

    init(_ refusal: AccessRefusal, scopes: [String], metadataURL: String) {
        status = refusal.status
        switch refusal {
        case .missingToken:
            // RFC 6750 section 3.1: no error code without a token.
            headers = Self.challenge(nil, metadataURL, scopes)
            invalidToken = nil
        case .invalidToken(let reason):
            headers = Self.challenge("invalid_token", metadataURL, scopes)
            invalidToken = reason
        case .keysUnavailable, .revocationsUnavailable:
            headers = refusal.headers
            invalidToken = nil
        }
    }

    /// - Parameter scopes: all that the request needs, so that the client asks for all at once.
    init(insufficient scopes: [String], metadataURL: String) {
        status = 403
        headers = Self.challenge("insufficient_scope", metadataURL, scopes)
        invalidToken = nil
    }

    private static func challenge(
        _ error: String?, _ metadataURL: String, _ scopes: [String]
    ) -> [String: String] {
        var parts = error.map { ["error=\"\($0)\""] } ?? []
        let words = scopes.filter(\.isScopeWord).joined(separator: " ")
        if !words.isEmpty { parts.append("scope=\"\(words)\"") }
        parts.append("resource_metadata=\"\(metadataURL)\"")
        return ["WWW-Authenticate": "Bearer " + parts.joined(separator: ", ")]
    }
}

extension String {
    /// OAuth 2.1 section 1.4.1.
    var isScopeWord: Bool {
        !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""\"#.utf8.contains($0) }
    }
}
