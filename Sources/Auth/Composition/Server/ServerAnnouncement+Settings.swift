internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import WebAuthn

// The parts of the start report that concern a server's settings.
extension ServerAnnouncement {
    /// - Parameter endpoints: the endpoints of the contract, without omitted ones.
    init(
        _ contract: Contract, _ policy: Policy, _ endpoints: [Endpoint], _ store: StoreSettings,
        _ plan: ServerPlan, issuer: String, _ reader: SettingsReader
    ) {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        self.issuer = base
        let isStandard = contract.name.isSame(as: Contract.latchkey.name)
        title =
            "Latchkey \(LatchkeyFunction.version) at \(base) (ISSUER)"
            + (isStandard ? "" : ", contract \(contract.name) (CONTRACT)")
        pages =
            Self.pages(policy, endpoints, plan, base) + Self.otherPort(plan, issuer: issuer)
            + Self.network(plan, issuer: issuer)
        files = Self.files(endpoints, store, plan, reader)
        var list = FeatureList(reader, contract.policy)
        list.addSignIn(policy, endpoints, plan, issuer: issuer)
        list.addMail(endpoints)
        list.addOperation(endpoints, store, plan, issuer: issuer)
        features = list.lines
        unservedPath = Self.unservedPath(of: issuer, reader)
        undeliveredMails =
            endpoints.need([.mail, .notices])
            ? UndeliveredMails.problem(
                issuer: issuer, mail: reader.text("MAIL_URL"), hooks: reader.text("HOOKS")) : nil
        otherMachines = Self.otherMachines(plan, issuer: issuer)
        idleOAuthSettings = IdleOAuthSettings(
            isOn: policy.oauth != nil || contract.policy.oauth == nil,
            isSet: { reader.text($0) != nil })
        unlistedOrigins = UnlistedOrigins(
            of: policy.pages?.returns ?? [], listed: contract.rules.allowedOrigins, issuer: issuer)
    }

    private static func pages(
        _ policy: Policy, _ endpoints: [Endpoint], _ plan: ServerPlan, _ base: String
    ) -> [Place] {
        func page(_ title: String, _ path: String) -> Place? {
            guard endpoints.contains(where: { $0.route?.path.isSame(as: path) ?? false }) else {
                return nil
            }
            return Place(title: title, address: base + path, setting: nil)
        }
        var pages: [Place?] = []
        if policy.pages != nil {
            pages += [
                page("Sign in", ContractPages.signIn), page("Account", ContractPages.account),
            ]
        }
        if !plan.lacks(.adminPassword) {
            pages.append(
                page("Administration", ContractPages.administration)
                    ?? page("Administration", AdminEndpoints.loginPath))
        }
        let health = Place(title: "Health", address: base + "/_/ready", setting: nil)
        return pages.compactMap(\.self) + [health]
    }

    /// If the issuer is on this machine, it is nearly always this server, so another port is
    /// probably a mistake.
    private static func otherPort(_ plan: ServerPlan, issuer: String) -> [Place] {
        guard issuer.hasPrefix("http://"), let port = plan.port else { return [] }
        let named = Authority(of: issuer).port.flatMap { UInt16($0) }
        guard let named, named != port else { return [] }
        let text = "this server listens at port \(port), and ISSUER names port \(named)"
        return [Place(title: "Look here", address: text, setting: "ISSUER")]
    }

    /// If the issuer has a path, its links open only with `BASE_PATH`, or with a proxy that removes
    /// the path.
    private static func unservedPath(of issuer: String, _ reader: SettingsReader) -> String? {
        // The scheme and the host are the first two parts.
        let path = issuer.split(separator: "/").dropFirst(2).joined(separator: "/")
        guard !path.isEmpty, reader.environment["BASE_PATH"] == nil else { return nil }
        return "ISSUER has a path that this server does not serve: unless a proxy removes it, set "
            + "BASE_PATH=/\(path)"
    }

    /// Only an issuer with plain HTTP gets this address. Other issuers need a proxy, and this
    /// process does not know the address of the proxy.
    private static func network(_ plan: ServerPlan, issuer: String) -> [Place] {
        guard issuer.hasPrefix("http://"), !Authority(of: issuer).isLoopback,
            let first = plan.networkAddresses.first
        else { return [] }
        let more = plan.networkAddresses.count - 1
        let others = more > 0 ? " and \(more) more" : ""
        return [
            Place(title: "Network", address: "\(first)\(others) (not encrypted)", setting: nil)
        ]
    }

    private static func otherMachines(_ plan: ServerPlan, issuer: String) -> String? {
        let authority = Authority(of: issuer)
        guard authority.isLoopback, let address = plan.networkAddresses.first else { return nil }
        return "From other machines: \(address) (not encrypted).\n"
            + "Links in mails lead to \(authority.name): set ISSUER"
    }

    private static func files(
        _ endpoints: [Endpoint], _ store: StoreSettings, _ plan: ServerPlan,
        _ reader: SettingsReader
    ) -> [Place] {
        guard case .sqlite(let path) = store else { return [] }
        var files = [Place(title: "Data", address: FilePath.absolute(path), setting: "STORE")]
        func add(_ title: String, _ path: String, _ setting: StaticString) {
            files.append(
                Place(title: title, address: FilePath.absolute(path), setting: setting))
        }
        if reader.text("MASTER_KEY") == nil { add("Master key", path + ".key", "MASTER_KEY") }
        if let file = plan.adminPasswordFile, endpoints.need(.adminPassword) {
            add("Administrator", file, "ADMIN_PASSWORD_HASH")
        }
        if let folder = reader.text("MAIL_URL")?.dropping("folder:"), endpoints.need(.mail) {
            add("Mail", folder, "MAIL_URL")
        }
        return files
    }
}

