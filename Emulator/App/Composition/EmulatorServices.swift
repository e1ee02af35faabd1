internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import HTTP
internal import HTTPClient
internal import Synchronization
internal import Time

/// The services of a running emulator: its composition root.
final class EmulatorServices: Sendable {
    let options: ServeOptions
    let addresses: EmulatorAddresses
    let templateFiles: TemplateFiles
    let folder: DataDirectory
    let clock: AdjustableClock
    let random = RandomSource.system
    /// The source of request IDs.
    let identifiers = RandomSource.system.inBlocks()
    let rootKey: SecretBytes
    let revocations: Revocations
    let tables: DynamoDBService
    let objects: ObjectStore
    let secrets: SecretsService
    let mailbox: Mailbox
    let mail: MailService
    let receiver: Receiver
    let identity: IdentityService
    let supervisor: ProcessSupervisor
    let interpreters: Interpreters
    /// The code of interpreted functions; nil with `--no-watch`.
    let codeWatch: FolderWatch?
    let functions: FunctionService
    let interceptor: FaultInterceptor
    let faultAPI: FaultAPI
    private let recordings: InvocationRecorder?
    let invokeAPI: InvokeAPI
    let log: LogBuffer
    let traces: TraceRecorder
    let eventStreams: EventStreams
    let transport: HTTPTransport
    private let current: Mutex<DeployedStack?>
    /// When all state was deleted, by `MonotonicClock`.
    private let resets = Mutex<[UInt64]>([])
    /// Serialises reloads by the watcher, the clock and imports: the template that was read last
    /// must be the one that is served.
    private let loading = Mutex(())

    init(
        _ options: ServeOptions, _ folder: DataDirectory, _ mailbox: Mailbox,
        addresses: EmulatorAddresses, faults: FaultList, traces: TraceRecorder, log: LogBuffer
    ) throws {
        self.options = options
        self.addresses = addresses
        self.log = log
        self.traces = traces
        eventStreams = EventStreams(traces)
        templateFiles = TemplateFiles(options.templates, parameters: options.parameters)
        self.folder = folder
        clock = AdjustableClock()
        rootKey = try folder.rootKey(random)
        let revoked = try folder.document("revocations.json")
        guard
            let revocations = Revocations(
                saved: revoked.saved, save: { (try? revoked.save($0)) != nil })
        else {
            throw CommandFailure(
                "\(revoked.path) is damaged: revoked credentials would be valid again")
        }
        self.revocations = revocations
        tables = try folder.openTables(clock.wall, identifiers)
        objects = try folder.openObjects()
        secrets = try folder.openSecrets(random)
        supervisor = try ProcessSupervisor(ownsStrays: true)
        interpreters = Interpreters(supervisor)
        codeWatch = options.watches ? FolderWatch(ignoring: CodeFolder.isIgnored) : nil
        self.mailbox = mailbox
        mail = MailService(mailbox: mailbox, after: supervisor.after)
        receiver = Receiver(after: supervisor.after)
        transport =
            CurlTransport(trust: CertificateTrust { EnvironmentVariables.variable($0) }).transport
        let issuerKeys = try options.issuerKeys.map { folder in
            do throws(FileFailure) {
                return try IssuerKeyFolder(path: folder)
            } catch {
                throw CommandFailure("--issuer-keys: \(error)")
            }
        }
        identity = try folder.openIdentity(
            try templateFiles.identityConfiguration(), baseURL: addresses.issuerURL,
            ports: IdentityPorts(
                clock: .system, random: random, keys: issuerKeys, after: supervisor.after,
                deliver: NotificationDelivery.posting(by: transport), log: { log.note($0) }),
            faults: faults)
        recordings = try InvocationRecorder(options, addresses, log, traces)
        interceptor = FaultInterceptor(faults, supervisor)
        functions = try FunctionService(
            [], settings: FunctionSettings(region: AWSAccount.region, account: AWSAccount.id),
            supervisor: supervisor, clock: .system, random: random, sink: log.sink,
            observers: InvocationObservers(traces, returned: recordings.map { $0.observe }),
            interception: InvocationInterception(interceptor, traces, random))
        invokeAPI = InvokeAPI(functions)
        faultAPI = FaultAPI(interceptor, FaultNames(functions, identity), note: { log.note($0) })
        current = Mutex(nil)
    }

    /// nil until the template has been read.
    var stack: DeployedStack? { current.withLock { $0 } }

    /// Loads the template for subsequent requests; requests in progress finish with the old one.
    func load() throws -> DeployedStack {
        try loading.withLock { _ in
            let stack = try makeStack()
            try recordings?.prepare(stack)
            functions.replace(with: stack.definitions)
            identity.setAudiences { ProviderVariables.clientIDs(of: $0, in: stack.definitions) }
            current.withLock { $0 = stack }
            return stack
        }
    }

    var pastInvocations: PastInvocations {
        PastInvocations(functions.records.all, resets: resets.withLock { $0 })
    }

    /// All state was deleted, so recorded fixtures need no earlier invocations as steps.
    func noteReset() {
        resets.withLock { $0.append(MonotonicClock.nanoseconds) }
        recordings?.restart()
    }

    /// Reissues the functions' credentials, which expire by the emulator's clock; AWS Lambda renews
    /// them automatically.
    func renewCredentials() { loadOrNote() }

    /// Reloads the templates. If that fails, logs the error and continues with the earlier
    /// templates.
    func loadOrNote() {
        do { _ = try load() } catch { log.note("the template was not reloaded: \(error)") }
    }

    /// The order is: stop accepting, finish the requests in progress, end the processes.
    func stop() {
        functions.stop()
        supervisor.stop()
    }
}
