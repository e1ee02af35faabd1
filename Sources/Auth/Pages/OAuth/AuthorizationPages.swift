internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import Cryptography
internal import FunctionRuntime
internal import Time

// Third-party clients send people here. They sign in, decide, and return to the client.
extension PageEndpoints {
    static let authorization: [PageRoute] = [
        .page(.authorize, .authorizeClient) { page in
            try page.requireOAuth()
            return try page.authorize()
        },
        // A form of another site comes without this site's cookies (RFC 6265bis section 5.6.7.1),
        // so that everybody would seem to be signed out. So the answer makes the browser send the
        // request again.
        .post(.authorize) { page in
            try page.requireOAuth()
            return try page.repeated(at: "authorize")
        },
        .page(.consent) { page in
            try page.requireOAuth()
            return try page.consent(try page.waitingRequest(page.query("request")))
        },
        .form(.decideConsent, .consent) { page in
            try page.requireOAuth()
            return try page.decide(
                try page.waitingRequest(try page.fields.required("request")),
                try page.fields.choice("decision", ConsentDecision.self))
        },
    ]
}

enum ConsentDecision: String, CaseIterable { case allow, deny }

extension PageRequest {
    /// If the provider is off, throws the same error as a contract without the provider.
    func requireOAuth() throws(RequestError) {
        guard auth.policy.oauth != nil else { throw .notFound }
    }

    // MARK: The request of a client

    fileprivate func authorize() throws -> Answer {
        let (parameters, pushed) = try auth.requested(RequestParameters(request.query))
        let client = try parameters["client_id"].flatMap { id in try auth.client(id, for: caller) }
        let oauth = try auth.oauth
        let asking: AuthorizationRequest
        do throws(AuthorizationRefusal) {
            asking = try AuthorizationRequest(
                parameters, of: client, to: oauth, isPushed: pushed != nil)
        } catch {
            guard let answer = error.answer, !error.isOfStranger || browserSession != nil else {
                auth.logFacts.values.unlistedAddress = error.unlistedAddress
                throw AuthError.oauth(error.error)
            }
            auth.logFacts.values.client = client?.id
            return back(to: answer, refusing: error.error)
        }
        if !asking.ignoredScopes.isEmpty {
            auth.logFacts.values.client = client?.id
            auth.logFacts.values.scopesLeftOut = asking.ignoredScopes
        }
        let browser = BrowserSecret(cookie: cookie(.oauth)) ?? BrowserSecret(random: auth.random)
        let asked: WaitingAuthorization
        do throws(AuthError) {
            asked = try asking.waiting(in: browser.bytes, pushed: pushed, auth)
        } catch {
            guard case .oauth(let refusal) = error else { throw error }
            return back(to: asking.answer, refusing: refusal)
        }
        // A guest must sign in, although there is a session, so the sign-in page explains that.
        let found = try session(for: .showPage)
        guard let session = found, !session.user.isGuest else {
            guard !asking.asks(for: .none) else {
                return back(to: asking.answer, refusing: .loginRequired)
            }
            let chooses = asked.choosesAfter != nil && !accounts.all.isEmpty
            let place: PageName =
                asking.asks(for: .create) ? .register : chooses ? .accounts : .signIn
            return try wait(
                asked, from: browser, at: place,
                saying: found == nil ? nil : .switching, hint: asking.loginHint)
        }
        guard !asking.asks(for: .create) else {
            return try wait(asked, from: browser, at: .register, session)
        }
        guard asked.isChosen(by: session.principal.session) else {
            return try wait(asked, from: browser, at: .accounts, session)
        }
        return try authorize(asked, asking, from: browser, session)
    }

    /// Answers the request of a browser that is signed in.
    private func authorize(
        _ parsed: WaitingAuthorization, _ asking: AuthorizationRequest,
        from browser: BrowserSecret, _ session: PageSession
    ) throws -> Answer {
        let isSilent = asking.asks(for: .none)
        let brought = isSilent ? parsed : stronger(parsed, session)
        func wait(_ asked: WaitingAuthorization, at place: PageName, orRefuse error: OAuthError)
            throws -> Answer
        {
            guard !isSilent else { return back(to: asking.answer, refusing: error, session) }
            return try self.wait(asked, from: browser, at: place, session)
        }
        guard brought.expects(session.user) else {
            return back(to: asking.answer, refusing: .loginRequired, session)
        }
        let lack = shortcoming(brought, session)
        if let lack, isSilent || lack == .unmetRequirements {
            return back(to: asking.answer, refusing: lack, session)
        }
        guard brought.isProven(by: session.principal.session), lack == nil else {
            return try wait(brought, at: .stepUp, orRefuse: .loginRequired)
        }
        let asked: WaitingAuthorization
        do throws(AuthError) {
            asked = try agreed(brought, asking.client, session)
        } catch {
            guard case .oauth(let refusal) = error else { throw error }
            return back(to: asking.answer, refusing: refusal, session)
        }
        guard asked.isProven(by: session.principal.session) else {
            return try wait(asked, at: .stepUp, orRefuse: .loginRequired)
        }
        if let code = try auth.authorizeClient.silently(
            asked, from: asking.client, session.principal, session.caller)
        {
            return back(to: asking.answer, with: code, session)
        }
        return try wait(asked, at: .consent, orRefuse: .consentRequired)
    }

