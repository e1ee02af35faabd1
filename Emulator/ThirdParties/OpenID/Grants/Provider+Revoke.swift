internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

extension Provider {
    /// RFC 7009. Revoking one token revokes the consent behind it and all tokens of that consent;
    /// the next sign-in asks for consent again.
    func revoke(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        let isEmpty = exchange.request.body.isEmpty
        // Google also accepts the token in the query.
        let form = try kind == .google && isEmpty ? exchange.query() : exchange.form()
        var client: ClientDefinition?
        switch kind {
        case .apple: client = try authenticate(exchange, form)
        case .google: break
        case .oidc: client = try authenticate(exchange, form)
        }
        guard let token = form["token"] else {
            throw .oauth("invalid_request", "Missing required parameter: token")
        }
        let grant = try grant(of: token)
        let isOwn = client.map { client in grant?.clientID.isSame(as: client.id) ?? false } ?? true
        if let grant, isOwn, try isAlive(grant), !grant.isOver(at: exchange.now) {
            try withdraw(clientID: grant.clientID, identity: grant.account.identity)
        } else if kind == .google {
            throw .oauth("invalid_token", "Token expired or revoked")
        }
        switch kind {
        // An unknown token gets the same response (RFC 7009 section 2.2).
        case .apple, .oidc: return .now(ServerResponse(status: 200))
        case .google: return .now(.json([:]))
        }
    }

    /// Ends the consent and with it every token issued under it.
    func withdraw(clientID: String, identity: String) throws(OAuthError) {
        let key = Records.key(name, clientID, identity)
        try store.write(at: now) { records throws(OAuthError) in try records.remove(.consent, key) }
    }
}
