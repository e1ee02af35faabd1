internal import HTML

/// The consent page: choose an account and what to share, or cancel. It works without JavaScript.
struct AuthorizePage {
    static let accountsMax = 50

    let issuer: IssuerDefinition
    let action: String
    let transaction: String
    let request: AuthorizeRequest
    let accounts: [OpenIDAccount]
    let problem: String?

    var html: HTML {
        let title = "Sign in with \(issuer.title)"
        let notice: HTML = problem.map { "<p class=\"problem\" role=\"alert\">\($0)</p>" } ?? ""
        return PageFrame(
            title: title,
            content: """
                <h1>\(title)</h1>
                <p class="soft"><span class="app">\(request.clientID)</span> wants to know who you \
                are.</p>
                \(notice)
                <form method="post" action="\(action)">
                <input type="hidden" name="transaction" value="\(transaction)">
                <fieldset>
                <legend>Account</legend>
                \(accountChoices)
                </fieldset>
                \(emailChoice)
                \(shared)
                <div class="actions">
                <button class="main" name="decision" value="approve">Continue</button>
                <button name="decision" value="cancel" formnovalidate>Cancel</button>
                </div>
                </form>
                """
        ).html
    }

    /// The account that the app suggests, otherwise the first.
    private var chosen: String? {
        let hinted = request.loginHint.flatMap { hint in
            accounts.first { $0.identity.utf8.elementsEqual(OpenIDAccount.identity(hint).utf8) }
        }
        return (hinted ?? (request.loginHint == nil ? accounts.first : nil))?.email
    }

    private var accountChoices: HTML {
        let known = accounts.map { account -> HTML in
            let mark: HTML = account.email == chosen ? " checked" : ""
            return """
                <label class="choice">
                <input type="radio" name="account" value="\(account.email)"\(mark)>
                <span class="face" aria-hidden="true">\(initial(account))</span>
                <span class="who">\(account.name)<small>\(account.email)</small></span>
                </label>
                """
        }
        let mark: HTML = chosen == nil ? " checked" : ""
        let hint = chosen == nil ? request.loginHint ?? "" : ""
        let other: HTML = """
            <label class="choice">
            <input class="other" type="radio" name="account" value="new"\(mark)>
            <span class="face none" aria-hidden="true">+</span>
            <span class="who">Another account<small>It is created when you continue.</small></span>
            </label>
            <div class="new">
            <label>E-mail address
            <input type="email" name="new_email" value="\(hint)" autocomplete="off" \
            maxlength="254"></label>
            <label>Name, if you like
            <input type="text" name="new_name" autocomplete="off" maxlength="64"></label>
            </div>
            """
        return HTML(joining: known + [other])
    }

    private func initial(_ account: OpenIDAccount) -> String {
        account.givenName.first.map { String($0).uppercased() } ?? "?"
    }

    /// The choice between the real and a hidden address; only for Apple.
    private var emailChoice: HTML {
        guard issuer.kind == .apple, request.showsEmail else { return "" }
        return """
            <fieldset>
            <legend>E-mail address</legend>
            <label class="choice two">
            <input type="radio" name="email_choice" value="share" checked>
            <span class="who">Share my e-mail address</span>
            </label>
            <label class="choice two">
            <input type="radio" name="email_choice" value="hide">
            <span class="who">Hide my e-mail address<small>The app gets an address at \
            \(OpenIDAccount.relayDomain).</small></span>
            </label>
            </fieldset>
            """
    }

    private var shared: HTML {
        var items: [HTML] = []
        if request.showsName { items.append("<li>your name</li>") }
        if request.showsEmail { items.append("<li>your e-mail address</li>") }
        if request.isOffline, issuer.kind == .google {
            items.append("<li>access while you are away</li>")
        }
        guard !items.isEmpty else { return "" }
        return "<div class=\"asks\"><p>The app asks for</p><ul>\(HTML(joining: items))</ul></div>"
    }
}

extension IssuerDefinition {
    /// The display name.
    var title: String {
        switch kind {
        case .apple: "Apple"
        case .google: "Google"
        case .oidc: name
        }
    }
}