/// Collects the features of a server.
private struct FeatureList {
    let reader: SettingsReader
    /// The contract's policy, before settings.
    let standard: Policy
    var lines: [ServerAnnouncement.Line] = []

    init(_ reader: SettingsReader, _ standard: Policy) {
        self.reader = reader
        self.standard = standard
    }

    private mutating func add(
        _ name: StaticString, _ title: String, _ setting: StaticString,
        _ isOn: Bool? = nil, _ detail: String? = nil
    ) {
        let value = reader.text(setting.description)
        let isOn = isOn ?? (value != nil)
        lines.append(
            ServerAnnouncement.Line(
                name: name, title: title, isOn: isOn, detail: isOn ? detail ?? value ?? "" : "",
                setting: setting))
    }

    mutating func addSignIn(
        _ policy: Policy, _ endpoints: [Endpoint], _ plan: ServerPlan, issuer: String
    ) {
        if endpoints.need(.identityProviders) {
            let (apple, google) = (clientIDs("APPLE"), clientIDs("GOOGLE"))
            add("apple", "Apple", "APPLE_CLIENT_IDS", !apple.isEmpty, apple)
            add("google", "Google", "GOOGLE_CLIENT_IDS", !google.isEmpty, google)
            add("openIDConnect", "other providers", "OIDC_PROVIDERS")
        }
        if endpoints.need(.passkeys) {
            let id =
                reader.text("PASSKEY_RP_ID")
                ?? PasskeySettings.standardID(issuer: issuer)?.text ?? ""
            let (listed, own) = (reader.list("PASSKEY_ORIGINS"), PasskeySettings.local(issuer))
            var lack = ""
            if Authority(of: issuer).isAddress {
                lack = ", not on pages of an IP address"
            } else if policy.pages != nil, !listed.isEmpty, !listed.contains(own) {
                lack = ", not on these pages: \(own) is not in PASSKEY_ORIGINS"
            }
            add("passkeys", "passkeys", "PASSKEY_RP_ID", !plan.lacks(.passkeys), id + lack)
        }
        if !policy.accounts.isOpen { add("registration", "registration", "SIGN_UP", false) }
        if standard.pages != nil {
            add("pages", "pages", "UI", policy.pages != nil, path("/auth/ui"))
        }
        if standard.oauth != nil {
            add("otherApps", "other apps", "OAUTH", policy.oauth != nil, path("/oauth"))
        }
        if standard.revocations != nil {
            add(
                "revocations", "list of revocations", "REVOCATIONS", policy.revocations != nil,
                path("/oauth/revocations"))
        }
        if standard.guests != nil {
            let detail = policy.guests?.allowsStorage == false ? "without storage" : ""
            let isOn = policy.guests != nil && policy.accounts.isOpen
            add("guests", "guests", "GUESTS", isOn, detail)
        }
        if let proofs = policy.proofs {
            add("proofs", "DPoP", "DPOP", proofs.mode != .off, proofs.mode.rawValue)
        }
    }

    /// The path at this server.
    private func path(_ path: String) -> String {
        (reader.environment["BASE_PATH"] ?? "") + path
    }

    private func clientIDs(_ prefix: String) -> String {
        reader.text("\(prefix)_CLIENT_IDS")
            ?? ProviderSettings.clientIDs(prefix, reader).joined(separator: ",")
    }

    mutating func addMail(_ endpoints: [Endpoint]) {
        if endpoints.need([.mail, .notices]) { add("mail", "mail", "MAIL_URL") }
        if endpoints.need(.links) { add("links", "links in mails", "LINK_BASE", true) }
    }

    /// - Parameter store: shown without the details of a URL, which may include a password.
    mutating func addOperation(
        _ endpoints: [Endpoint], _ store: StoreSettings, _ plan: ServerPlan, issuer: String
    ) {
        var shown = store.name
        if case .sqlite(let path) = store { shown = "sqlite:\(path)" }
        add("store", "store", "STORE", true, shown)
        add("issuer", "issuer of tokens", "ISSUER", true, issuer)
        if endpoints.need(.adminPassword) {
            add(
                "administration", "administration", "ADMIN_PASSWORD_HASH",
                !plan.lacks(.adminPassword), path(AdminEndpoints.loginPath))
        }
        if endpoints.contains(where: { $0.operation == .housekeeping }) {
            let seconds = reader.text("SERVER_HOUSEKEEPING_SECONDS") ?? "60"
            add(
                "housekeeping", "housekeeping", "SERVER_HOUSEKEEPING_SECONDS", seconds != "0",
                "every \(seconds) s")
        }
        add("origins", "web apps", "ALLOWED_ORIGINS")
        if standard.asksHooks {
            // A target may hold a secret.
            let hooks = HookSetting.parse(reader.text("HOOKS") ?? "").hooks.map(\.kind.rawValue)
            add("hooks", "hooks", "HOOKS", !hooks.isEmpty, hooks.joined(separator: ","))
        }
        if endpoints.need(.webhooks) {
            let count = reader.list("WEBHOOKS").count
            add("webhooks", "webhooks", "WEBHOOKS", count > 0, "\(count)")
        }
        if endpoints.need(.storage) { add("storage", "storage credentials", "STORAGE_BUCKET") }
        add("breachedPasswords", "breached passwords", "BREACHED_PASSWORDS_URL")
        add("trustedProxies", "trusted proxies", "TRUSTED_HOPS")
        add("metrics", "metrics", "METRICS_LISTEN")
    }
}

extension [Endpoint] {
    /// Whether an endpoint needs one of the services.
    fileprivate func need(_ needs: ServiceNeeds) -> Bool {
        contains { !$0.needs.isDisjoint(with: needs) }
    }
}
