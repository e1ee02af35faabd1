internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

extension Provider {
    static let transactionLifetime = Span.minutes(10)

    /// The page on which the user chooses an account. With `latchkey_account=ada@example.com` there
    /// is no page: that account approves immediately. It is created if it does not exist, with
    /// `latchkey_name` and `latchkey_hide_email=true`; `latchkey_account=cancel` denies.
    func authorize(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        let isPost = exchange.request.method == "POST"
        let parameters = try isPost ? exchange.form() : exchange.query()
        let style = ErrorPage(exchange.request)
        let (clientID, target) = try redirectTarget(parameters, style)
        let request: AuthorizeRequest
        do throws(AuthorizeFailure) {
            request = try AuthorizeRequest(
                parameters, kind: kind, clientID: clientID, target: target)
        } catch {
            return .now(answer(to: error, target, style))
        }
        if let choice = parameters["latchkey_account"] {
            return .now(try approve(request, choice, parameters, style, at: exchange.now))
        }
        if request.has(prompt: "none") {
            return .now(try approveSilently(request, at: exchange.now))
        }
        return .now(try choicePage(request, parameters, at: exchange.now))
    }

    /// The validated redirect target. Before it is known, errors are not redirected.
    private func redirectTarget(
        _ parameters: OAuthParameters, _ style: ErrorPage
    ) throws(OAuthError) -> (clientID: String, RedirectTarget) {
        func refuse(_ status: Int, _ code: String, _ text: String) -> OAuthError {
            OAuthError(style.response(status, code, text, issuer: definition))
        }
        guard let clientID = parameters["client_id"] else {
            throw refuse(400, "invalid_request", "Missing required parameter: client_id")
        }
        guard let client = try client(clientID) else {
            throw refuse(
                kind == .google ? 401 : 400, "invalid_client", "The OAuth client was not found.")
        }
        guard let uri = parameters["redirect_uri"] else {
            throw refuse(400, "invalid_request", "Missing required parameter: redirect_uri")
        }
        guard RedirectURI.isAcceptable(uri) else {
            throw refuse(
                400, "invalid_request", "redirect_uri must be an absolute URI without a fragment.")
        }
        guard client.allows(redirectURI: uri) else {
            throw refuse(
                400, kind == .apple ? "invalid_request" : "redirect_uri_mismatch",
                kind == .apple
                    ? "Invalid web redirect url."
                    : "The redirect_uri is not one that is registered for the client.")
        }
        let hasIDToken = (parameters["response_type"] ?? "").utf8.split(separator: 0x20)
            .contains { $0.elementsEqual("id_token".utf8) }
        let mode = parameters["response_mode"].flatMap(RedirectTarget.Mode.init(name:))
        return (
            clientID,
            RedirectTarget(
                uri: uri, mode: mode ?? (hasIDToken ? .fragment : .query),
                state: parameters["state"])
        )
    }

    /// Apple and Google show an error page; OpenID providers redirect with the error.
    private func answer(
        to failure: AuthorizeFailure, _ target: RedirectTarget, _ style: ErrorPage
    ) -> ServerResponse {
        switch kind {
        case .apple, .google:
            return style.response(400, failure.code, failure.text, issuer: definition)
        case .oidc:
            return target.response(
                [("error", failure.code), ("error_description", failure.text)],
                scriptNonce: secretName(""))
        }
    }

    private func approve(
        _ request: AuthorizeRequest, _ choice: String, _ parameters: OAuthParameters,
        _ style: ErrorPage, at now: Instant
    ) throws(OAuthError) -> ServerResponse {
        if choice.isSame(as: "cancel") { return cancelled(request) }
        let name = parameters["latchkey_name"]
        guard name.map(OpenIDAccount.isName) ?? true, let account = try account(choice, name: name)
        else {
            throw OAuthError(
                style.response(
                    400, "invalid_request",
                    "latchkey_account must be an e-mail address, or cancel.", issuer: definition))
        }
        guard request.admits(account) else { return denied(request) }
        try keepIfNew(account)
        let hides = parameters["latchkey_hide_email"]?.isSame(as: "true") ?? false
        return try approve(request, account, hidesEmail: hides, at: now)
    }

    private func keepIfNew(_ account: OpenIDAccount) throws(OAuthError) {
        let isKnown = try accounts().contains { $0.identity.isSame(as: account.identity) }
        if !isKnown { try keep(account) }
    }

