internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

// Third-party clients send people here to sign out (OpenID Connect RP-Initiated Logout 1.0).
extension PageEndpoints {
    static let logout: [PageRoute] = [
        .page(.endSession, .endSession) { page in
            try page.requireOAuth()
            return try page.endSession()
        },
        // A form from another site comes without cookies, so it is repeated as for `authorize`.
        .post(.endSession) { page in
            try page.requireOAuth()
            return try page.repeated(at: "logout")
        },
        .form(.confirmEndSession, .logout) { page in
            try page.requireOAuth()
            return try page.confirmEndSession()
        },
    ]
}

extension PageRequest {
    /// Nobody is signed out without being asked, unless the client has an ID token of exactly this
    /// session: any site can send a browser here.
    fileprivate func endSession() throws -> Answer {
        let asked = try auth.logoutRequest(RequestParameters(request.query), caller)
        if let hint = asked.hint,
            let other = try accounts.all.first(where: { try auth.isHint(hint, of: $0.refresh) })
        {
            var others = accounts
            others.remove(other.user)
            return try signOut(other.refresh, asked, setting: [keeping(others)])
        }
        guard let stored = browserSession else {
            return signedOut(asked, isSure: asked.hint != nil)
        }
        if let hint = asked.hint, try auth.isHint(hint, of: stored.refresh) {
            return try signOut(stored.refresh, asked, setting: endedCookies)
        }
        guard let session = try session(for: .showPage) else {
            return signedOut(asked, isSure: asked.hint != nil, setting: endedCookies)
        }
        var answer = question(asked, session.user)
        answer.cookies += session.cookies
        return answer
    }

    /// The person has decided. With their decision, the redirect to the address is legitimate.
    fileprivate func confirmEndSession() throws -> Answer {
        var pairs: [(name: String, value: String)] = []
        for name in Self.kept {
            if let value = try fields.text(name) { pairs.append((name, value)) }
        }
        let asked = try auth.logoutRequest(RequestParameters(pairs), caller)
        guard let stored = browserSession else { return signedOut(asked, isSure: true) }
        let ended = endingAccounts()
        return try signOut(stored.refresh, asked, setting: endedCookies + ended)
    }

    /// The parameters that the page's form repeats. The ID token is left out, because it does not
    /// belong to this session.
    private static let kept = ["client_id", "post_logout_redirect_uri", "state"]

    private func signOut(
        _ refresh: String, _ asked: LogoutRequest, setting cookies: [Cookie]
    ) throws -> Answer {
        do throws(AuthError) {
            try auth.signOut(refreshToken: refresh, scope: .session, caller)
        } catch {
            // If the session had already ended, the browser is signed out nevertheless.
            guard case .refreshToken = error else { throw error }
        }
        return signedOut(asked, isSure: true, setting: cookies)
    }

    /// - Parameter isSure: whether the client or the person has proven the request. Otherwise the
    ///   page only shows a link to the client's address, and does not redirect.
    private func signedOut(
        _ asked: LogoutRequest, isSure: Bool, setting cookies: [Cookie] = []
    ) -> Answer {
        if isSure, let target = asked.target { return .redirect(to: target, cookies: cookies) }
        var back = HTML()
        if let target = asked.target, let client = asked.client {
            let label = texts(.logoutBack, [("name", client.name)])
            back = "<p><a href=\"\(target)\">\(label)</a></p>\n"
        }
        var answer = show(
            .logoutDone, nil, about: [texts(.logoutDoneAbout)], after: back,
            links: [(.signIn, .logoutSignIn)])
        answer.cookies += cookies
        return answer
    }

    private func question(_ asked: LogoutRequest, _ user: User) -> Answer {
        formTarget = asked.target.map(RedirectURI.formTarget)
        let who = texts(.consentAbout, [("account", user.email ?? name(of: user))])
        let client = asked.client.map { texts(.logoutAsked, [("name", $0.name)]) }
        let target = asked.redirectURI.map {
            texts(.consentBack, [("address", RedirectURI.target(of: $0))])
        }
        let hidden = [
            ("client_id", asked.client?.id), ("post_logout_redirect_uri", asked.redirectURI),
            ("state", asked.state),
        ].compactMap { name, value in value.map { (name: name, value: $0) } }
        return show(
            .logoutTitle, nil, about: [who, client, target].compactMap(\.self),
            [PageForm(page: .logout, button: .accountSignOut, hidden: hidden)],
            links: [(.account, .logoutStay)])
    }
}
