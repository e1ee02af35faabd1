/// Why a resource refuses a request, and how to respond (RFC 6750 section 3, RFC 9728 section 5.1).
public struct ResourceRefusal: Error, Equatable, Sendable {
    /// The status of the response: 401, 403 for a token without a required scope, 503 if the keys
    /// or the list are not available.
    public let status: Int
    /// The headers of the response. The challenge leads a client to the provider, and names the
    /// scopes that the request needs.
    public let headers: [String: String]
    /// Why the token is invalid, for logs; nil if it is valid or missing.
    public let invalidToken: InvalidToken?

    init(_ refusal: AccessRefusal, scopes: [String], metadataURL: String) {
        status = refusal.status
        switch refusal {
        case .missingToken:
            // RFC 6750 section 3.1: without a token there is no error code.
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

    /// - Parameter scopes: all scopes that the request needs, so that the client requests them
    ///   together.
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
    /// The characters that OAuth 2.1 section 1.4.1 allows.
    var isScopeWord: Bool {
        !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""\"#.utf8.contains($0) }
    }
}