    private func stronger(
        _ asked: WaitingAuthorization, _ session: PageSession
    ) -> WaitingAuthorization {
        asked.asking(
            for: session.principal.session, of: session.user, at: auth.clock.now())
    }

    private func shortcoming(_ asked: WaitingAuthorization, _ session: PageSession) -> OAuthError? {
        asked.shortcoming(of: session.principal.session, session.user)
    }

    /// Asks the hook, and returns the request with the result: the hook has agreed, or the user
    /// must consent or prove the identity again.
    private func agreed(
        _ brought: WaitingAuthorization, _ client: Client, _ session: PageSession
    ) throws(AuthError) -> WaitingAuthorization {
        var asked = brought
        switch try auth.advice(on: asked, from: client, session.principal, session.caller) {
        case .allow: asked.agreedFor = session.user.id
        case .consent:
            asked.agreedFor = session.user.id
            asked.asks = true
        case .stepUp: asked.provenAfter = auth.clock.now()
        }
        return asked
    }

    /// Makes the browser repeat the request, with its cookies.
    func repeated(at path: String) throws -> Answer {
        let pairs = try OAuthForm.pairs(of: request)
        guard request.body.count <= Self.parameterBytesMax else {
            throw AuthError.oauth(.invalidRequest("The body is too large."))
        }
        return .redirect(to: "\(path)?" + PercentEncoding.form(pairs))
    }

    /// This is a length that browsers and gateways accept.
    private static let parameterBytesMax = 7 << 10

    /// Keeps the request while the person is on other pages.
    private func wait(
        _ asked: WaitingAuthorization, from browser: BrowserSecret, at place: PageName,
        saying notice: PageNotice? = nil, hint: String? = nil, _ session: PageSession? = nil
    ) throws -> Answer {
        let name = try auth.keep(asked, caller)
        let next = PageDestination(
            request: name, formTarget: RedirectURI.formTarget(of: asked.redirectURI))
        let kept = [
            cookies.holding(browser.cookie, .oauth),
            cookies.holding(next.text, .next, for: next.lifetime),
        ]
        let returned = cookie(.appReturn) == nil ? [] : [cookies.removing(.appReturn)]
        let target =
            place == .consent ? address(of: next) : address(place, notice, hint: hint)
        return .redirect(to: target, cookies: kept + returned + (session?.cookies ?? []))
    }

    // MARK: The decision

    /// The waiting request of this name, if this browser has begun it.
    func waitingRequest(_ name: String?) throws -> WaitingRequest {
        let browser = BrowserSecret(cookie: cookie(.oauth))?.bytes
        guard let name, let waiting = try auth.waitingRequest(name, in: browser) else {
            throw AuthError.oauth(.unknownRequest)
        }
        return waiting
    }

    /// The request of a client that sent the browser here, if it can still be answered.
    var waitingAtClient: WaitingRequest? {
        next.request.flatMap { try? waitingRequest($0) }
    }

    /// A text that names the client to which a sign-in leads. A client that registers itself can
    /// choose any name, so only the consent page shows that name, with a warning.
    var whereSignInLeads: [String] {
        if let returning { return [texts(.signInForApp, [("name", returning.appName)])] }
        guard let client = waitingAtClient?.client, !client.isSelfRegistered else { return [] }
        return [texts(.signInForApp, [("name", client.name)])]
    }

