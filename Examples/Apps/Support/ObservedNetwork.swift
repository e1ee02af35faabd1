import Foundation
package import LatchkeyClient

/// The device's network, which counts requests and fails on demand.
package actor ObservedNetwork: Transport {
    private let base = URLSessionTransport()
    private var isOffline = false
    private var refusedToken: String?
    /// The number of requests to wait for before all of them are refused.
    private var refusalsWanted = 0
    private var held: [CheckedContinuation<Void, Never>] = []
    private var isSessionEnded = false
    private var counts: [String: Int] = [:]
    private var refreshes = 0

    package init() {}

    package func setOffline(_ flag: Bool) { isOffline = flag }

    /// Damages an access token in transit, as if the server had revoked it. The next token may have
    /// the same text, if it is issued within the same second.
    ///
    /// - Parameter count: the number of requests with the token to refuse. They are held until all
    ///   have been sent: after the first refusal, the client would hold the others until the
    ///   refresh.
    package func refuse(_ token: String, count: Int) {
        refusedToken = token
        refusalsWanted = count
    }

    /// Damages every refresh token in transit from now on, as if the session had ended elsewhere.
    package func endSession() { isSessionEnded = true }

    /// The requests since the last call, in this form: `2 × GET /api/v1/meals: 200`.
    package func takeCounts() -> [String] {
        defer { counts = [:] }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
    }

    /// The number of successful refreshes since the last call.
    package func takeRefreshes() -> Int {
        defer { refreshes = 0 }
        return refreshes
    }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if isOffline { throw .notSent }
        var sent = request
        if let refusedToken, request.headers["Authorization"]?.hasSuffix(refusedToken) == true {
            sent.headers["Authorization"] = "Bearer \(refusedToken.dropLast(8))AAAAAAAA"
            await holdUntilAllHaveCome()
        }
        let isRefresh = request.url.path.hasSuffix("/refresh")
        if isSessionEnded, isRefresh, let body = request.body {
            sent.body = Data(
                String(decoding: body, as: UTF8.self).replacing("\":\"", with: "\":\"x").utf8)
        }
        let answer = try await base.send(sent)
        if isRefresh, answer.status == 200 {
            refreshes += 1
            refusedToken = nil
        }
        counts["\(request.method) \(request.url.path): \(answer.status)", default: 0] += 1
        return answer
    }

    private func holdUntilAllHaveCome() async {
        guard refusalsWanted > 0 else { return }
        refusalsWanted -= 1
        if refusalsWanted > 0 {
            await withCheckedContinuation { held.append($0) }
        } else {
            for request in held { request.resume() }
            held = []
        }
    }
}
