internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

/// A refused form with the values that were sent, to correct one and send it again. The password
/// must be entered again.
struct RefusedForm {
    private let texts: AdminTexts
    private let path: String
    private let sent: [(name: String, value: String)]
    private let action: UserAction?
    /// The field that the message is about.
    private let refused: String?
    /// The field that the person types in first.
    private let focused: String?

    /// nil if nothing in the form can be corrected.
    init?(
        _ error: APIError, _ response: ErrorResponse, _ request: Request, _ texts: AdminTexts
    ) {
        if case .request(.foreignForm) = error { return nil }
        let canBeCorrected = [400, 401, 409, 429].contains(response.status)
        let sent = PercentEncoding.parseForm(
            String(decoding: request.body, as: UTF8.self), pairsMax: 16)
        guard canBeCorrected, request.method.isSame(as: "POST"), let sent else { return nil }
        (self.texts, path, self.sent) = (texts, request.path, sent)
        action = path.split(separator: "/").last.flatMap { UserAction(rawValue: String($0)) }
        let field = Self.field(of: error)
        refused = field
        let isShown = sent.contains { name, _ in field?.isSame(as: name) == true }
        focused = isShown ? field : "password"
    }

    private static func field(of error: APIError) -> String? {
        switch error {
        case .request(.missingField(let name)), .request(.invalidField(let name, _)): name
        case .auth(.oauth(.unacceptable(let problem))): field(of: problem.member)
        case .auth(.account(.emailTaken)): "email"
        case .auth(.administration(.wrongPassword)): "password"
        case .auth, .request: nil
        }
    }

    private static func field(of member: String) -> String {
        switch member {
        case "redirect_uris": "redirect_uri"
        case "token_endpoint_auth_method": "method"
        case "grant_types": "devices"
        default: member
        }
    }

    func value(of name: String) -> String? { sent.first { $0.name.isSame(as: name) }?.value }

    /// The attributes of an input with the value that was sent.
    func attributes(of name: String) -> HTML {
        "value=\"\(value(of: name) ?? "")\"\(focus(on: name))"
    }

    func focus(on name: String) -> HTML {
        let isRefused = refused?.isSame(as: name) == true
        let invalid: HTML = isRefused ? " aria-invalid=\"true\"" : HTML()
        return focused?.isSame(as: name) == true ? "\(invalid) autofocus" : invalid
    }

    var html: HTML {
        let isNewClient = path.isSame(as: AdminConsole.clientsPath)
        let ofClient = ["client_name", "redirect_uri", "method", "devices", "scope"]
        let others = sent.filter { field in
            !isNewClient || !ofClient.contains(where: field.name.isSame(as:))
        }
        let concerned = value(of: AdminLook.concernedName).map { user -> HTML in
            "<p>\(user)</p>\n"
        }
        let style = action?.isDestructive == true ? "bad" : "main"
        return """
            \(concerned ?? HTML())<form method="post" accept-charset="utf-8">
            \(isNewClient ? AdminLook.clientFields(texts, self) : HTML())\
            \(HTML(joining: others.map(html)))\(action == .setEmail ? undo : HTML())\
            <button class="\(style)">\(texts(action?.title ?? .problemAgain))</button>
            </form>

            """
    }

    private func html(_ name: String, _ value: String) -> HTML {
        if let label = label(of: name) {
            let input: HTML =
                name.isSame(as: "password")
                ? "type=\"password\" autocomplete=\"current-password\"\(focus(on: name))"
                : "\(attributes(of: name)) maxlength=\"2000\" autocomplete=\"off\""
            return """
                <div><label for="\(name)">\(texts(label))</label>
                <input id="\(name)" name="\(name)" \(input)></div>

                """
        }
        if let (label, options) = choices(name) {
            return AdminLook.select(name, texts(label), options, self)
        }
        guard action != .setEmail || !name.isSame(as: "undo") else { return HTML() }
        return "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">\n"
    }

    private func label(of name: String) -> AdminText? {
        switch (action, name) {
        case (.setEmail, "email"): .userNewEmail
        case (.setName, "name"): .userNewName
        default: AdminLook.label(of: name)
        }
    }

    /// The name of the action that a form is for; nil if the path is not known.
    static func title(of path: String) -> AdminText? {
        switch path {
        case "\(AdminConsole.path)/users": return .usersNew
        case AdminConsole.clientsPath: return .clientsNew
        default:
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            return name.isSame(as: "role")
                ? .userChangeRole : UserAction(rawValue: name)?.title
        }
    }

    /// The label of a choice, and its options. Of a choice among what the user has, only the one
    /// that was made is known here.
    private func choices(_ name: String) -> (AdminText, [(value: String, text: String)])? {
        switch name {
        case "role": (.userRole, texts.roles)
        case "former": (.secretPresent, texts.formerSecrets)
        case "method": (.userMethod, value(of: name).map { [($0, texts.method($0))] } ?? [])
        case "application": (.userApp, value(of: name).map { [($0, $0)] } ?? [])
        default: nil
        }
    }

    private var undo: HTML {
        let checked: HTML = value(of: "undo") == nil ? HTML() : " checked"
        return """
            <div class="check"><input id="undo" name="undo" type="checkbox" value="none"\(checked)>
            <label for="undo">\(texts(.userStolen))</label></div>

            """
    }
}

extension AdminLook {
    fileprivate static let concernedName = "concerned"

    /// The user whom a form concerns, for the page that shows the refused form again.
    static func concernedHTML(_ user: String) -> HTML {
        "<input type=\"hidden\" name=\"\(concernedName)\" value=\"\(user)\">"
    }

    /// The label of a field for a text; nil for a choice.
    static func label(of field: String) -> AdminText? {
        switch field {
        case "client_name": .clientsName
        case "email": .usersEmail
        case "name": .usersName
        case "password": .framePassword
        case "reason": .frameReason
        case "redirect_uri", "redirect_uris": .clientsUri
        case "scope": .clientsScope
        default: nil
        }
    }
}