    /// With `prompt=none`, only an account that has consented before and is named in the request
    /// can sign in.
    private func approveSilently(
        _ request: AuthorizeRequest, at now: Instant
    ) throws(OAuthError) -> ServerResponse {
        func refuse(_ code: String) -> ServerResponse {
            request.target.response([("error", code)], scriptNonce: secretName(""))
        }
        guard let hint = request.loginHint, let account = try account(hint),
            request.admits(account)
        else { return refuse("login_required") }
        let key = Records.key(name, request.clientID, account.identity)
        let known = try store.read { records throws(OAuthError) in try records.get(.consent, key) }
        guard let consent = known.flatMap(Consent.init(record:)),
            request.scopes.allSatisfy({ scope in
                consent.scopes.contains { $0.isSame(as: scope) }
            })
        else { return refuse("interaction_required") }
        return try approve(request, account, hidesEmail: consent.hidesEmail, at: now)
    }

    func cancelled(_ request: AuthorizeRequest) -> ServerResponse {
        kind == .apple
            ? request.target.response(
                [("error", "user_cancelled_authorize")], scriptNonce: secretName(""))
            : denied(request)
    }

    private func denied(_ request: AuthorizeRequest) -> ServerResponse {
        request.target.response([("error", "access_denied")], scriptNonce: secretName(""))
    }

    /// A consent page. `problem` is the error to show when it is displayed again.
    private func choicePage(
        _ request: AuthorizeRequest, _ parameters: OAuthParameters, problem: String? = nil,
        at now: Instant
    ) throws(OAuthError) -> ServerResponse {
        let transaction = secretName("")
        let key = Records.key(name, transaction)
        let text = PercentEncoding.form(parameters.pairs.map { ($0.name, $0.value) })
        try store.write(at: now) { records throws(OAuthError) in
            try records.put(
                .transaction, key,
                ["request": .string(text), "startedAt": .number(now.milliseconds)],
                until: now + Self.transactionLifetime)
        }
        let known = try accounts(max: AuthorizePage.accountsMax).filter(request.admits)
        let page = AuthorizePage(
            issuer: definition, action: url + (OpenIDEndpoint.decision.path(kind) ?? ""),
            transaction: transaction, request: request, accounts: known, problem: problem)
        return .page(page.html, status: problem == nil ? 200 : 400)
    }

    /// Handles the form of the consent page.
    func decide(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        let form = try exchange.form()
        let now = exchange.now
        let style = ErrorPage(exchange.request)
        let parameters = try takeTransaction(form, style, at: now)
        let (clientID, target) = try redirectTarget(parameters, style)
        let request: AuthorizeRequest
        do throws(AuthorizeFailure) {
            request = try AuthorizeRequest(
                parameters, kind: kind, clientID: clientID, target: target)
        } catch {
            return .now(answer(to: error, target, style))
        }
        guard form["decision"]?.isSame(as: "approve") ?? false else {
            return .now(cancelled(request))
        }
        let isNew = form["account"]?.isSame(as: "new") ?? true
        let email = isNew ? form["new_email"] : form["account"]
        let name = isNew ? form["new_name"] : nil
        guard let email, name.map(OpenIDAccount.isName) ?? true,
            let account = try account(email, name: name)
        else {
            let problem = "Choose an account, or enter the e-mail address of a new one."
            return .now(try choicePage(request, parameters, problem: problem, at: now))
        }
        guard request.admits(account) else {
            let problem = "The app asks for an account of \(request.hostedDomain ?? "a domain")."
            return .now(try choicePage(request, parameters, problem: problem, at: now))
        }
        if isNew { try keepIfNew(account) }
        let hides = form["email_choice"]?.isSame(as: "hide") ?? false
        return .now(try approve(request, account, hidesEmail: hides, at: now))
    }

    /// Returns and removes the authorization request behind a page.
    private func takeTransaction(
        _ form: OAuthParameters, _ style: ErrorPage, at now: Instant
    ) throws(OAuthError) -> OAuthParameters {
        let key = Records.key(name, form["transaction"] ?? "")
        let record = try store.write(at: now) { records throws(OAuthError) in
            let record = try records.get(.transaction, key)
            try records.remove(.transaction, key)
            return record
        }
        guard let started = record?["startedAt"]?.int64Value,
            now < Instant(milliseconds: started) + Self.transactionLifetime,
            let text = record?["request"]?.stringValue, let parameters = OAuthParameters(text)
        else {
            throw OAuthError(
                style.response(
                    400, "invalid_request",
                    "This page has expired or was used before. Start again in the app.",
                    issuer: definition))
        }
        return parameters
    }
}
