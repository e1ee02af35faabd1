import Foundation
import LatchkeyClient

/// The program's commands for its session.
struct SessionCommands: Sendable {
    private let network = SteppedNetwork()
    private let client: LatchkeyClient
    /// Longer than any token lives, so that each call refreshes.
    private static let longLife = Duration.seconds(86_400)

    init(url: URL, folder: URL) {
        let store = SteppedStore(base: FileStore(folder: folder))
        client = LatchkeyClient(baseURL: url, store: store, transport: network)
    }

    func answer(_ command: String, _ words: [String]) async -> String {
        do {
            return "\(command) \(try await run(command, words))"
        } catch {
            return "\(command) failed: \(error)"
        }
    }

    private func run(_ command: String, _ words: [String]) async throws -> String {
        let count = words.first.flatMap { Int($0) } ?? 1
        switch (command, words.count) {
        case ("sign-in", 2):
            let credential = IdentityCredential(provider: words[0], idToken: words[1])
            return try await client.signIn(credential).session?.user?.id ?? "not signed in"
        case ("restore", 0): return try await client.restore()?.user?.id ?? "no session"
        case ("profile", 0): return try await client.profile().user.id
        case ("refresh", 0):
            _ = try await client.validToken(minimumLife: Self.longLife)
            return "done"
        case ("sign-out", 0):
            let result = await client.signOut()
            return "server \(text(result.serverError)), store \(text(result.storeError))"
        case ("rounds", 1): return try await refresh(times: count)
        default: return "is no command"
        }
    }

    private func text(_ error: AuthError?) -> String { error.map { "\($0)" } ?? "done" }

    /// Until this process itself has refreshed so often.
    private func refresh(times count: Int) async throws -> String {
        while network.exchanges.count < count {
            _ = try await client.validToken(minimumLife: Self.longLife)
        }
        return network.exchanges.map(\.description).joined(separator: " ")
    }
}
