internal import Contracts
internal import HTML

/// One input of a form, with the problem of its value.
struct PageField {
    enum Kind {
        case email, text, password, newPassword, code, recoveryCode, check
        /// The code that another device shows.
        case deviceCode
        /// The user name in a sign-in form: browsers also offer passkeys in it.
        case login
    }

    let name: String
    let label: PageText
    let kind: Kind
    var value = ""
    var hint: String?
    var isOptional = false
    var isFirst = false
    /// The ID, if a page has several inputs with the same name.
    var id: String?

    func html(_ texts: PageTexts, _ problem: PageProblem?) -> HTML {
        let fault = problem?.field == name ? problem?.text(texts) : nil
        let below: HTML
        if let fault {
            below = "<span class=\"fault\" id=\"\(name)-says\" role=\"alert\">\(fault)</span>"
        } else if let hint {
            below = "<span class=\"hint\" id=\"\(name)-says\">\(hint)</span>"
        } else {
            below = ""
        }
        let described: HTML =
            fault != nil || hint != nil ? " aria-describedby=\"\(name)-says\"" : ""
        let invalid: HTML = fault != nil ? " aria-invalid=\"true\"" : ""
        let required: HTML = isOptional ? "" : " required"
        let focus: HTML = isFirst || fault != nil ? " autofocus" : ""
        let plain: HTML = """
            <input id="\(id ?? name)" name="\(name)" value="\(value)"\(attributes)\(required)\
            \(described)\(invalid)\(focus)>
            """
        let input = isSecret ? Self.revealed(plain, texts) : plain
        let label: HTML = "<label for=\"\(id ?? name)\">\(texts(label))</label>"
        return kind == .check
            ? "<div class=\"check\">\(input)\(label)\(below)</div>\n"
            : "<div>\(label)\n\(input)\n\(below)</div>\n"
    }

    /// Whether the page's script can make the typed text visible.
    var isSecret: Bool { kind == .password || kind == .newPassword }

    /// A field with a button that the page's script shows.
    private static func revealed(_ input: HTML, _ texts: PageTexts) -> HTML {
        """
        <span class="secret">\(input)<button type="button" hidden data-reveal aria-pressed="false" \
        aria-label="\(texts(.fieldReveal))">\(texts(.fieldShow))</button></span>
        """
    }

    private var attributes: HTML {
        switch kind {
        case .email:
            " type=\"email\" autocomplete=\"username\" maxlength=\"254\" spellcheck=\"false\""
        case .login:
            """
             type="email" autocomplete="username webauthn" maxlength="254" spellcheck="false"
            """
        case .check: " type=\"checkbox\" autocomplete=\"off\""
        case .text: " autocomplete=\"name\" maxlength=\"100\""
        case .password: " type=\"password\" autocomplete=\"current-password\""
        case .newPassword: " type=\"password\" autocomplete=\"new-password\""
        case .code:
            """
             class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="32" \
            spellcheck="false"
            """
        case .deviceCode:
            """
             class="code" autocomplete="off" autocapitalize="characters" maxlength="32" \
            spellcheck="false" placeholder="XXXX-XXXX"
            """
        case .recoveryCode:
            " class=\"code\" autocomplete=\"off\" maxlength=\"64\" spellcheck=\"false\""
        }
    }
}
