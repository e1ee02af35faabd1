import Foundation
import LatchkeyClient
import Synchronization

/// A network that is held up at the refreshes, and remembers them.
final class SteppedNetwork: Transport {
    /// A refresh token, and the successor that the server issued for it.
    struct Exchange: Sendable, CustomStringConvertible {
        let spent: String
        let successor: String

        var description: String { "\(spent)>\(successor)" }
    }

    private let base = URLSessionTransport()
    private let seen = Mutex<[Exchange]>([])

    var exchanges: [Exchange] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.url.path == "/auth/refresh" else { return try await base.send(request) }
        await Stops.shared.pass(.beforeSending)
        let answer = try await base.send(request)
        if let spent = Self.refreshToken(in: request.body),
            let successor = Self.refreshToken(in: answer.body)
        {
            seen.withLock { $0.append(Exchange(spent: spent, successor: successor)) }
        }
        await Stops.shared.pass(.afterAnswer)
        return answer
    }

    /// Its end, which differs for each.
    private static func refreshToken(in body: Data?) -> String? {
        let object = body.flatMap { try? JSONSerialization.jsonObject(with: $0) }
        let token = (object as? [String: Any])?["refreshToken"] as? String
        return token.map { String($0.suffix(16)) }
    }
}

/// A store that is held up when it is done.
struct SteppedStore: SessionStore {
    let base: FileStore

    func load() async throws(StoreError) -> Data? { try await base.load() }

    func replace(_ expected: Data?, with new: Data?) async throws(StoreError) -> Bool {
        let isReplaced = try await base.replace(expected, with: new)
        await Stops.shared.pass(.afterStoring)
        return isReplaced
    }

    func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock {
        try await base.lockRefresh(waiting: waiting)
    }
}
