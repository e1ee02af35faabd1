internal import Bytes

/// A group of settings that `latchkey configure` asks for.
struct SettingGroup: Sendable {
    let title: String
    /// The question before the group; nil if its settings are always asked for.
    let gate: String?
    let questions: [SettingQuestion]

    var names: [String] { questions.map(\.name) }

    /// The settings that turn the group on if one of them is set: for a provider any client,
    /// otherwise the first setting.
    private var switches: [SettingQuestion] { [questions[0]] + questions.filter(\.isClient) }

    /// Without an answer, the settings decide whether the group is on.
    func isOn(_ file: SettingsFile) -> Bool {
        let values = switches.compactMap { file.value($0.name) }
        return values.isEmpty ? questions[0].isOnByDefault : values.contains { $0 != "off" }
    }

    /// The message that a provider is off, and which settings turn it on. nil if it is on, and for
    /// groups that are not providers.
    func missingClient(_ file: SettingsFile) -> String? {
        guard questions.contains(where: \.isClient), !isOn(file) else { return nil }
        let names = switches.map(\.name).joined(separator: " or ")
        return "\(title) is off: set \(names)"
    }

    /// Whether a setting has a value that does nothing without a client.
    func isIdle(_ file: SettingsFile) -> Bool {
        missingClient(file) != nil && names.contains { file.value($0) != nil }
    }
}

struct SettingQuestion: Sendable {
    let name: String
    let prompt: String
    var isSecret = false
    /// The question asks for the path of a file. The value becomes `file:PATH`.
    var isFile = false
    /// The values of the setting are `on` and `off`. The question before the group decides between
    /// them.
    var isSwitch = false
    var isOnByDefault = false
    var isForPages = false
    /// The client ID for browsers. It is enough to turn the provider on.
    var isClient = false
    /// The question is repeated while the present settings need a value.
    var isRepeated = false
    /// The question is only for a mail server with a user name.
    var isForMailUser = false

    /// Whether the present settings make the question necessary.
    func isAsked(_ file: SettingsFile) -> Bool {
        if isForPages, file.value("UI") == "off" { return false }
        guard isForMailUser else { return true }
        let url = file.value("MAIL_URL") ?? ""
        return url.utf8.contains(text: "://") && url.contains("@")
    }
}

extension SettingGroup {
    static let all = [
        SettingGroup(
            title: "The server's address", gate: nil,
            questions: [
                .init(name: "ISSUER", prompt: "Public URL, such as https://auth.example.com"),
                .init(
                    name: "TRUSTED_HOPS",
                    prompt: "Number of proxies in front that append to X-Forwarded-For:\n"
                        + "1 behind one reverse proxy such as Caddy, 0 without"),
                .init(name: "APP_NAME", prompt: "Name of the app, in mails and on pages"),
            ]),
        SettingGroup(
            title: "Pages and apps",
            gate: "Pages for sign-in and account, served by this server?",
            questions: [
                .init(
                    name: "UI", prompt: "Pages", isSwitch: true, isOnByDefault: true),
                .init(
                    name: "UI_RETURN",
                    prompt: "Addresses of apps to which a sign-in may return, separated by commas",
                    isForPages: true),
                .init(
                    name: "ALLOWED_ORIGINS",
                    prompt: "Origins of web apps that call the server, separated by commas"),
                .init(
                    name: "SIGN_UP",
                    prompt: "Whether people may create accounts: open (also if not set), or\n"
                        + "closed if only administrators do"),
                .init(
                    name: "UI_COLOR", prompt: "Colour of pages and mails, such as #2f5bd7",
                    isForPages: true),
                .init(
                    name: "UI_LOGO", prompt: "https address of a logo for pages and mails",
                    isForPages: true),
            ]),
        SettingGroup(
            title: "Sign in with Google", gate: "Sign in with Google?",
            questions: [
                .init(
                    name: "GOOGLE_CLIENT_IDS",
                    prompt: "Client ids of your apps, separated by commas (none: only for browsers)"
                ),
                .init(
                    name: "GOOGLE_WEB_CLIENT_ID",
                    prompt: "Client id for browsers (pages)", isForPages: true,
                    isClient: true),
                .init(
                    name: "GOOGLE_CLIENT_SECRET", prompt: "Client secret for browsers (pages)",
                    isSecret: true, isForPages: true),
            ]),
        SettingGroup(
            title: "Sign in with Apple", gate: "Sign in with Apple?",
            questions: [
                .init(
                    name: "APPLE_CLIENT_IDS",
                    prompt: "Bundle ids of your apps and the Services ID, separated by commas"),
                .init(name: "APPLE_TEAM_ID", prompt: "Team id"),
                .init(name: "APPLE_KEY_ID", prompt: "Id of the key for Sign in with Apple"),
                .init(
                    name: "APPLE_PRIVATE_KEY", prompt: "Path of the key, AuthKey_….p8",
                    isFile: true),
                .init(
                    name: "APPLE_WEB_CLIENT_ID", prompt: "The Services ID, for browsers (pages)",
                    isForPages: true, isClient: true),
            ]),
        SettingGroup(
            title: "Mail", gate: "Send mail?",
            questions: [
                .init(
                    name: "MAIL_URL",
                    prompt: "ses, or the mail server: smtps://USER@HOST or smtp://USER@HOST"),
                .init(name: "MAIL_FROM", prompt: "Sender's address", isRepeated: true),
                .init(
                    name: "MAIL_PASSWORD", prompt: "Password of the user in MAIL_URL",
                    isSecret: true, isForMailUser: true),
                .init(
                    name: "LINK_BASE",
                    prompt: "Where links in mails lead: your app, or nothing for these pages"),
            ]),
    ]

    /// Whether the group of a setting is on.
    static func isOn(_ name: String, _ file: SettingsFile) -> Bool {
        named(name)?.isOn(file) ?? false
    }

    static func named(_ name: String) -> SettingGroup? {
        all.first { $0.names.contains(name) }
    }
}
