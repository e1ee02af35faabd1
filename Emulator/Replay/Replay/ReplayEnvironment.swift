internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorLambda
internal import JOSE
internal import Time

/// The services and settings that the fixtures of a replay share.
final class ReplayEnvironment: Sendable {
    let settings: FixtureSettings
    let catalog: Fixture.Catalog
    let executables: Executables
    let judged: Executables
    /// The functions that run instead of the executables.
    let template: (any TemplateFunctions)?
    let identityProvider: ReplayIdentityProviders
    let sts: ReplaySTS
    /// nil for the store of the folder's environment.
    let tables: (any ReplayTables)?
    /// The environment variables that these tables override.
    let storeEnvironment: [(name: String, value: String)]
    let startingPoints = StartingPoints()
    let runner: ProcessRunner
    let leakDetector: SecretLeakDetector
    let clock: WallClock
    let random: RandomSource
    /// A private key in Apple's format.
    let applePEM: [UInt8]
    /// This program's own PATH, so that functions find other programs.
    let path: String
    private let supervisor: ProcessSupervisor

    /// After this time a process is killed, and its fixture fails.
    private static let processSecondsMax = 60

    init(
        _ catalog: Fixture.Catalog, settings: FixtureSettings, executables: Executables,
        judged: Executables, template: (any TemplateFunctions)?, tables: (any ReplayTables)?,
        clock: WallClock, random: RandomSource
    ) throws(FixtureFailure) {
        self.settings = settings
        self.tables = tables
        if let name = tables?.storeName {
            guard let store = settings.stores.first(where: { $0.name.isSame(as: name) }) else {
                throw FixtureFailure("settings.json has no environment for stores.\(name)")
            }
            storeEnvironment = store.environment
        } else {
            storeEnvironment = []
        }
        self.catalog = catalog
        self.executables = executables
        self.judged = judged
        self.template = template
        self.clock = clock
        self.random = random
        path =
            Variables.all.first { $0.name.isSame(as: "PATH") }?.value
            ?? "/usr/local/bin:/usr/bin:/bin"
        leakDetector = SecretLeakDetector(members: settings.secrets.members)
        do {
            supervisor = try ProcessSupervisor()
            sts = try ReplaySTS(accessKey: settings.accessKey, random: random) {
                [leakDetector] secret in
                leakDetector.add("STS", secret)
            }
            identityProvider = try ReplayIdentityProviders(random: random)
            let key = try SigningKey.generate(.es256, random: random)
            applePEM = try key.pem().map { $0.reveal() } ?? []
        } catch {
            throw FixtureFailure("the replay cannot start: \(error)")
        }
        runner = ProcessRunner(supervisor, secondsMax: Self.processSecondsMax)
        let lines = String(decoding: applePEM, as: UTF8.self).split(separator: "\n")
        leakDetector.add("Apple's key", lines.dropFirst().first.map(String.init) ?? "")
        leakDetector.add("Apple's token", ReplayIdentityProviders.appleRefreshToken)
    }

    func stop() {
        startingPoints.removeAll()
        supervisor.stop()
        identityProvider.stop()
        sts.stop()
        tables?.stop()
    }
}

extension FixtureSettings {
    /// The key with which functions sign their calls.
    fileprivate var accessKey: AccessKey? {
        guard let id = variable("AWS_ACCESS_KEY_ID"),
            let secret = variable("AWS_SECRET_ACCESS_KEY")
        else { return nil }
        return AccessKey(id: id, secret: secret)
    }
}
