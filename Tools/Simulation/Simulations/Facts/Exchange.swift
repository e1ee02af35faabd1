import JSON

/// One request and its answer.
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
    /// Whether no other function ran meanwhile.
    let startedAlone: Bool
    /// Where the answer sends the browser.
    var location: String?
    /// What the browser keeps for the time after a sign-in.
    var next: String?
    /// The proof of a key that came with the request.
    var proof: ShownProof?
    /// Whether its access token was sent as one that is bound to a key.
    var isBound = false
    /// The session of the browser that has sent it.
    var browser: Held?
    /// The number in the name of the program that the page shows (`ClientSites`).
    var shown: Int?
    /// What the hook `authorize` has answered to the function.
    var advice: [AppHooks.Advice] = []

    struct Held {
        let session: String
        let user: String
        /// The browser has not got the cookie that followed.
        let isSpent: Bool
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The answer to a refresh says that the session has ended.
    var refusesRefresh: Bool {
        operation == "POST /auth/refresh" && status == 401
            && answer?["error"]?["action"] == "reauthenticate"
    }

    /// What follows `prefix` in the operation.
    func identifier(after prefix: String) -> String? {
        guard operation.hasPrefix(prefix) else { return nil }
        return operation.split(separator: "/").last.map(String.init)
    }
}

/// An exchange, with what the facts so far say about its tokens.
struct Seen {
    let exchange: Exchange
    /// The access token of the request.
    let presented: AccessToken?
    /// The refresh token of a refresh, and its session.
    let refresh: (token: String, session: String)?
    /// The access token of the answer.
    let issued: AccessToken?
    /// Whether the session of that token was not known before.
    let isNewSession: Bool
    /// What it shows about the provider, in runs that have it.
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
