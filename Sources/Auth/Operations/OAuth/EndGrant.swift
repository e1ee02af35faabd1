package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Ends the grant of a client's token (RFC 7009). Succeeds for a token that is unknown, or another
/// client's, which lives on: the answer does not tell whether a token exists.
package struct EndGrant: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ token: String, from proven: ProvenClient, _ caller: Caller
    ) throws(AuthError) {
        let client = proven.client
        let grant = try place(of: token)
        // A statement with which the client has proven itself is used up by any token.
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
        /// nil for an access token, whose signature has proven it.
        let refreshToken: GrantToken?

        func isProven(by session: Session, _ auth: AuthServices) throws(AuthError) -> Bool {
            guard let refreshToken else { return true }
            return try refreshToken.isProven(by: session, auth: auth)
        }
    }

    /// An access token ends its grant, too: it names that.
    private func place(of token: String) throws(AuthError) -> Place? {
        if let refresh = try auth.grantToken(token) {
            return Place(
                user: refresh.place.user, session: refresh.place.session, refreshToken: refresh)
        }
        let audiences = try auth.oauth.audiences
        // A client's token for itself has no grant: it lives until its end.
        guard let place = try auth.grantClaims(token, for: audiences)?.place else { return nil }
        return Place(user: place.user, session: place.session, refreshToken: nil)
    }
}

extension OAuthServices {
    /// Those of all access tokens that clients get.
    var audiences: [String] { resources.map(\.uri) + [issuer] }
}

extension AuthServices {
    package var endGrant: EndGrant { EndGrant(auth: self) }
}

extension AuthOperation {
    package static let endGrant = AuthOperation(
        "endGrant", servedBy: "revoke", counting: [.client], audited: .others)
}
