import JSON

/// One request with its response.
struct Exchange {
    /// Method and path.
    let operation: String
    let body: JSON
    let bearer: String?
    let status: Int
    let answer: JSON?
    let origin: Origin
    let number: Int
    /// The step at which the function began.
    let startedAt: Int
    /// Whether no other function was running at that step.
    let startedAlone: Bool
    /// The redirect target of the response.
    var location: String?
    /// The state that the browser keeps until the sign-in is complete.
    var next: String?
    /// The proof of a key that came with the request.
    var proof: ShownProof?
    /// Whether the access token was sent with the scheme `DPoP`.
    var isBound = false
    /// The browser's session, found by its cookie.
    var browser: Held?
    /// The number in the program's name, as the page shows it (`ClientSites`).
    var shown: Int?
    /// The answers of the hook `authorize` to the function.
    var advice: [AppHooks.Advice] = []

    struct Held {
        let session: String
        let user: String
        /// Whether the session's cookie was replaced by a new one that the browser did not receive.
        let isSpent: Bool
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether the response to a refresh says that the session has ended.
    var refusesRefresh: Bool {
        operation == "POST /auth/refresh" && status == 401
            && answer?["error"]?["action"] == "reauthenticate"
    }

    /// The rest of the operation after `prefix`.
    func identifier(after prefix: String) -> String? {
        guard operation.hasPrefix(prefix) else { return nil }
        return operation.split(separator: "/").last.map(String.init)
    }
}

/// An exchange, with the known facts about its tokens.
struct Seen {
    let exchange: Exchange
    /// The access token in the request.
    let presented: AccessToken?
    /// The refresh token in the request, and its session.
    let refresh: (token: String, session: String)?
    /// The access token in the response.
    let issued: AccessToken?
    /// Whether the response's session was not known before.
    let isNewSession: Bool
    /// What the exchange shows about the provider, in runs with a provider.
    let provider: ProviderSeen?

    init(_ exchange: Exchange, _ facts: Facts) {
        self.exchange = exchange
        presented = exchange.bearer.flatMap { facts.sessions.accesses[$0] }
        let token =
            exchange.operation == "POST /auth/refresh"
            ? exchange.body["refreshToken"]?.stringValue : nil
        refresh = token.flatMap { token in
            facts.sessions.refreshes[token].map { (token, $0) }
        }
        issued =
            exchange.isSuccess
            ? exchange.answer?["accessToken"]?.stringValue.flatMap(AccessToken.init) : nil
        isNewSession = issued.map { facts.sessions[$0.session] == nil } ?? false
        provider = facts.hasProvider ? ProviderSeen(exchange, facts) : nil
    }
}
