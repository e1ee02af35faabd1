internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import Cryptography
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time
internal import WebAuthn

// Only passkeys need a script: it asks for the options of a ceremony, and sends the form of the
// page with the authenticator's answer.
extension PageEndpoints {
    static let passkeys: [PageRoute] =
        [
            .page(.script) { try PageScript.answer(to: $0.lastPathPart) },
            .form(.pagePasskey, .passkeyOptions) { page in
                try page.begun(try page.fields.required("purpose"))
            },
            .form(
                .pagePasskey, .passkeySignIn,
                again: { $0.signInPage($1, signals: $0.unknownPasskey($1)) }
            ) { page in
                var input = SignInWithPasskey.Input(
                    ceremony: try page.fields.required("ceremony"), try page.assertion())
                input.device = page.device
                return try page.entered(try page.auth.signInWithPasskey(input, page.caller))
            },
        ] + list.routes

    private static let list = AccountPage(
        name: .passkeys, operation: .pagePasskey, isSensitive: true,
        show: { page, session, problem in
            page.passkeysPage(try page.auth.listPasskeys(session.caller), problem)
        },
        submit: { page, session in
            switch try page.fields.text("action") {
            case "rename":
                _ = try page.auth.renamePasskey(
                    try page.fields.required("id"), to: try page.fields.required("name"),
                    session.caller)
                return page.redirect(to: .passkeys, .passkeyRenamed)
            case "remove":
                try page.auth.removePasskey(try page.fields.required("id"), session.caller)
                return page.redirect(to: .passkeys, .passkeyRemoved)
            default:
                var input = AddPasskey.Input(
                    ceremony: try page.fields.required("ceremony"), try page.registration())
                input.name = try page.fields.optional("name")
                _ = try page.auth.addPasskey(input, session.caller)
                return page.redirect(to: .passkeys, .passkeyAdded)
            }
        })
}

/// The script of the pages. Its address changes whenever the script changes, so that browsers can
/// cache it.
enum PageScript {
    static let path = "script/\(name)"

    private static let name =
        Base64URL.encode(Array(SHA256.hash(PackageResources.page_js).prefix(12))) + ".js"

    static func answer(to file: String) throws(RequestError) -> Answer {
        guard file.isSame(as: name) else { throw .notFound }
        let text = String(decoding: PackageResources.page_js, as: UTF8.self)
        return Answer(
            200, .text(text, type: "text/javascript; charset=utf-8"),
            headers: [
                ("cache-control", "public, max-age=31536000, immutable"),
                ("cross-origin-resource-policy", "same-origin"),
            ])
    }
}

extension PageRequest {
    /// Whether the relying party of passkeys is known, and may be used by a page at this address.
    /// If a proxy has replaced the host name, the browser's address is not known.
    var hasPasskeys: Bool {
        let isAtAddress =
            Authority(of: auth.issuer).isAddress
            && (request.header("host").map { Authority($0).isAddress } ?? true)
        return !isAtAddress && (try? auth.passkeys) != nil
    }

    /// The address of this page at `localhost`, for a browser that has opened it at an IP address
    /// of this machine. nil if no passkey can be used there either, or if a waiting sign-in for
    /// another program, which is in the browser's cookies, would be lost.
    var passkeyAddress: String? {
        guard !hasPasskeys, returning == nil || askedAddress != nil, next.request == nil,
            let host = request.header("host").map({ Authority($0) }), host.isAddress,
            host.isLoopback, let relyingParty = try? auth.passkeys.relyingParty
        else { return nil }
        let scheme = auth.issuer.prefix { $0 != ":" }
        let origin = "\(scheme)://localhost" + (host.port.map { ":\($0)" } ?? "")
        let path = LocalPath(of: request).text
        guard relyingParty.id.text.isSame(as: "localhost"), relyingParty.origins.contains(origin),
            !path.isSame(as: "/")
        else { return nil }
        return origin + path
    }

    /// The options that the script passes to the authenticator.
    fileprivate func begun(_ purpose: String) throws -> Answer {
        func answer(_ purpose: BeginPasskeyCeremony.Purpose, _ caller: Caller) throws -> Answer {
            let begun = try auth.beginPasskeyCeremony(purpose, caller)
            return Answer(["ceremony": .string(begun.ceremony), "options": .object(begun.options)])
        }
        switch purpose {
        case "signIn": return try answer(.signIn, caller)
        case "secondFactor": return try answer(.secondFactor(ticket: ticket?.text ?? ""), caller)
        case "add":
            return try signedIn { try answer(.add(isConditional: false), $0.caller) }
        case "stepUp": return try signedIn { try answer(.stepUp, $0.caller) }
        default: throw RequestError.invalidField("purpose", .notOneOf([]))
        }
    }

