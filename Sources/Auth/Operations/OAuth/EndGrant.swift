package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Ends the grant of a client's token (RFC 7009). It also succeeds for a token that is unknown or
/// belongs to another client, which remains valid: the response does not reveal whether a token
/// exists.
package struct EndGrant: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ token: String, from proven: ProvenClient, _ caller: Caller
    ) throws(AuthError) {
        let client = proven.client
        let grant = try place(of: token)
        // If the client has authenticated with an assertion, the assertion is used up even by an
        // unknown token.
        guard grant != nil || proven.use != nil else { return }
        let opening = try auth.open(
            .endGrant, counting: [(.client, client.id)],
            reading: grant.map { GrantState.keys($0.session, of: $0.user) } ?? [],
            using: proven.use)
        try opening.admit()
        guard let grant else { return }
        let state = try GrantState(opening.items, grant.session, of: grant.user)
        guard let session = state.session, let held = session.grant,
            held.client.isSame(as: client.id), try grant.isProven(by: session, auth)
        else { return }
        var audit = auth.audit(.account(grant.user))
        audit.record(
            .applicationRemoved, session: session.id, caller, detail: client.id,
            at: auth.clock.now())
        _ = try auth.commit(
            [.delete(SessionRecord.key(of: session), when: [.present])], &audit)
    }

    private struct Place {
        let user: UserID
        let session: SessionID
        /// nil for an access token, whose signature has already been verified.
        let refreshToken: GrantToken?

        func isProven(by session: Session, _ auth: AuthServices) throws(AuthError) -> Bool {
            guard let refreshToken else { return true }
            return try refreshToken.isProven(by: session, auth: auth)
        }
    }

    /// The grant of a refresh token, or the grant that an access token names.
    private func place(of token: String) throws(AuthError) -> Place? {
        if let refresh = try auth.grantToken(token) {
            return Place(
                user: refresh.place.user, session: refresh.place.session, refreshToken: refresh)
        }
        let audiences = try auth.oauth.audiences
        // A token that a client has for itself has no grant: it is valid until it expires.
        guard let place = try auth.grantClaims(token, for: audiences)?.place else { return nil }
        return Place(user: place.user, session: place.session, refreshToken: nil)
    }
}

extension OAuthServices {
    /// The audiences of all access tokens for clients.
    var audiences: [String] { resources.map(\.uri) + [issuer] }
}

extension AuthServices {
    package var endGrant: EndGrant { EndGrant(auth: self) }
}

extension AuthOperation {
    package static let endGrant = AuthOperation(
        "endGrant", servedBy: "revoke", counting: [.client], audited: .others)
}
