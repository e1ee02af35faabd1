internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Contracts
internal import HTML

extension PageEndpoints {
    /// The accounts that are signed in in this browser.
    static let accounts: [PageRoute] = [
        .page(.accounts) { page in
            let session = try page.session(for: .showPage)
            guard session != nil || !page.accounts.all.isEmpty else {
                return page.redirectBack()
            }
            return page.choice(session)
        },
        .form(.pageAccounts, .accounts) { page in
            let choice = try page.fields.required("account")
            guard choice != PageRequest.another else { return try page.signInAsAnother() }
            return try UserID(parsing: choice).flatMap { try page.choose($0) }
                ?? page.redirect(to: .accounts)
        },
    ]
}

extension PageRequest {
    /// The accounts other than the one that is signed in now.
    var accounts: BrowserAccounts { BrowserAccounts(cookie: cookie(.accounts)) }

    func keeping(_ accounts: BrowserAccounts) -> Cookie {
        accounts.all.isEmpty
            ? cookies.removing(.accounts)
            : cookies.holding(
                accounts.cookie, .accounts, for: auth.policy.sessions.idleLifetime)
    }

    /// The page on which a person chooses another account.
    var switchAccount: HTML { link(.accounts, .consentOther) }

    /// The button for an account that is not signed in here.
    fileprivate static let another = "another"

    fileprivate func choice(_ session: PageSession?) -> Answer {
        let now = session.map { session in
            button(session.user.id, named: label(session.user), texts(.accountsNow))
        }
        let others = accounts.all.filter { $0.user != session?.user.id }.map { account in
            button(account.user, named: account.name)
        }
        // The way back from a request of an app is a choice.
        let back: HTML =
            session == nil || next.request != nil
            ? "" : "<p class=\"links\">\(link(.account, .accountBack))</p>"
        var answer = answer(
            title: .accountsTitle,
            """
            <h1>\(texts(.accountsTitle))</h1>
            \(HTML(joining: whereSignInLeads.map { "<p class=\"soft\">\($0)</p>\n" }))\
            <form method="post" action="\(address(.accounts))" accept-charset="utf-8">
            <input type="hidden" name="form" value="\(formToken)">
            <div class="ways">
            \(HTML(joining: (now.map { [$0] } ?? []) + others))\
            <button name="account" value="\(Self.another)">\(texts(.consentOther))</button>
            </div>
            </form>
            \(back)
            """)
        answer.cookies += session?.cookies ?? []
        return answer
    }

    private func button(_ user: UserID, named name: String, _ note: String = "") -> HTML {
        let small: HTML = note.isEmpty ? "" : " <small>\(note)</small>"
        return """
            <button class="way" name="account" value="\(user.text)"><span>\(name)\(small)</span>\
            </button>

            """
    }

    private func label(_ user: User) -> String { user.email ?? name(of: user) }

    /// A browser stays signed in with two accounts only on request. An ordinary sign-in ends the
    /// previous session, because somebody else may have left it in the browser, or put it there on
    /// purpose.
    fileprivate func signInAsAnother() throws -> Answer {
        guard let current = try session(for: .showPage) else { return redirectBack() }
        // A guest cannot sign in again, so the session is not put aside.
        guard !current.user.isGuest else {
            return redirect(to: .signIn, .switching, setting: current.cookies)
        }
        return redirectBack(setting: setAside(current, beside: accounts))
    }

    /// Puts the present session aside while the person signs in with another account.
    private func setAside(
        _ current: PageSession?, beside others: BrowserAccounts
    ) -> [Cookie] {
        [cookies.removing(.session), keeping(adding(current, to: others))]
    }

    /// nil if the account is not signed in here.
    fileprivate func choose(_ user: UserID) throws -> Answer? {
        let current = try session(for: .showPage)
        if let current, current.user.id == user {
            try chosen()
            return redirectToNext(setting: current.cookies)
        }
        guard let account = accounts[user] else { return nil }
        try chosen()
        var others = accounts
        others.remove(user)
        let tokens: SessionTokens
        do throws(AuthError) {
            tokens = try auth.refresh(account.refresh, caller)
        } catch {
            switch error {
            case .refreshToken, .account(.disabled):
                return .redirect(
                    to: address(.signIn, .switching, hint: account.name),
                    cookies: setAside(current, beside: others))
            default: throw error
            }
        }
        return redirectToNext(
            setting: freshCookies(BrowserSession(tokens)) + [keeping(adding(current, to: others))])
    }

    /// Changes the waiting request of a client so that it does not ask for the account again.
    private func chosen() throws {
        guard let request = next.request else { return }
        let waiting = try waitingRequest(request)
        var asked = waiting.authorization
        guard asked.choosesAfter != nil else { return }
        asked.choosesAfter = nil
        _ = try auth.change(waiting, to: asked)
    }

    private func adding(
        _ left: PageSession?, to accounts: BrowserAccounts
    ) -> BrowserAccounts {
        guard let left, !left.user.isGuest else { return accounts }
        var accounts = accounts
        let dropped = accounts.add(
            BrowserAccounts.Account(
                user: left.user.id, name: label(left.user), refresh: left.stored.refresh))
        end(dropped)
        return accounts
    }

    /// Called after a sign-in: ends the previous session, and a waiting session of the same
    /// account. An error does not stop the sign-in, because an unused session ends when it is idle.
    func leaving(_ former: BrowserSession?, for user: User) -> [Cookie] {
        if let former {
            try? auth.signOut(refreshToken: former.refresh, scope: .session, caller)
        }
        var others = accounts
        guard let again = others[user.id] else { return [] }
        end([again])
        others.remove(user.id)
        return [keeping(others)]
    }

    /// After a sign-out by the person, nobody is signed in in this browser.
    func endingAccounts() -> [Cookie] {
        let ended = accounts.all
        end(ended)
        return ended.isEmpty ? [] : [cookies.removing(.accounts)]
    }

    private func end(_ accounts: [BrowserAccounts.Account]) {
        for account in accounts {
            try? auth.signOut(refreshToken: account.refresh, scope: .session, caller)
        }
    }
}
