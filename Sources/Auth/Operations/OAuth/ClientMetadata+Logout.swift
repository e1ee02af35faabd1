internal import AuthDomain

// Addresses for sign-outs: where the browser may return, and where the client gets notices.
extension ClientMetadata {
    /// Reads the addresses to which a browser may return after a sign-out, and the address for
    /// notices of ended sessions. Each notice names the session
    /// (`backchannel_logout_session_required`).
    func readLogout(into client: inout Client) throws(Problem) {
        client.logoutRedirectURIs = try redirectURIs("post_logout_redirect_uris")
        _ = try flag("backchannel_logout_session_required")
        let member = "backchannel_logout_uri"
        guard let text = try text(member) else { return }
        // Only a client with a secret that has not described itself may name a local address.
        // Others must not make this server call its own machine (OpenID Connect Back-Channel Logout
        // 1.0 section 2.2).
        let mayBeLocal = client.isConfidential && !client.isSelfRegistered
        guard let uri = RedirectURI(registering: text),
            uri.kind == .web || uri.kind == .loopback && mayBeLocal
        else {
            throw Problem(
                member: member,
                rule: "must be https, or http for this machine and a client with a secret, "
                    + "without a fragment")
        }
        client.logoutURI = uri.text
    }
}
