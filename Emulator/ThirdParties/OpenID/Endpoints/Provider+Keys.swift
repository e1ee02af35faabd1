internal import EmulatorBase
internal import HTTP
internal import JOSE
internal import JSON

extension Provider {
    /// The key set (RFC 7517 section 5).
    func keySet() throws(OAuthError) -> OpenIDReply {
        if faults.take(.jwks500) != nil {
            throw OAuthError(.json(["error": "internal_failure"], status: 500))
        }
        if faults.take(.jwksHTML) != nil { return .now(.html) }
        var keys = try keys.published().compactMap(\.publicJWK)
        if faults.take(.jwksEmpty) != nil { keys = [] }
        if faults.take(.jwksDuplicateKeyID) != nil, let kid = keys.first?["kid"] {
            for index in keys.indices { keys[index]["kid"] = kid }
        }
        let response = ServerResponse.json(
            ["keys": .array(keys.map { .object($0) })],
            headers: [HTTPHeader("Cache-Control", keysCacheControl)])
        guard let slow = faults.take(.jwksSlow) else { return .now(response) }
        return .after(slow.delay ?? EndpointFault.jwksSlow.usualDelay, response)
    }

    private var keysCacheControl: String {
        switch kind {
        case .apple: "no-cache"
        case .google: "public, max-age=19800, must-revalidate, no-transform"
        case .oidc: "public, max-age=3600"
        }
    }

    /// The key set without HTTP; nil while a fault affects it, so that callers use HTTP and see the
    /// fault.
    func verificationKeys() -> KeySet? {
        guard !faults.isAnyOn, let keys = try? keys.published() else { return nil }
        return try? KeySet(keys.map(\.verificationKey))
    }
}

extension ServerResponse {
    /// An HTML error page, as a proxy would send it.
    static let html = ServerResponse(
        status: 200, headers: [HTTPHeader("Content-Type", "text/html; charset=utf-8")],
        body: Array("<!DOCTYPE html><html><body><h1>Please stand by</h1></body></html>\n".utf8))
}