    fileprivate func consent(_ brought: WaitingRequest) throws -> Answer {
        var waiting = brought
        let asked = waiting.authorization
        let next = PageDestination(
            request: waiting.name, formTarget: RedirectURI.formTarget(of: asked.redirectURI))
        let kept = cookies.holding(next.text, .next, for: next.lifetime)
        let found = try session(for: .showPage)
        guard let session = found, !session.user.isGuest else {
            // The session cookie is removed: with it, the page would send the browser back here.
            guard found == nil else { return redirect(to: .signIn, .switching, setting: [kept]) }
            let ended = browserSession == nil ? [] : [cookies.removing(.session)]
            return redirect(to: .signIn, setting: [kept] + ended)
        }
        guard asked.isChosen(by: session.principal.session) else {
            return redirect(to: .accounts, setting: [kept] + session.cookies)
        }
        guard asked.expects(session.user) else {
            return try refuse(waiting, with: .loginRequired, session)
        }
        guard shortcoming(asked, session) != .unmetRequirements else {
            return try refuse(waiting, with: .unmetRequirements, session)
        }
        if asked.strength != nil {
            waiting = try auth.change(waiting, to: stronger(asked, session))
        }
        let isProven = waiting.authorization.isProven(by: session.principal.session)
        if isProven, shortcoming(asked, session) != nil, !canProve(asked, session) {
            return try refuse(waiting, with: .unmetRequirements, session)
        }
        guard isProven, shortcoming(asked, session) == nil else {
            return redirect(to: .stepUp, setting: [kept] + session.cookies)
        }
        if auth.asksAboutClients, asked.agreedFor != session.user.id {
            do throws(AuthError) {
                waiting = try auth.change(
                    waiting, to: try agreed(waiting.authorization, waiting.client, session))
            } catch {
                guard case .oauth(.accessDenied) = error else { throw error }
                return try refuse(waiting, with: .accessDenied, session)
            }
            guard waiting.authorization.isProven(by: session.principal.session) else {
                return redirect(to: .stepUp, setting: [kept] + session.cookies)
            }
        }
        if let code = try auth.authorizeClient.silently(
            waiting.authorization, from: waiting.client, session.principal, session.caller,
            answering: waiting)
        {
            return back(to: waiting.answer, with: code, session)
        }
        formTarget = next.formTarget
        var answer = consentPage(waiting, session.user)
        answer.cookies += [kept] + session.cookies
        return answer
    }

    fileprivate func decide(
        _ waiting: WaitingRequest, _ decision: ConsentDecision?
    ) throws -> Answer {
        guard let session = try session(for: .showPage), !session.user.isGuest,
            // The person may have signed in with another account since the page was shown.
            try fields.text("account")?.isSame(as: session.user.id.text) ?? false,
            waiting.authorization.isChosen(by: session.principal.session),
            waiting.authorization.expects(session.user),
            waiting.authorization.strength == nil,
            shortcoming(waiting.authorization, session) == nil,
            waiting.authorization.isProven(by: session.principal.session),
            !auth.asksAboutClients || waiting.authorization.agreedFor == session.user.id
        else { return .redirect(to: address(of: PageDestination(request: waiting.name))) }
        switch decision {
        case .allow:
            let code = try auth.authorizeClient.afterConsent(
                to: waiting, session.principal, session.caller)
            return back(to: waiting.answer, with: code, session)
        case .deny: return try refuse(waiting, with: .accessDenied, session)
        case nil: throw RequestError.missingField("decision")
        }
    }

    // MARK: Answers to the client

    /// Refuses the request, which is then used up.
    private func refuse(
        _ waiting: WaitingRequest, with error: OAuthError, _ session: PageSession
    ) throws -> Answer {
        try auth.refuse(waiting)
        return back(to: waiting.answer, refusing: error, session)
    }

    private func back(
        to answer: AuthorizationAnswer, with code: String, _ session: PageSession
    ) -> Answer {
        let next = cookie(.next) == nil ? [] : [cookies.removing(.next)]
        return .redirect(
            to: answer.location([("code", code)], issuer: auth.issuer),
            cookies: session.cookies + next)
    }

    private func back(
        to answer: AuthorizationAnswer, refusing error: OAuthError, _ session: PageSession? = nil
    ) -> Answer {
        let response = ErrorResponse(standard: .auth(.oauth(error)))
        let name = response.code.text.asciiLowercased
        auth.logFacts.values.sentError = (name, error)
        return .redirect(
            to: answer.location(
                [("error", name), ("error_description", response.message)], issuer: auth.issuer),
            cookies: session?.cookies ?? [])
    }
}

/// A secret that binds a waiting request to the browser that began it: if a person is led to
/// somebody else's request, they cannot answer it.
struct BrowserSecret {
    let bytes: [UInt8]

    private static let count = 32

    init(random: RandomSource) { bytes = random.bytes(Self.count) }

    init?(cookie: String?) {
        guard let bytes = cookie.flatMap(Base64URL.decode), bytes.count == Self.count else {
            return nil
        }
        self.bytes = bytes
    }

    var cookie: String { Base64URL.encode(bytes) }
}
