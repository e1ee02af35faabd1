package import LatchkeyClient

/// The commands that all apps have. They cause faults.
package actor Disturbances {
    private let device: DemoDevice
    private let client: LatchkeyClient
    private let store: any SessionStore
    /// An attacker's client, with a copy of the stored session.
    private var thief: LatchkeyClient?

    package init(_ device: DemoDevice, _ client: LatchkeyClient, _ store: any SessionStore) {
        self.device = device
        self.client = client
        self.store = store
    }

    /// Performs a command and prints the outcome. Throws ``CommandLoop/UnknownCommand`` for any
    /// other command.
    package func perform(_ command: String, _ words: [String]) async throws {
        switch (command, words.first) {
        case ("wait", let minutes?):
            device.clock.move(by: .seconds((Double(minutes) ?? 0) * 60))
        case ("offline", nil): await device.network.setOffline(true)
        case ("online", nil): await device.network.setOffline(false)
        case ("traffic", nil):
            for line in await device.network.takeCounts() { print(line) }
        case ("revoke", let count):
            let token = try await client.validToken().value
            await device.network.refuse(token, count: count.flatMap { Int($0) } ?? 1)
        case ("end", nil): await device.network.endSession()
        case ("token", nil):
            _ = try await client.validToken()
            print("a token; refreshes: \(await device.network.takeRefreshes())")
        case ("steal", nil):
            let copy = MemoryStore()
            _ = await copy.replace(nil, with: try await store.load())
            thief = LatchkeyClient(
                contract: client.contract, baseURL: client.baseURL, store: copy,
                transport: URLSessionTransport(), clock: device.clock)
        case ("thief", nil):
            _ = try await thief?.validToken()
            print("the thief has a token")
        default: throw CommandLoop.UnknownCommand()
        }
    }
}
