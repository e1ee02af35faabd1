internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import Time

/// The texts of the administration in one language.
final class AdminTexts {
    let language: PageLanguage
    private let texts: Texts<AdminText>

    init(_ language: PageLanguage) {
        self.language = language
        texts = AdminText.texts(in: language)
    }

    // The method is not inlined: a page has many texts, and each would need several times the code
    // of a call.
    @inline(never) func callAsFunction(_ text: AdminText) -> String { texts(text) }

    /// - Parameter value: the value of the placeholder.
    @inline(never)
    func callAsFunction(_ text: AdminText, _ name: String, _ value: String) -> String {
        texts(text, [(name, value)])
    }

    @inline(never)
    func callAsFunction(
        _ text: AdminText, _ name: String, _ value: String, _ other: String, _ otherValue: String
    ) -> String {
        texts(text, [(name, value), (other, otherValue)])
    }

    func callAsFunction(
        _ text: AdminText, _ values: [(name: String, value: String)]
    ) -> String {
        texts(text, values)
    }

    @inline(never)
    func html(
        _ text: AdminText, _ name: String, _ value: HTML, _ other: String = "",
        _ otherValue: HTML = HTML()
    ) -> HTML {
        texts.html(text, [(name, value), (other, otherValue)])
    }

    var signIn: Texts<AdminSignInText> { AdminSignInText.texts(in: language) }
    var events: Texts<AuditEventText> { AuditEventText.texts(in: language) }

    /// The text for the detail of an audit event, such as `passkey` or `wrongPassword`. An unknown
    /// detail is returned unchanged: it may be a name.
    func detail(_ word: String) -> String {
        let known: [(word: String, text: AdminText)] = [
            ("wrongCredentials", .timelineWrongCredentials),
            ("wrongPassword", .timelineWrongPassword), ("invalidLink", .timelineInvalidLink),
            ("invalidCode", .timelineInvalidCode), ("accountDisabled", .timelineAccountDisabled),
            ("refusedByHook", .timelineRefusedByHook),
            ("password", .methodPassword), ("email", .methodEmail), ("passkey", .methodPasskey),
            ("magicLink", .methodMailedLink),
            ("authenticator app", .timelineAuthenticator),
            ("recovery code", .timelineRecoveryCode),
            ("without a second factor", .timelineNoFactor), ("import", .timelineImported),
            ("migrated", .timelineMigrated), ("providerCodeRefused", .timelineProviderRefused),
            ("unknown", .timelineUnknownPasskey),
        ]
        return known.first { $0.word.isSame(as: word) }.map { self($0.text) } ?? word
    }

    // MARK: Numbers and times

    func count(_ number: Int64, _ one: AdminText, _ many: AdminText) -> String {
        self(number == 1 ? one : many, "count", "\(number)")
    }

    @inline(never) func time(_ instant: Instant) -> String {
        "\(language.minute(instant))\u{A0}UTC"
    }

    /// The German text is in the dative, because it follows a preposition.
    func span(_ span: Span) -> String {
        switch max(0, span.seconds) {
        case let seconds where seconds < 60: count(seconds, .countSecond, .countSeconds)
        case let seconds where seconds < 7200: count(seconds / 60, .countMinute, .countMinutes)
        case let seconds where seconds < 172_800: count(seconds / 3600, .countHour, .countHours)
        case let seconds: count(seconds / 86_400, .countDay, .countDays)
        }
    }

    // MARK: Names

    func role(_ role: AdminRole) -> String {
        switch role {
        case .viewer: texts(.roleViewer)
        case .support: texts(.roleSupport)
        case .administrator: texts(.roleAdministrator)
        }
    }

    /// The choices of a role.
    var roles: [(value: String, text: String)] {
        [("", self(.roleNone))] + AdminRole.allCases.map { ($0.rawValue, role($0)) }
    }

    /// The choices for the present secret of an app that gets a new one.
    var formerSecrets: [(value: String, text: String)] {
        AdministerClients.FormerSecret.allCases.map { former in
            (former.rawValue, self(former == .kept ? .secretKept : .secretEnded))
        }
    }

    /// The name of a sign-in method: the provider, or the password.
    func method(_ name: String) -> String {
        switch name {
        case SignInMethod.passwordName: texts(.methodPassword)
        case LinkedIdentity.passwordProvider: texts(.methodEmail)
        case LinkedIdentity.passkeyProvider: texts(.methodPasskey)
        case "apple": "Apple"
        case "google": "Google"
        default: name
        }
    }

    /// - Parameter title: the English title in the document.
    func settingsGroup(_ title: String) -> String {
        let english = AdminText.texts(in: .english)
        let groups: [AdminText] = [
            .groupAll, .groupProviders, .groupPasskeys, .groupPages, .groupOauth,
            .groupRevocations, .groupStorage, .groupAdministration, .groupMail,
            .groupAuthorizer, .groupHosts,
        ]
        return groups.first { english($0).isSame(as: title) }.map { texts($0) } ?? title
    }

    func name(_ user: User) -> String {
        user.email ?? user.displayName ?? texts(user.isGuest ? .nameGuest : .nameNone)
    }
}
