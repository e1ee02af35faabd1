import BaseTestSupport

/// A user who signs in through the gateway and refreshes: the current token must always be valid.
final class SessionWriter: Writer {
    private struct State: Sendable {
        var token: String?
        /// Since the sign-in.
        var refreshes = 0
        var count = 0
        var people = 0
    }

    private static let refreshesOfAPersonMax = 60

    private let people: SignInFunctions
    private let name: String
    private let state = Mutex(State())

    init(_ name: String, _ people: SignInFunctions) {
        self.name = name
        self.people = people
    }

    var acknowledgedCount: Int { state.withLock { $0.count } }

    func step(_ caller: EmulatorClient) throws {
        guard let token = state.withLock({ $0.token }) else { return try signIn(caller) }
        try refresh(token, caller)
        // Stays below the rate limit of an account.
        state.withLock { if $0.refreshes > Self.refreshesOfAPersonMax { $0.token = nil } }
    }

    func verify(_ caller: EmulatorClient) throws {
        if let token = state.withLock({ $0.token }) { try refresh(token, caller) }
    }

    func verifyAll(_ caller: EmulatorClient) throws { try verify(caller) }

    private func signIn(_ caller: EmulatorClient) throws {
        let number = state.withLock { state in
            state.people += 1
            state.refreshes = 0
            return state.people
        }
        let body = try people.signInBody(of: "\(name) \(number)")
        try note(caller.app(.post, "/auth/signin", body, headers: headers))
    }

    private func refresh(_ token: String, _ caller: EmulatorClient) throws {
        let body: JSON = ["refreshToken": .string(token)]
        try note(caller.app(.post, "/auth/refresh", body.text, headers: headers))
    }

    private func note(_ answer: HTTPResponse) throws {
        try #require(answer.status == 200, "\(name): \(answer.text)")
        let token = try #require(answer.json?["refreshToken"]?.stringValue)
        state.withLock { state in
            state.token = token
            state.refreshes += 1
            state.count += 1
        }
    }

    /// A different address each time, to avoid the rate limit per address.
    private var headers: [(String, String)] {
        let number = state.withLock { $0.count }
        return [
            ("Content-Type", "application/json"),
            ("X-Forwarded-For", "10.\(name.utf8.count).\(number / 250 % 250).\(number % 250)"),
        ]
    }
}
