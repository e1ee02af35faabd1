internal import AuthDomain

// Where a client's browser goes after a sign-out, and where the client is told of one.
extension ClientMetadata {
    /// Where a browser may return after a sign-out, and where the client is told of the ends of
    /// sessions. Each notice has the session (`backchannel_logout_session_required`).
    func readLogout(into client: inout Client) throws(Problem) {
        client.logoutRedirectURIs = try redirectURIs("post_logout_redirect_uris")
        _ = try flag("backchannel_logout_session_required")
        let member = "backchannel_logout_uri"
        guard let text = try text(member) else { return }
        // A document may name addresses of the internet only. A program without a secret runs on
        // its user's machine, and has nothing to say about ours (OpenID Connect Back-Channel Logout
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
