internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

extension Provider {
    /// Authenticates the client of a request to the token or revocation endpoint.
    func authenticate(
        _ exchange: OpenIDRequest, _ form: OAuthParameters
    ) throws(OAuthError) -> ClientDefinition {
        if let name = form.repeated {
            throw .oauth("invalid_request", "Duplicate parameter: \(name)")
        }
        switch kind {
        case .apple: return try appleClient(exchange, form)
        case .google, .oidc: return try secretClient(exchange, form)
        }
    }

    private func appleClient(
        _ exchange: OpenIDRequest, _ form: OAuthParameters
    ) throws(OAuthError) -> ClientDefinition {
        guard let id = form["client_id"], let client = try client(id) else {
            ports.log("\(name): invalid_client: client_id is missing or unknown")
            throw .oauth("invalid_client")
        }
        let check = AppleClientSecretCheck(
            client: client, audiences: [AppleClientSecretCheck.audience, issuer, url],
            now: exchange.now)
        guard let secret = form["client_secret"] else {
            ports.log("\(name): invalid_client: client_secret is missing")
            throw .oauth("invalid_client")
        }
        // Apple does not tell the client the reason; the emulator's log does.
        if let problem = check.problem(secret) {
            ports.log("\(name): invalid_client: \(problem)")
            throw .oauth("invalid_client")
        }
        if client.keys.isEmpty {
            ports.log(
                "\(name): no public key is registered for \(client.id): the signature of its "
                    + "client secret was not checked")
        }
        return client
    }

    /// RFC 6749 section 2.3.1: HTTP Basic, or parameters in the form.
    private func secretClient(
        _ exchange: OpenIDRequest, _ form: OAuthParameters
    ) throws(OAuthError) -> ClientDefinition {
        var id = form["client_id"]
        var secrets = form["client_secret"].map { [$0] } ?? []
        var challenge: [HTTPHeader] = []
        if let header = exchange.request.header("authorization") {
            challenge = [HTTPHeader("WWW-Authenticate", "Basic realm=\"\(name)\"")]
            guard let basic = Self.basic(header), secrets.isEmpty,
                id.map({ $0.isSame(as: basic.id) }) ?? true
            else {
                throw .oauth("invalid_client", "Unauthorized", status: 401, headers: challenge)
            }
            (id, secrets) = (basic.id, basic.secrets)
        }
        guard let id else {
            throw .oauth("invalid_request", "Could not determine client ID from request.")
        }
        guard let client = try client(id) else {
            throw .oauth(
                "invalid_client", "The OAuth client was not found.", status: 401,
                headers: challenge)
        }
        guard let expected = client.secret else { return client }
        guard !secrets.isEmpty else {
            throw .oauth("invalid_request", "client_secret is missing.")
        }
        guard secrets.contains(where: { constantTimeEquals(Array($0.utf8), Array(expected.utf8)) })
        else {
            throw .oauth(
                "invalid_client", "The provided client secret is invalid.", status: 401,
                headers: challenge)
        }
        return client
    }

    /// Both parts are form-encoded before they are joined (RFC 6749 appendix B). Many clients omit
    /// that and providers accept it, so the secret is also compared without decoding.
    private static func basic(_ header: String) -> (id: String, secrets: [String])? {
        guard header.utf8.prefix(6).map({ $0 | 0x20 }).elementsEqual("basic ".utf8),
            let bytes = Base64.decode(Substring(header.utf8.dropFirst(6))),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let first = String(validating: bytes[..<colon], as: UTF8.self),
            let second = String(validating: bytes[(colon + 1)...], as: UTF8.self),
            let id = PercentEncoding.decode(first, plusIsSpace: true)
        else { return nil }
        let decoded = PercentEncoding.decode(second, plusIsSpace: true)
        return (id, [second, decoded].compactMap { $0 }.filter { !$0.isEmpty })
    }
}
