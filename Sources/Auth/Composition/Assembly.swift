internal import AuthOperations
internal import Contracts
package import Cryptography
package import FunctionRuntime
package import HTTP
internal import IdentityProviders
package import Time

/// The composition root: builds the services that an executable needs from its environment, with
/// the real clock, randomness, network and disk.
package struct Assembly {
    var environment: Environment
    package let clock: WallClock
    package let random: RandomSource
    package let transport: HTTPTransport
    package let sleep: @Sendable (Span) -> Void
    /// The folder of the lock files that a user's processes share (`HashingSlots`).
    let sharedFolder: String
    /// nil unless metrics are served (`METRICS_LISTEN`).
    let metrics: ProcessMetrics?
    /// Set if the settings are only checked, for `--help`: nothing is fetched, opened or created.
    var description: SettingsDescription?
    /// The helper that runs hooks that are executables; nil if there is none.
    var programs: ProgramHelper?
    /// The purpose of the process. Only a server of a whole contract uses it (`ServerPlan`).
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
        /// The store's name in metrics.
        let storeName: String
        let metrics: ProcessMetrics?
        /// Warnings about working but unsafe configurations, for the log.
        let warnings: [LogEvent]
        /// nil unless a server is built.
        let announcement: ServerAnnouncement?
        let masterKey = MasterKeyConfirmation()
    }

    func requests(
        _ reports: AssemblyReports, tracesProviders: Bool = false
    ) -> OutgoingRequests {
        OutgoingRequests(
            transport, metrics: metrics, tracesProviders: tracesProviders,
            report: reports.requests)
    }

    /// - Parameters:
    ///   - chosen: selects the endpoints to serve; none for a function that only verifies.
    ///   - needed: services that are needed in addition to the endpoints' services.
    ///   - purpose: the purpose of the process, if it serves a whole contract.
    ///   - read: reads further settings, so that all problems of a new deployment are reported at
    ///     once.
    func build(
        serving chosen: (Contract, inout SettingsReader) -> [Endpoint],
        needing needed: (SettingsReader) -> ServiceNeeds = { _ in [] },
        for purpose: StartPurpose = .function,
        reading read: (inout SettingsReader) -> Void = { _ in },
        reporting reports: AssemblyReports = AssemblyReports()
    ) throws(StartFailure) -> Built {
        let reports = metrics.map { reports.counting($0) } ?? reports
        let aws = AWSParts(self, requests(reports))
        var reader = SettingsReader(
            environment, secrets: description == nil ? aws.secretSource : .unfetched)
        let settings = ServiceSettings(
            &reader, aws, purpose, serving: chosen, needing: needed)
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

    private func services(
        _ settings: ServiceSettings, _ aws: AWSParts, _ reports: AssemblyReports,
        _ announcement: inout ServerAnnouncement?
    ) throws(StartFailure) -> AuthServices {
        var optional = OptionalServices()
        optional.reportHousekeeping = reports.housekeeping
        optional.pause = sleep
        optional.housekeepingInterval = settings.housekeepingInterval
        if settings.isServer { optional.activity = Activity(random: random) }
        optional.findSetting = shownSettings(
            names: settings.contract.settingNames, defaults: settings.standards)
        optional.settingsFiles = SettingsFiles(
            named: StartSettings.filesForCommands,
            standard: StartSettings.hasReadStandardFile ? StartSettings.standardFile : nil)
        let keys = try settings.keys.derived(for: settings.policy, random: random)
        optional.secrets = keys.secrets
        optional.auditKeys = keys.audit
        let store = observed(try open(settings.store, aws), settings.store.name, reports)
        let signingKeys = settings.keys.signingKeys(
            store, settings.policy, sealing: keys.signingKeys, random: random)
        let requests = requests(reports, tracesProviders: settings.tracesProviders)
        let providerTransport = requests.transport(for: .identityProvider)
        let context = ServiceContext(
            assembly: self, aws: aws, reports: reports, requests: requests,
            issuer: settings.issuer, signingKeys: signingKeys,
            makeSigningKeys: { [random] algorithm in
                settings.keys.storedKeys(
                    store, algorithm, sealing: keys.signingKeys, random: random)
            }, mailSealing: keys.mail,
            providerTransport: providerTransport,
            keySets: KeySetCache(
                store: store, transport: providerTransport, clock: clock, sleep: sleep,
                report: reports.keys))
        for part in settings.parts { part.install(in: &optional, context) }
        if announcement != nil {
            try MasterKeyConfirmation.check(
                AuthServices(
                    store: store, clock: clock, random: random, policy: settings.policy,
                    issuer: settings.issuer, signingKeys: signingKeys, optional),
                settings.keys.master)
        }
        // This is the last step, because nothing may fail after the password is generated: it is
        // shown only once.
        optional.adminPassword = try settings.adminPassword?.password(
            random: random, &announcement)
        return AuthServices(
            store: store, clock: clock, random: random, policy: settings.policy,
            issuer: settings.issuer, signingKeys: signingKeys, optional)
    }
}
