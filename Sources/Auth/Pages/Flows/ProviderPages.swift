internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON

// Sign-in with Apple, Google and others: the browser is sent to the provider, and comes back with a
// code. Each provider has a separate redirect address (RFC 9700 section 4.4.2).
extension PageEndpoints {
    static let providers: [PageRoute] = [
        .form(.pageProvider, .provider, again: { $0.signInPage($1) }) { page in
            let name = try page.fields.required("provider")
            guard page.fields.has("add") else { return try page.send(to: name, adding: nil) }
            return try page.signedIn { try page.send(to: name, adding: $0.principal) }
        },
        .page(.callback, .redeemProviderCode) { page in
            guard let begun = page.begunRedirect(state: page.query("state")) else {
                throw AuthError.signIn(.codeInvalid)
            }
            // The provider has redirected back, with a code or an error, so the cookie is removed.
            let end = page.cookies.removing(.provider)
            do {
                var answer = try page.returned(begun)
                answer.cookies.append(end)
                return answer
            } catch let failure as PageFailure {
                throw PageFailure(failure.error, cookies: failure.cookies + [end])
            } catch {
                throw PageFailure(error, cookies: [end])
            }
        },
        .post(.callback) { page in try page.repeatedAsGet() },
    ]
}

extension PageRequest {
    /// Sends the browser to the provider by a header of a page, not by a redirect: after a form,
    /// the browser would apply the policy's `form-action` to redirects, and a provider may redirect
    /// to any other address.
    fileprivate func send(to provider: String, adding principal: Principal?) throws -> Answer {
        let (target, begun) = try auth.beginRedirect(
            to: provider, adding: principal, returningTo: callback(of: provider), caller)
        var answer = show(
            .providerTitle, nil,
            after: """
                <p class="links"><a href="\(target)">\(continueText(provider))</a></p>
                """, links: [])
        answer.headers.append((name: "refresh", value: "0;url=\(target)"))
        answer.cookies.append(
            cookies.holding(begun.cookie, .provider, for: auth.policy.identity.challengeLifetime))
        return answer
    }

    /// Apple sends a form from its own site, without this site's cookies (`SameSite=Lax`). So the
    /// browser is redirected to this page with the form's values in the address, as other providers
    /// send them. They are accepted only together with the cookie. The user's name is never in the
    /// address.
    fileprivate func repeatedAsGet() throws -> Answer {
        // The sender of the form must not choose the address of the redirect.
        let provider = lastPathPart
        guard auth.redirectProviders.contains(where: { $0.isSame(as: provider) }) else {
            throw RequestError.notFound
        }
        let form = try RequestBody.providerForm(request)
        let query = PercentEncoding.form(
            ["code", "state", "error"].compactMap { name in
                (try? form.text(name)).flatMap { $0 }.map { (name, $0) }
            })
        var cookies: [Cookie] = []
        if let state = try form.text("state"), let user = try form.text("user"),
            let name = ProviderUserName(state: state, name: user)
        {
            cookies = [
                self.cookies.holding(
                    name.cookie, .providerName, for: auth.policy.identity.challengeLifetime)
            ]
        }
        return .redirect(to: "\(provider)?\(query)", cookies: cookies)
    }

    fileprivate func begunRedirect(state: String?) -> BegunRedirect? {
        guard let state, let begun = BegunRedirect(cookie: cookie(.provider)),
            constantTimeEquals(Array(begun.state.utf8), Array(state.utf8)),
            begun.provider.isSame(as: lastPathPart)
        else { return nil }
        return begun
    }

    fileprivate func returned(_ begun: BegunRedirect) throws -> Answer {
        let isAddition = !begun.session.isEmpty
        guard let code = query("code") else {
            return redirect(to: isAddition ? .account : .signIn, .cancelled)
        }
        func redeemed() throws(AuthError) -> RedeemedCode {
            try auth.redeemProviderCode(
                code, of: begun, returningTo: callback(of: begun.provider), caller)
        }
        guard isAddition else {
            let code = try redeemed()
            var input = SignIn.Input(
                provider: begun.provider, idToken: code.idToken, nonce: begun.nonce)
            input.codeExchange = code.exchange
            input.device = device
            input.fullName = ProviderUserName(cookie: cookie(.providerName))?.name(begun.state)
            return try entered(try auth.signIn(input, caller).result)
        }
        return try signedIn { session in
            // Another person may have signed in in the meantime.
            guard session.principal.session.id.text.isSame(as: begun.session) else {
                throw AuthError.signIn(.codeInvalid)
            }
            let code = try redeemed()
            var input = LinkIdentity.Input(
                IdentityProof(
                    provider: begun.provider, idToken: code.idToken, nonce: begun.nonce))
            input.codeExchange = code.exchange
            guard case .added = try auth.linkIdentity(input, session.caller) else {
                throw AuthError.method(.takenByOtherAccount)
            }
            return redirect(to: .account, .methodAdded)
        }
    }

    private func callback(of provider: String) -> String {
        let issuer = auth.issuer
        let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
        return "\(base)/auth/ui/callback/\(provider)"
    }

    // MARK: Buttons

    var providerButtons: HTML { providerButtons { _ in true } }

    /// Returns a button for each provider. Without the attribute, the compiler copies the function
    /// for each closure.
    @_optimize(none)
    func providerButtons(where isOffered: (String) -> Bool) -> HTML {
        let names = auth.redirectProviders.filter(isOffered)
        guard !names.isEmpty else { return "" }
        let buttons = names.map { name -> HTML in
            """
            <button class="\(PageMark.buttonClass(of: name))" name="provider" value="\(name)">\
            \(PageMark.html(of: name))\(continueText(name))</button>

            """
        }
        return """
            <form method="post" action="\(address(.provider))" accept-charset="utf-8">
            <input type="hidden" name="form" value="\(formToken)">
            \(HTML(joining: buttons))</form>

            """
    }

    /// Rows of the providers that the user can add.
    func providerRows(for user: User) -> HTML {
        HTML(
            joining: auth.redirectProviders.filter { user.subject(at: $0) == nil }.map { name in
                let add = PageForm(
                    page: .provider, button: .providerAddShort,
                    hidden: [("add", "1"), ("provider", name)], isMain: false, isLink: true,
                    label: texts(.providerAdd, [("provider", methodName(name))]))
                return """
                    <li><span>\(PageMark.html(of: name))\(methodName(name))</span>\(html(add))</li>

                    """
            })
    }

    /// The text of the provider's button, as the provider requires it.
    private func continueText(_ provider: String) -> String {
        provider.isSame(as: "apple")
            ? texts(.providerContinueApple)
            : texts(.providerContinue, [("provider", methodName(provider))])
    }
}

extension RequestBody {
    private static let providerFormBytesMax = 16 << 10

    /// A form that a provider's page sends, from another site.
    fileprivate static func providerForm(_ request: Request) throws(RequestError) -> Fields {
        guard request.defect == nil, request.body.count <= providerFormBytesMax else {
            throw .bodyTooLarge(bytesMax: providerFormBytesMax)
        }
        return try form(request.body)
    }
}
