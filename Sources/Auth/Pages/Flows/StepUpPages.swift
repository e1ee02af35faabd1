internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Contracts
internal import HTML
internal import Time

// On these pages, a signed-in user proves the identity again, and returns to the page that required
// it.
extension PageEndpoints {
    static let stepUp: [PageRoute] =
        AccountPage(
            name: .stepUp, operation: .pageStepUp,
            show: { page, session, problem in
                guard !page.needsPasskey(session) else {
                    return page.passkeyStepUpPage(problem)
                }
                // A password is enough only without a second factor.
                let hasPassword =
                    session.user.hasSecondFactor
                    ? false : try page.auth.listMethods(session.caller).hasPassword
                return page.stepUpPage(session.user, hasPassword: hasPassword, problem)
            },
            submit: { page, session in
                let answer: StepUp.Answer =
                    if page.fields.has("credential") {
                        .passkey(
                            ceremony: try page.fields.required("ceremony"), try page.assertion())
                    } else if page.fields.has("currentPassword") {
                        .password(try page.fields.required("currentPassword"))
                    } else {
                        .secondFactor(try page.secondFactorAnswer())
                    }
                let output = try page.auth.stepUp(answer, session.caller)
                let renewed = BrowserSession(
                    refresh: session.stored.refresh, access: output.access.reveal())
                return page.redirectToNext(
                    setting: [
                        page.cookies.holding(
                            renewed.cookie, .session, for: page.auth.policy.sessions.idleLifetime),
                        page.cookies.removing(.next),
                    ])
            }
        ).routes
}

extension PageRequest {
    /// Whether a waiting client requires a proof that only a passkey gives.
    fileprivate func needsPasskey(_ session: PageSession) -> Bool {
        guard let asked = waitingAtClient?.authorization else { return false }
        return Self.needsPasskey(asked, session) && canProve(asked, session)
    }

    private static func needsPasskey(
        _ asked: WaitingAuthorization, _ session: PageSession
    ) -> Bool {
        let withoutPasskey: ProofStrength = session.user.hasSecondFactor ? .twoFactors : .oneFactor
        return asked.claims.strength.map { $0 > withoutPasskey } ?? false
    }

    /// Whether the user can give the proof that the client requires, and these pages can ask for
    /// it.
    func canProve(_ asked: WaitingAuthorization, _ session: PageSession) -> Bool {
        guard Self.needsPasskey(asked, session) else { return true }
        return hasPasskeys && session.user.identities.contains(where: \.isPasskey)
    }

    /// Any other proof would lead back to this page.
    fileprivate func passkeyStepUpPage(_ problem: PageProblem?) -> Answer {
        show(
            .stepUpTitle, problem, about: [texts(.stepUpPasskeyForApp)], [],
            after: """
                \(passkeyForm(to: .stepUp, "stepUp", .stepUpPasskey))\
                <p class="links">\(switchAccount)</p>
                """, links: [])
    }

    fileprivate func stepUpPage(
        _ user: User, hasPassword: Bool, _ problem: PageProblem?
    ) -> Answer {
        var forms: [PageForm] = []
        var after = HTML()
        if hasPasskeys, user.identities.contains(where: \.isPasskey) {
            after.append(passkeyForm(to: .stepUp, "stepUp", .stepUpPasskey))
        }
        if user.hasSecondFactor {
            forms = [codeForm(.stepUp, .stepUpSubmit)]
            after.append(recoveryForm(.stepUp, .stepUpSubmit, problem))
        } else if hasPassword {
            forms = [
                PageForm(
                    page: .stepUp, button: .stepUpSubmit,
                    fields: [
                        PageField(
                            name: "currentPassword", label: .fieldPassword, kind: .password,
                            isFirst: true)
                    ])
            ]
        } else {
            // A new sign-in by mail or at a provider is also a proof.
            after.append("<p>\(texts(.stepUpAgain))</p>\n")
            if auth.policy.magicLinks != nil, let email = user.login ?? user.email {
                after.append(
                    html(
                        PageForm(
                            page: .magicLink, button: .signInByMail,
                            hidden: [("ask", "mail"), ("email", email)])))
            }
            let ways = providerButtons { user.subject(at: $0) != nil }
            after.append("<div class=\"ways\">\(ways)</div>\n")
        }
        let code = user.hasSecondFactor ? [texts(.secondFactorAbout)] : []
        guard next.request == nil else {
            return show(
                .stepUpTitle, problem, about: [texts(.stepUpForApp)] + code, forms,
                after: "\(after)<p class=\"links\">\(switchAccount)</p>", links: [])
        }
        var links: [(page: PageName, text: PageText)] = [(.account, .accountBack)]
        if hasPassword { links.insert((page: .reset, text: .signInForgot), at: 0) }
        return show(
            .stepUpTitle, problem, about: [texts(.stepUpAbout)] + code, forms, after: after,
            links: links)
    }
}