    func assertion() throws(RequestError) -> AssertionResponse {
        try Fields(["credential": try credential()]).assertion()
    }

    func registration() throws(RequestError) -> RegistrationResponse {
        try Fields(["credential": try credential()]).registration()
    }

    /// The credential is parsed from a text field, because form fields are text.
    private func credential() throws(RequestError) -> JSON {
        let text = try fields.required("credential")
        guard let json = try? JSON.parse(Array(text.utf8), limits: .request) else {
            throw .invalidField("credential", .malformedCredential(member: ""))
        }
        return json
    }

    fileprivate func passkeysPage(_ list: PasskeyList, _ problem: PageProblem?) -> Answer {
        let isRenaming = (try? fields.text("action")) == "rename"
        let name = PageField(
            name: "name", label: .fieldPasskeyName, kind: .text,
            value: isRenaming ? "" : typed("name"), isOptional: true)
        let rows = HTML(joining: list.entries.map(row))
        let known: HTML = list.entries.isEmpty ? "" : "<ul>\n\(rows)</ul>\n"
        let add = passkeyForm(
            to: .passkeys, "add", .passkeysAdd, name.html(texts, nil), signals: signals(list))
        return show(
            .passkeysTitle, problem,
            about: [texts(.passkeysAbout)] + (list.entries.isEmpty ? [texts(.passkeysNone)] : []),
            before: """
                \(known)\(add)
                <noscript><p class="soft">\(texts(.passkeysScript))</p></noscript>

                """, links: [(.account, .accountBack)])
    }

    /// The account's passkeys for a password manager. Empty if a row could not be
    /// read: the manager would hide that passkey.
    private func signals(_ list: PasskeyList) -> JSONObject {
        let all = list.signals
        guard all["userId"] != nil,
            list.entries.count == list.user.identities.count(where: \.isPasskey)
        else { return [:] }
        func members(_ names: String...) -> JSON {
            .object(names.reduce(into: JSONObject()) { $0[$1] = all[$1] })
        }
        return [
            "signalAllAcceptedCredentials": members("rpId", "userId", "allAcceptedCredentialIds"),
            "signalCurrentUserDetails": members("rpId", "userId", "name", "displayName"),
        ]
    }

    /// A password manager should not offer a passkey that belongs to no account. This reveals
    /// whether an account has the credential ID, but only the authenticator and the account know
    /// that ID.
    fileprivate func unknownPasskey(_ problem: PageProblem) -> JSONObject {
        guard problem.isRefusedPasskey, let id = try? assertion().id,
            let relyingParty = try? auth.passkeys.relyingParty,
            let isKnown = try? auth.hasAccount(with: id), !isKnown
        else { return [:] }
        return [
            "signalUnknownCredential": [
                "rpId": .string(relyingParty.id.text), "credentialId": .string(id.text),
            ]
        ]
    }

    private func row(_ entry: PasskeyList.Entry) -> HTML {
        let name = entry.passkey.name ?? entry.provider ?? texts(.methodPasskey)
        let isUnused = entry.passkey.lastUsedAt == entry.passkey.createdAt
        let used = texts(
            isUnused ? .passkeysUnused : .passkeysUsed,
            [
                ("added", day(entry.passkey.createdAt)),
                ("used", day(entry.passkey.lastUsedAt)),
            ])
        let provider = entry.provider.map { $0.isSame(as: name) ? "" : "\($0) · " } ?? ""
        let tag: HTML =
            entry.isCurrent ? " <span class=\"tag\">\(texts(.passkeysCurrent))</span>" : ""
        let rename = PageForm(
            page: .passkeys, button: .passkeysRename,
            fields: [
                PageField(
                    name: "name", label: .fieldPasskeyName, kind: .text, value: name,
                    id: "name-\(entry.id)")
            ], hidden: [("id", entry.id)], action: "rename", isMain: false,
            label: texts(.passkeysRenameThat, [("name", name)]))
        let remove = PageForm(
            page: .passkeys, button: .passkeysRemove, hidden: [("id", entry.id)],
            action: "remove", isMain: false, isDanger: true,
            label: texts(.passkeysRemoveThat, [("name", name)]))
        return """
            <li><span>\(name)\(tag)<small>\(provider)\(used)</small>
            \(details(.passkeysRename, html(rename)))</span>\(html(remove))</li>

            """
    }
}
