internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import FunctionRuntime
internal import JOSE
internal import Time

/// All settings of the served endpoints, before anything is opened or created.
struct ServiceSettings {
    let contract: Contract
    let policy: Policy
    let endpoints: [Endpoint]
    let issuer: String
    let trustedHops: Int
    let tracesProviders: Bool
    /// How often a server runs the housekeeping; nil if the operator has not chosen it.
    let housekeepingInterval: Span?
    let store: StoreSettings
    let keys: KeyMaterial
    /// The services that some of the endpoints need.
    let parts: [any ServicePart]
    let adminPassword: AdminSettings.Source?
    /// Warnings about working but unsafe configurations.
    let warnings: [LogEvent]
    let announcement: ServerAnnouncement?
    let isServer: Bool
    /// Defaults of this contract and this kind of start.
    let standards: [String: String]
}

extension ServiceSettings {
    /// Each part reads its settings only if an endpoint needs it.
    init(
        _ reader: inout SettingsReader, _ aws: AWSParts, _ purpose: StartPurpose,
        serving chosen: (Contract, inout SettingsReader) -> [Endpoint],
        needing needed: (SettingsReader) -> ServiceNeeds
    ) {
        var contract = Self.contract(&reader)
        Self.prepare(&reader, contract)
        let store = StoreSettings.read(&reader)
        let plan = ServerPlan(purpose, contract, store, reader)
        reader.defaults.merge(plan.defaults) { own, _ in own }
        let wanted = chosen(contract, &reader)
        let endpoints = plan.served(wanted)
        let needs = endpoints.reduce(into: needed(reader)) { $0.formUnion($1.needs) }
        let isServer = if case .server = purpose { true } else { false }
        var warnings: [LogEvent] = []
        let issuer = IssuerSettings.read(&reader, store)
        Self.readRules(of: &contract, &reader, issuer, endpoints, isServer: isServer, &warnings)
        let policy = PolicySettings.read(&reader, contract, needs, issuer, &warnings)
        let seconds = reader.integer("SERVER_HOUSEKEEPING_SECONDS", 0...3600) ?? 0
        let hops = reader.integer("TRUSTED_HOPS", 0...ClientAddress.hopsMax) ?? 0
        // With a proxy in front, the proxy decides which hosts are served.
        if hops > 0 { contract.rules.pageHosts = nil }
        let algorithm = Algorithm(policy.accessTokens.algorithm)
        let signingKeys = KeySettings.read(&reader, algorithm: algorithm)
        let providers = ProviderSettings.read(
            &reader, for: needs, ageMax: policy.identity.tokenAgeMax, &warnings)
        let storage = StorageSettings.read(&reader, for: needs, algorithm)
        let passkeys = PasskeySettings.read(&reader, for: needs, issuer: issuer)
        let hooks = contract.policy.asksHooks ? HookSettings.read(&reader) : nil
        let mail = MailSettings.read(&reader, for: needs, hooks)
        let adminPassword = AdminSettings.read(
            &reader, for: needs, policy.admin, file: plan.adminPasswordFile, &warnings)
        let usesAWS =
            store.isInAWS || needs.contains(.storage) || storage != nil
            || mail?.transport == .ses || hooks?.needsAWS == true
        if usesAWS { aws.check(&reader) }
        let keys = KeyMaterial.read(
            &reader, for: endpoints, needs, store, algorithm, signingKeys,
            signsForStorage: storage?.mode == .webIdentity, sealsMail: mail != nil)

        // Mail and erasure use hooks.
        let parts: [(any ServicePart)?] = [
            hooks, PasswordSettings.read(&reader, policy), passkeys, mail,
            WebhookSettings.read(&reader, contract, needs),
            OAuthSettings.read(&reader, policy, needs, issuer: issuer),
            needs.isDisjoint(with: [.identityProviders, .identityProvidersIfAny])
                ? nil : providers,
            needs.contains(.storage) ? storage : nil,
            needs.isDisjoint(with: [.erasure, .moving])
                ? nil : ErasureSettings(storage: storage, providers: providers),
        ]
        self.init(
            contract: contract, policy: policy, endpoints: endpoints, issuer: issuer,
            trustedHops: Int(hops),
            tracesProviders: reader.choice("TRACE_PROVIDERS", BooleanSetting.self) == .yes,
            housekeepingInterval: seconds == 0 ? nil : .seconds(seconds), store: store, keys: keys,
            parts: parts.compactMap(\.self), adminPassword: adminPassword, warnings: warnings,
            announcement: plan.announcement(of: contract, policy, wanted, issuer: issuer, reader),
            isServer: isServer, standards: reader.defaults)
    }

    private static func prepare(_ reader: inout SettingsReader, _ contract: Contract) {
        reader.names = contract.settingNames
        reader.defaults = contract.settingDefaults
        MailSettings.acceptFormerName(&reader)
        SettingNames.refuseMisspelt(&reader)
    }

    private static func readRules(
        of contract: inout Contract, _ reader: inout SettingsReader, _ issuer: String,
        _ endpoints: [Endpoint], isServer: Bool, _ warnings: inout [LogEvent]
    ) {
        if contract.rules.requiresHTTPS, reader.choice("DEBUG", BooleanSetting.self) == .yes {
            contract.rules.requiresHTTPS = false
            warnings.append(.httpsNotRequired)
        }
        contract.rules.allowedOrigins = OriginSettings.read(&reader)
        // A function that serves the whole contract gets the same paths as a server.
        if isServer || Set(endpoints.map(\.operation.function)).count > 1 {
            contract.unrouted = Contract.unroutedPages
        }
        guard isServer else { return }
        let bases = [issuer] + [reader.text("LINK_BASE")].compactMap(\.self)
        contract.rules.pageHosts = PageHosts(bases)
    }

    static func contract(_ reader: inout SettingsReader) -> Contract {
        guard let name = reader.text("CONTRACT") else { return .latchkey }
        if let contract = Contract.named(name) { return contract }
        let names = Contract.names.joined(separator: ", ")
        reader.refuse("CONTRACT must be one of \(names)")
        return .latchkey
    }
}
