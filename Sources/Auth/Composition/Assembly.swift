internal import AWSClients
internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
package import Cryptography
package import FunctionRuntime
package import HTTP
internal import HTTPClient
internal import IdentityProviders
internal import JOSE
internal import KeyValueStore
package import Time

/// The composition root: builds the services that an executable needs from its environment, with
/// the real clock, randomness, network and disk.
package struct Assembly {
    let environment: Environment
    let clock: WallClock
    let random: RandomSource
    let transport: HTTPTransport
    let sleep: @Sendable (Span) -> Void
    /// The folder of the files that processes of one user share (`HashingSlots`).
    let sharedFolder: String
    /// nil unless they can be read (`METRICS_LISTEN`).
    let metrics: ProcessMetrics?
    /// Where the settings are only to be read, for `--help`: nothing is fetched, opened or created.
    var description: SettingsDescription?
    /// Of the process; only a server of a whole contract asks (`ServerPlan`).
    package var purpose = StartPurpose.function

    package init(
        environment: Environment, clock: WallClock, random: RandomSource,
        transport: HTTPTransport, sleep: @escaping @Sendable (Span) -> Void,
        sharedFolder: String
    ) {
        self.environment = environment
        self.clock = clock
        self.random = random
        self.transport = transport
        self.sleep = sleep
        self.sharedFolder = sharedFolder
        metrics = environment["METRICS_LISTEN"].map { _ in ProcessMetrics() }
    }

    struct Built {
        let contract: Contract
        let endpoints: [Endpoint]
        let auth: AuthServices
        let address: ClientAddress
        /// As metrics call it.
        let storeName: String
        let metrics: ProcessMetrics?
        /// Warnings about working but unsafe configurations, for the log.
        let warnings: [LogEvent]
        /// nil unless a server is built.
        let announcement: ServerAnnouncement?
    }

    func requests(
        _ reports: AssemblyReports, tracesProviders: Bool = false
    ) -> OutgoingRequests {
        OutgoingRequests(
            transport, metrics: metrics, tracesProviders: tracesProviders,
            report: reports.requests)
    }

    /// The parsed settings, before anything is opened or created.
    private struct Settings {
        let contract: Contract
        let policy: Policy
        let endpoints: [Endpoint]
        let store: StoreSettings
        let issuer: String
        let trustedHops: Int
        let signingKeys: SigningKeys?
        let providers: ProviderSettings?
        let storage: StorageSettings?
        let mail: MailSettings?
        let adminPassword: AdminSettings.Source?
        let verifiesIdentities: Bool
        let issuesCredentials: Bool
        let erases: Bool
        let hashesMax: Int64
        let breachedPasswords: ProviderURL?
        let masterKey: MasterKeySettings.Source?
        let previousKeys: [MasterKey]
        let keyRotation: Span
        let auditKey: SecretBytes?
        let tracesProviders: Bool
        let warnings: [LogEvent]
        let announcement: ServerAnnouncement?
    }

    /// - Parameters:
    ///   - chosen: from the contract, what is served; empty for a function that only verifies.
    ///   - purpose: what the process is started for, where it serves a whole contract.
    ///   - read: reads further settings, so that a new deployment is told every problem at once.
    func build(
        serving chosen: (Contract, inout SettingsReader) -> [Endpoint],
        for purpose: StartPurpose = .function,
        reading read: (inout SettingsReader) -> Void = { _ in },
        reporting reports: AssemblyReports = AssemblyReports()
    ) throws(StartFailure) -> Built {
        let reports = metrics.map { reports.counting($0) } ?? reports
        let aws = AWSParts(self, requests(reports))
        var reader = SettingsReader(
            environment, secrets: description == nil ? aws.secretSource : .unfetched)
        let settings = self.settings(&reader, aws, purpose, chosen)
        read(&reader)
        if let description {
            description.take(reader)
            throw StartFailure(problems: [])
        }
        // Keys and files last: an invalid setting must not create files.
        guard reader.problems.isEmpty else { throw StartFailure(problems: reader.problems) }
        var announcement = settings.announcement
        let auth = try services(settings, aws, reports, &announcement)
        return Built(
            contract: settings.contract, endpoints: settings.endpoints, auth: auth,
            address: ClientAddress(trustedHops: settings.trustedHops),
            storeName: settings.store.name, metrics: metrics, warnings: settings.warnings,
            announcement: announcement)
    }

    // MARK: Settings

    private func settings(
        _ reader: inout SettingsReader, _ aws: AWSParts, _ purpose: StartPurpose,
        _ chosen: (Contract, inout SettingsReader) -> [Endpoint]
    ) -> Settings {
        var contract = contract(&reader)
        reader.names = contract.settingNames
        reader.defaults = contract.settingDefaults
        let store = StoreSettings.read(&reader)
        let plan = ServerPlan(purpose, contract, store, reader)
        reader.defaults.merge(plan.defaults) { own, _ in own }
        let wanted = chosen(contract, &reader)
        let endpoints = plan.served(wanted)
        let needs = endpoints.reduce(into: Set<ServiceNeed>()) { $0.formUnion($1.needs) }

        var warnings: [LogEvent] = []
        if contract.rules.requiresHTTPS, reader.choice("DEBUG", Answer.self) == .yes {
            contract.rules.requiresHTTPS = false
            warnings.append(.httpsNotRequired)
        }
        contract.rules.allowedOrigins = OriginSettings.read(&reader)
        let issuer = IssuerSettings.read(&reader, store)
        let policy = policy(&reader, contract, needs, issuer, &warnings)
        let algorithm = Algorithm(policy.accessTokens.algorithm)
        let hops = reader.integer("TRUSTED_HOPS", 0...ClientAddress.hopsMax) ?? 0
        let signingKeys = KeySettings.read(&reader, algorithm: algorithm)

        var providers: ProviderSettings?
        if !needs.isDisjoint(with: [.identityProviders, .erasure]) {
            let read = ProviderSettings.read(&reader, ageMax: policy.identity.tokenAgeMax)
            if needs.contains(.identityProviders), read.providers.isEmpty {
                warnings.append(.noProviderConfigured)
            }
            providers = read
        }
        var storage: StorageSettings?
        if !needs.isDisjoint(with: [.storage, .erasure]) {
            storage = StorageSettings.read(&reader)
            if storage == nil, needs.contains(.storage), reader.text("STORAGE_BUCKET") == nil {
                reader.refuse("STORAGE_BUCKET is required")
            }
            if storage?.mode == .webIdentity, ![.es256, .rs256].contains(algorithm) {
                reader.refuse(
                    "STORAGE_CREDENTIALS=web-identity needs a contract with public keys that STS "
                        + "knows, of ES256 or RS256")
            }
        }
        let sendsMail =
            needs.contains(.mail) || (needs.contains(.notices) && reader.text("MAIL") != nil)
        let mail = sendsMail ? MailSettings.read(&reader) : nil
        let adminPassword =
            needs.contains(.adminPassword)
            ? AdminSettings.read(
                &reader, policy.admin, file: plan.adminPasswordFile, &warnings) : nil
        if store.isInAWS || needs.contains(.storage) || storage != nil || mail?.transport == .ses {
            aws.check(&reader)
        }

        // Without it a function can verify access tokens with the public keys in the store. An
        // embedded store has its key file beside it, which is always created before the database.
        var needsMasterKey =
            needs.contains(.sessions) || sendsMail || needs.contains(.auditKeys)
            || storage?.mode == .webIdentity
            || store.sharedName == nil || (algorithm == .hs256 && signingKeys == nil)
        // The audit log has a key of its own for functions that need no other.
        let audits = endpoints.contains { $0.operation.isAudited }
        let auditKey =
            audits || needs.contains(.auditKeys) ? AuditSettings.read(&reader) : nil
        if audits, auditKey == nil, reader.text("AUDIT_KEY") == nil, !needsMasterKey {
            if reader.text("MASTER_KEY") == nil {
                reader.refuse("AUDIT_KEY is required, or MASTER_KEY")
            } else {
                needsMasterKey = true
            }
        }
        return Settings(
            contract: contract, policy: policy, endpoints: endpoints, store: store,
            issuer: issuer, trustedHops: Int(hops), signingKeys: signingKeys,
            providers: providers, storage: storage, mail: mail, adminPassword: adminPassword,
            verifiesIdentities: needs.contains(.identityProviders),
            issuesCredentials: needs.contains(.storage), erases: needs.contains(.erasure),
            hashesMax: reader.integer("PASSWORD_HASHES_MAX", HashingSlots.counts)
                ?? HashingSlots.countDefault,
            breachedPasswords: policy.passwords == nil
                ? nil : BreachedPasswordSettings.read(&reader),
            masterKey: needsMasterKey ? MasterKeySettings.read(&reader, store: store) : nil,
            previousKeys: needsMasterKey ? MasterKeySettings.previous(&reader) : [],
            keyRotation: KeySettings.rotation(&reader),
            auditKey: auditKey,
            tracesProviders: reader.choice("TRACE_PROVIDERS", Answer.self) == .yes,
            warnings: warnings,
            announcement: plan.announcement(of: wanted, issuer: issuer, reader))
    }

    private func contract(_ reader: inout SettingsReader) -> Contract {
        guard let name = reader.text("CONTRACT") else { return .latchkey }
        if let contract = Contract.named(name) { return contract }
        let names = Contract.names.joined(separator: ", ")
        reader.refuse("CONTRACT must be one of \(names)")
        return .latchkey
    }

    private func policy(
        _ reader: inout SettingsReader, _ contract: Contract, _ needs: Set<ServiceNeed>,
        _ issuer: String, _ warnings: inout [LogEvent]
    ) -> Policy {
        var policy = contract.policy
        if let audience = reader.text("TOKEN_AUDIENCE") { policy.accessTokens.audience = audience }
        policy.accessTokens.algorithm = KeySettings.algorithm(&reader, policy.accessTokens)
        if let minutes = reader.integer("ACCESS_TOKEN_EXPIRE_MINUTES", 1...1440) {
            policy.accessTokens.lifetime = .minutes(minutes)
        }
        if let days = reader.integer("REFRESH_TOKEN_EXPIRE_DAYS", 1...365) {
            // Where both are the same, using a token does not prolong it.
            if policy.sessions.absoluteLifetime == policy.sessions.idleLifetime {
                policy.sessions.absoluteLifetime = .days(days)
            }
            policy.sessions.idleLifetime = .days(days)
        }
        if let seconds = reader.integer("REFRESH_GRACE_SECONDS", 0...300),
            case .everyUse = policy.sessions.rotation
        {
            policy.sessions.rotation = .everyUse(grace: .seconds(seconds))
        }
        if let answer = reader.choice("REQUIRE_NONCE", Answer.self), policy.identity.nonce != .none
        {
            policy.identity.requiresNonce = answer == .yes
        }
        if let answer = reader.choice("AUDIT_REFRESHES", Answer.self) {
            policy.audit.recordsRefreshes = answer == .yes
        }
        if needs.contains(.links) { policy.links = LinkSettings.read(&reader, policy.links) }
        policy.proofs = ProofSettings.read(&reader, policy.proofs)
        policy.secondFactors?.issuerName =
            reader.text("APP_NAME") ?? issuer.split(separator: "/").dropFirst().first.map(
                String.init)
            ?? issuer
        policy.limits = RateLimitSettings.read(&reader, contract)
        if RateLimitSettings.areOff(policy.limits),
            !RateLimitSettings.areOff(contract.policy.limits)
        {
            warnings.append(.rateLimitsOff)
        }
        return policy
    }

    private enum Answer: String, CaseIterable {
        case yes = "true"
        case no = "false"
    }

    // MARK: Services

    private func services(
        _ settings: Settings, _ aws: AWSParts, _ reports: AssemblyReports,
        _ announcement: inout ServerAnnouncement?
    ) throws(StartFailure) -> AuthServices {
        var optional = AuthServices.Optional()
        optional.reportHousekeeping = reports.housekeeping
        optional.pause = sleep
        let requests = requests(reports, tracesProviders: settings.tracesProviders)
        optional.breachedPasswords = settings.breachedPasswords.map { url in
            let service = BreachedPasswordService(
                url, transport: requests.transport(for: .breachedPasswords))
            return BreachedPasswords(
                { password throws(BreachLookupFailure) in try service.contains(password) },
                report: reports.breachLookup)
        }
        optional.hashingLimit =
            HashingSlots(
                folder: sharedFolder, count: Int(settings.hashesMax), sleep: sleep
            ).limit
        optional.auditKeys = AuditSettings.keys(nil, settings.auditKey)
        var sealing: AESGCMKey?
        if let source = settings.masterKey {
            var master = try MasterKeySettings.resolve(source, random: random)
            master.previous = settings.previousKeys
            guard let signingKeySealing = try? master.sealing({ $0.signingKeys }),
                let mailSealing = try? master.sealing({ $0.mail }),
                let secrets = try? AuthServices.Secrets(
                    master, settings.policy.sessions.refreshTokens,
                    signingKey: settings.policy.accessTokens.algorithm == .hs256
                        ? settings.signingKeys?.configuredKey : nil, random: random)
            else { throw StartFailure(problems: ["MASTER_KEY cannot be used"]) }
            sealing = signingKeySealing
            optional.auditKeys = AuditSettings.keys(master, settings.auditKey)
            optional.secrets = secrets
            optional.mail = settings.mail.map { mail in
                MailServices(
                    sealing: mailSealing, sender: sender(mail, aws, reports),
                    delivery: mail.delivery,
                    report: reports.mail)
            }
        }
        let store = observed(
            try open(settings.store, aws), settings.store.name, reports)
        let signingKeys =
            settings.signingKeys
            ?? SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: random,
                    algorithm: Algorithm(settings.policy.accessTokens.algorithm),
                    sealing: sealing, rotationAge: settings.keyRotation))
        let providerTransport = requests.transport(for: .identityProvider)
        let keySets = KeySetCache(
            store: store, transport: providerTransport, clock: clock, sleep: sleep,
            report: reports.keys)
        if let providers = settings.providers, settings.verifiesIdentities {
            optional.identityProviders = providers.gateway(
                keySets, transport: providerTransport)
        }
        if let storage = settings.storage, settings.issuesCredentials {
            let broker = aws.broker(storage, keys: signingKeys, issuer: settings.issuer)
            optional.storage = broker.map { StorageServices(place: storage.place, broker: $0) }
        }
        if settings.erases {
            optional.erasure = erasure(
                settings, aws, signingKeys,
                revoke: settings.providers?.revocation(keySets, transport: providerTransport)
                    ?? [:], reports.erasure)
        }
        // Last: a password is shown once, so nothing may fail after it is made.
        switch settings.adminPassword {
        case .given(let password): optional.adminPassword = password
        case .file(let path):
            let file = try AdminPasswordFile(path, random: random)
            optional.adminPassword = file.password
            announcement?.adminPassword = file.made
        case nil: break
        }
        return AuthServices(
            store: store, clock: clock, random: random, policy: settings.policy,
            issuer: settings.issuer, signingKeys: signingKeys, optional)
    }

    private func erasure(
        _ settings: Settings, _ aws: AWSParts, _ keys: SigningKeys,
        revoke: [String: ErasureServices.Revoke], _ report: @escaping ErasureServices.Report
    ) -> ErasureServices {
        var eraseObjects: ErasureServices.EraseObjects?
        if let storage = settings.storage {
            let erasure = aws.erasure(storage, keys: keys, issuer: settings.issuer)
            eraseObjects = { user, end throws(ErasureFailure) in
                guard let erasure else { throw .refused }
                return try erasure.erase(user, until: end)
            }
        }
        return ErasureServices(eraseObjects: eraseObjects, revoke: revoke, report: report)
    }

    private func sender(
        _ settings: MailSettings, _ aws: AWSParts, _ reports: AssemblyReports
    ) -> MailSender {
        let environment = environment
        return MailSender(
            settings, ses: settings.transport == .ses ? aws.ses : nil,
            trust: CertificateTrust(variable: { environment[$0] }), clock: clock,
            report: reports.requests, written: reports.writtenMail)
    }
}
