internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

extension Provider {
    static let codeLifetime = Span.minutes(5)
    /// How long used codes are remembered, to distinguish a reused code from an unknown one.
    static let codeMemory = Span.hours(1)

    /// The user approved.
    func approve(
        _ request: AuthorizeRequest, _ account: OpenIDAccount, hidesEmail: Bool, at now: Instant
    ) throws(OAuthError) -> ServerResponse {
        let isFirst: Bool
        var grant: TokenGrant
        let wantsRefresh = isOfflineAccess(request)
        (grant, isFirst) = try consenting(
            account, clientID: request.clientID, scopes: request.scopes, hidesEmail: hidesEmail,
            isOffline: wantsRefresh, at: now)
        grant.nonce = request.nonce
        grant.redirectURI = request.target.uri
        grant.codeChallenge = request.codeChallenge
        switch kind {
        case .apple: grant.givesRefreshToken = true
        case .google:
            // Google returns a refresh token only at the first consent, or if the request asks for
            // consent again.
            grant.givesRefreshToken =
                wantsRefresh && (grant.givesRefreshToken || request.has(prompt: "consent"))
        case .oidc: grant.givesRefreshToken = wantsRefresh
        }
        var fields: [(String, String)] = []
        var code: String?
        if request.wantsCode {
            let new = try issueCode(grant, at: now)
            fields.append(("code", new))
            code = new
        }
        if request.wantsIDToken {
            var plan = try plan(grant, at: now)
            plan.nonce = request.nonce
            plan.code = code
            fields.append(("id_token", try idToken(plan)))
        }
        switch kind {
        case .apple: if isFirst, let user = try appleUser(grant) { fields.append(("user", user)) }
        case .google: fields.append(("scope", googleScopes(request.scopes)))
        case .oidc: break
        }
        return request.target.response(fields, scriptNonce: secretName(""))
    }

    private func isOfflineAccess(_ request: AuthorizeRequest) -> Bool {
        switch kind {
        case .apple: true
        case .google: request.isOffline
        case .oidc: request.isOffline || request.has(scope: "offline_access")
        }
    }

    /// The existing consent or a new one. `givesRefreshToken` tells whether none was issued before.
    private func consenting(
        _ account: OpenIDAccount, clientID: String, scopes: [String], hidesEmail: Bool,
        isOffline: Bool, at now: Instant
    ) throws(OAuthError) -> (TokenGrant, isFirst: Bool) {
        let key = Records.key(name, clientID, account.identity)
        let fresh = Consent(
            grant: secretName(""), scopes: scopes, hidesEmail: hidesEmail, isOffline: isOffline)
        return try store.write(at: now) { records throws(OAuthError) in
            let known = try records.get(.consent, key).flatMap(Consent.init(record:))
            var consent = known ?? fresh
            consent.add(scopes)
            consent.isOffline = consent.isOffline || isOffline
            try records.put(.consent, key, consent.record)
            var grant = TokenGrant(
                .code, clientID: clientID, account: account, consent: consent, issuedAt: now,
                lifetime: Self.codeLifetime)
            grant.givesRefreshToken = isOffline && !(known?.isOffline ?? false)
            return (grant, known == nil)
        }
    }

    private func issueCode(_ grant: TokenGrant, at now: Instant) throws(OAuthError) -> String {
        let code =
            switch kind {
            case .apple: secretName("c") + ".0.mq"
            case .google: secretName("4/0A")
            case .oidc: secretName("")
            }
        let key = Records.key(name, code)
        try store.write(at: now) { records throws(OAuthError) in
            try records.put(.code, key, grant.record, until: now + Self.codeMemory)
        }
        return code
    }

    /// A code issued to an app by the operating system, without a redirect.
    func issueCode(for plan: IDTokenContent, at now: Instant) throws(OAuthError) -> String {
        var (grant, _) = try consenting(
            plan.account, clientID: plan.audiences[0],
            scopes: kind == .apple ? ["name", "email"] : ["openid", "email", "profile"],
            hidesEmail: plan.hidesEmail, isOffline: true, at: now)
        grant.givesRefreshToken = true
        grant.nonce = plan.nonce
        return try issueCode(grant, at: now)
    }

    /// The content of an ID token for the grant.
    func plan(_ grant: TokenGrant, at now: Instant) throws(OAuthError) -> IDTokenContent {
        let scopes = grant.consent.scopes
        func has(_ names: String...) -> Bool {
            scopes.contains { scope in names.contains { $0.isSame(as: scope) } }
        }
        return IDTokenContent(
            account: grant.account, audiences: [grant.clientID],
            teamID: try client(grant.clientID)?.teamID, issuedAt: now,
            showsEmail: has("email", Self.googleEmailScope),
            showsName: has("profile", Self.googleProfileScope),
            hidesEmail: grant.consent.hidesEmail)
    }

    /// An ID token with the active faults applied.
    func idToken(_ plan: IDTokenContent) throws(OAuthError) -> String {
        var plan = plan
        if faults.take(.idTokenOfOther) != nil,
            let mallory = OpenIDAccount(email: "mallory@example.com", name: "Mallory")
        {
            plan.account = mallory
        }
        let signer = IDTokenSigner(
            keys: keys, unpublishedKeys: unpublishedKeys, faults: faults.takeTokenFaults(),
            now: plan.issuedAt)
        return try signer.token(plan.claims(definition, named: issuer))
    }

    /// Apple's `user` parameter, which is sent only once and is not signed.
    private func appleUser(_ grant: TokenGrant) throws(OAuthError) -> String? {
        let (account, consent) = (grant.account, grant.consent)
        var user: JSONObject = [:]
        if consent.scopes.contains(where: { $0.isSame(as: "name") }) {
            user["name"] = [
                "firstName": .string(account.givenName), "lastName": .string(account.familyName),
            ]
        }
        if consent.scopes.contains(where: { $0.isSame(as: "email") }) {
            let teamID = try client(grant.clientID)?.teamID
            user["email"] = .string(
                consent.hidesEmail
                    ? account.relayAddress(definition, teamID: teamID) : account.email)
        }
        return user.isEmpty ? nil : JSON.object(user).text
    }

    static let googleEmailScope = "https://www.googleapis.com/auth/userinfo.email"
    static let googleProfileScope = "https://www.googleapis.com/auth/userinfo.profile"

    /// Google returns scopes with their full names.
    func googleScopes(_ scopes: [String]) -> String {
        scopes.map { scope in
            if scope.isSame(as: "email") { return Self.googleEmailScope }
            if scope.isSame(as: "profile") { return Self.googleProfileScope }
            return scope
        }.joined(separator: " ")
    }
}
