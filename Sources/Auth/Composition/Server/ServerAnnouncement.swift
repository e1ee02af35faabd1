internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import Glibc
internal import WebAuthn

/// The report of a server to its operator at start: which features are on or off, and their
/// settings.
struct ServerAnnouncement: Sendable {
    struct Line: Sendable {
        /// The name in the log.
        let name: StaticString
        let title: String
        let isOn: Bool
        let detail: String
        /// The setting that switches the feature on or changes it.
        let setting: StaticString
    }

    let lines: [Line]
    private let issuer: String
    /// Set if it was generated at this start. It is shown only once.
    var adminPassword: String?
    /// Set if a form can make the first administrator.
    var firstAdministratorLink: String?

    /// - Parameter endpoints: the endpoints of the contract, without omitted ones.
    init(
        _ endpoints: [Endpoint], _ store: StoreSettings, _ plan: ServerPlan, issuer: String,
        _ reader: SettingsReader
    ) {
        let needs = endpoints.reduce(into: ServiceNeeds()) { $0.formUnion($1.needs) }
        var lines: [Line] = []
        func add(
            _ name: StaticString, _ title: String, _ setting: StaticString,
            _ isOn: Bool? = nil, _ detail: String? = nil
        ) {
            let value = reader.text(setting.description)
            lines.append(
                Line(
                    name: name, title: title, isOn: isOn ?? (value != nil),
                    detail: detail ?? value ?? "", setting: setting))
        }
        add("store", "Store", "STORE", true, store.shown)
        add("issuer", "Issuer of tokens", "ISSUER", true, issuer)
        if needs.contains(.identityProviders) {
            add("apple", "Sign in with Apple", "APPLE_CLIENT_IDS")
            add("google", "Sign in with Google", "GOOGLE_CLIENT_IDS")
            add("openIDConnect", "Sign in with others", "OIDC_PROVIDERS")
        }
        if needs.contains(.passkeys) {
            let isOn = !plan.lacks(.passkeys)
            let id =
                reader.text("PASSKEY_RP_ID")
                ?? PasskeySettings.standardID(issuer: issuer)?.text ?? ""
            add("passkeys", "Passkeys", "PASSKEY_RP_ID", isOn, isOn ? id : "")
        }
        if !needs.isDisjoint(with: [.mail, .notices]) {
            add("mail", "Mail", "MAIL")
        }
        if needs.contains(.links) { add("links", "Links in mails", "LINK_BASE", true) }
        if needs.contains(.adminPassword) {
            let isOn = !plan.lacks(.adminPassword)
            add(
                "administration", "Administration", "ADMIN_PASSWORD_HASH", isOn,
                isOn ? AdminEndpoints.loginPath : "")
        }
        if needs.contains(.storage) { add("storage", "Storage credentials", "STORAGE_BUCKET") }
        if endpoints.contains(where: { $0.operation == .housekeeping }) {
            let seconds = reader.text("SERVER_HOUSEKEEPING_SECONDS") ?? "60"
            let isOn = seconds != "0"
            add(
                "housekeeping", "Housekeeping", "SERVER_HOUSEKEEPING_SECONDS", isOn,
                isOn ? "every \(seconds) s" : "")
        }
        add("breachedPasswords", "Breached passwords", "BREACHED_PASSWORDS_URL")
        add("trustedProxies", "Trusted proxies", "TRUSTED_HOPS")
        add("metrics", "Metrics", "METRICS_LISTEN")
        self.lines = lines
        self.issuer = issuer
    }

    /// Writes a table to a terminal, otherwise one log line. A generated password is never written
    /// as a log line, so that log processors do not collect it.
    func write(to log: Log, isTerminal: Bool, say: (String) -> Void) {
        if isTerminal {
            say(table)
        } else {
            log.info(.features, lines.map { ($0.name, .failureDetail($0.state)) })
        }
        if let firstAdministratorLink {
            say(
                """
                Create the first administrator (once, within 24 hours):
                \(firstAdministratorLink)

                """)
        }
        if let adminPassword {
            say(
                """
                The administrator's password is \(adminPassword)
                It is shown only now: this server keeps its hash, beside the database. It opens
                \(issuer)\(AdminEndpoints.loginPath)

                """)
        }
    }

    private var table: String {
        let titleWidth = lines.map(\.title.utf8.count).max() ?? 0
        let detailWidth = lines.map { min($0.detail.utf8.count, Self.detailWidthMax) }.max() ?? 0
        var text = ""
        for line in lines {
            text += line.isOn ? "  on   " : "  off  "
            text += Self.padded(line.title, titleWidth) + "  "
            text += Self.padded(line.detail, detailWidth) + "  \(line.setting)\n"
        }
        return text
    }

    private static let detailWidthMax = 40

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}

extension ServerAnnouncement.Line {
    fileprivate var state: String {
        guard isOn else { return "off, set \(setting)" }
        return detail.isEmpty ? "on" : "on: \(detail)"
    }
}

extension StoreSettings {
    /// Without the details of a URL, which may include a password.
    fileprivate var shown: String {
        if case .sqlite(let path) = self { "sqlite:\(path)" } else { name }
    }
}

extension LogEvent {
    static let features = LogEvent("features")
}
