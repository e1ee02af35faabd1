import AuthTestSupport
import Foundation
import LatchkeyClient

/// A device of a person, with its storage and the apps that run on it: an app and an extension
/// share the session.
final class Device {
    /// Signs a person in on the server's pages.
    ///
    /// - Returns: the address to which the browser returns; nil if the sign-in fails.
    typealias Pages = (URL, _ identityToken: String, Origin) -> URL?

    let number: Int
    let person: Int
    /// Whether the device belongs to a thief, who has copied another person's record to it.
    let isThief: Bool
    let disk = DeviceDisk()
    /// How many seconds its time of day is ahead.
    var skew = 0.0
    private(set) var apps: [App?] = [nil, nil]
    /// Sessions that the user has ended on this device. The value is lower than the number of every
    /// process that starts later.
    var signedOut: [String: Int] = [:]
    private var underWay: [(process: Int, call: Int, end: () -> Void)] = []
    private let context: SimulationContext
    private let mixUp: MixUp
    private let serve: SimulatedNetwork.Serve
    private let openPage: Pages
    private let wallet: Wallet
    private let contract: ClientContract
    private let optionsSeed: UInt64

    init(
        number: Int, person: Int, isThief: Bool, _ contract: ClientContract, _ wallet: Wallet,
        _ context: SimulationContext, mixUp: MixUp, serve: @escaping SimulatedNetwork.Serve,
        openPage: @escaping Pages
    ) {
        self.number = number
        self.person = person
        self.isThief = isThief
        self.wallet = wallet
        self.contract = contract
        self.context = context
        self.mixUp = mixUp
        self.serve = serve
        self.openPage = openPage
        optionsSeed = UInt64(number) &* 7919 &+ 17
    }

    /// The app with this index, which is started if it is not running.
    func app(_ index: Int) -> App {
        if let app = apps[index] { return app }
        let process = context.nextNumber()
        var options = Options()
        let random = SeededBytes(seed: optionsSeed &+ UInt64(process) &* 104_729)
        options.random = { random.next($0) }
        options.device.name = "device \(number)"
        options.device.fingerprint = "fingerprint-\(number)"
        let origin = Origin(person: person, device: number, process: process, isThief: isThief)
        let app = App(
            process: process, device: number, wallet: wallet,
            openPage: { [openPage] in openPage($0, $1, origin) },
            client: LatchkeyClient(
                contract: contract, baseURL: Self.url,
                store: SimulatedStore(context, disk, process: process),
                transport: SimulatedNetwork(context, origin, mixUp: mixUp, serve: serve),
                clock: SimulatedClock(context.scheduler, process: process) { [unowned self] in skew
                },
                options: options))
        apps[index] = app
        return app
    }

    /// Kills the app, whatever it is doing.
    func kill(_ index: Int) {
        guard let app = apps[index] else { return }
        app.isDead = true
        apps[index] = nil
        context.scheduler.kill(app.process)
        disk.release(locksOf: app.process)
        let ended = underWay.filter { $0.process == app.process }
        underWay.removeAll { $0.process == app.process }
        for call in ended { call.end() }
    }

    /// Calls `end` if the app is killed during the call.
    func killing(_ app: App, during call: Int, _ end: @escaping () -> Void) {
        underWay.append((app.process, call, end))
    }

    func forget(call: Int) { underWay.removeAll { $0.call == call } }

    /// The tokens that the device has stored.
    var keptTokens: (access: String, refresh: String?)? {
        guard let record = disk.record else { return nil }
        if record != readRecord { (readRecord, readTokens) = (record, Self.tokens(in: record)) }
        return readTokens
    }

    private var readRecord: Data?
    private var readTokens: (access: String, refresh: String?)?

    private static func tokens(in record: Data) -> (access: String, refresh: String?)? {
        guard let session = (try? JSON.parse([UInt8](record), limits: .event))?["session"],
            let access = session["accessToken"]?.stringValue
        else { return nil }
        return (access, session["refreshToken"]?.stringValue)
    }

    private static let url = URL(string: "https://auth.example.com") ?? URL(filePath: "/")
}

final class App: @unchecked Sendable {
    let process: Int
    let device: Int
    let wallet: Wallet
    let openPage: (URL, _ identityToken: String) -> URL?
    let client: LatchkeyClient
    var isDead = false

    init(
        process: Int, device: Int, wallet: Wallet,
        openPage: @escaping (URL, _ identityToken: String) -> URL?, client: LatchkeyClient
    ) {
        self.process = process
        self.device = device
        self.wallet = wallet
        self.openPage = openPage
        self.client = client
    }
}

/// A source of random bytes for one app.
private final class SeededBytes: @unchecked Sendable {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    func next(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    }
}
