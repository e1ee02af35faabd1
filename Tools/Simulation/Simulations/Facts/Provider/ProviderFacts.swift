import AuthTestSupport

/// Requests of the provider's clients, decisions of people, and issued codes and tokens. A grant is
/// also a session of `SessionFacts`, so it ends with all sessions of the account.
struct ProviderFacts {
    /// A request for access.
    struct Asked {
        let client: String
        let redirectURI: String
        let scope: Set<String>
        let resources: Set<String>
        let challenge: String?
        let method: String?
        let nonce: String?
        /// The user must have authenticated after this time.
        let provenAfter: Int64?
        /// The thumbprint of the key that must be proven with the code.
        let proofKey: String?
        let at: Instant
        /// The device whose browser has opened the request.
        let device: Int
        let step: Int

        init(_ fields: [String: String], device: Int, at now: Instant, step: Int) {
            func words(_ name: String) -> Set<String> {
                Set((fields[name] ?? "").split(separator: " ").map(String.init))
            }
            client = fields["client_id"] ?? ""
            redirectURI = fields["redirect_uri"] ?? ""
            (scope, resources) = (words("scope"), words("resource"))
            (challenge, method) = (fields["code_challenge"], fields["code_challenge_method"])
            nonce = fields["nonce"]
            (proofKey, at) = (fields["dpop_jkt"], now)
            provenAfter = fields["max_age"].flatMap { Int64($0) }.map { now.seconds - $0 }
            (self.device, self.step) = (device, step)
        }

        func isProven(by verifier: String?) -> Bool {
            verifier.map { Base64URL.encode(SHA256.hash(Array($0.utf8))) == challenge } ?? false
        }
    }

    struct Code {
        let asked: Asked
        /// The browser's session in which the code was issued.
        let session: String
        let at: Instant
        let step: Int
        /// The step of the response with the code.
        let givenAt: Int
        /// Whether a valid request has presented the code.
        var isPresented = false
        /// Whether several valid requests have presented the code.
        var isReplayed = false
        /// The numbers of the client's requests with the code that have no response yet.
        var pending: Set<Int> = []
        /// The grant that began with the code.
        var grant: String?
        /// The versions of the client's document that the person may have seen when deciding; nil
        /// for a client without a document.
        var versions: Set<Int>?
        /// The hook requires an authentication at or after this time.
        var provenAfter: Int64?
    }

    struct Grant {
        let user: String
        let asked: Asked
        let browser: String
        let code: String
        let begunAt: Int
        /// The thumbprint of the key to which the grant's refresh tokens are bound.
        let key: String?
        /// The refresh token that was issued last.
        var latest: String?

        var isOffline: Bool { asked.scope.contains("offline_access") }
    }

    /// A user's decision about a client, from its request onwards.
    struct Decision {
        let scope: Set<String>
        let resources: Set<String>
        /// The versions of the client's document that may have been shown.
        let versions: Set<Int>
        /// The step of the response to the decision.
        var settledAt: Int?
    }

    /// An answer of the hook `authorize` about a waiting request.
    struct Advised {
        let advice: AppHooks.Advice
        let at: Instant
        /// The step by which the function had responded.
        let settledAt: Int
    }

    struct Pair: Hashable {
        let user: String
        let client: String
    }

    private(set) var programs: [String: Program] = [:]
    var devices = DeviceFacts()
    var logout = LogoutFacts()
    var grantEnds = GrantEnds()
    var secretEnds = SecretEnds()
    /// Client assertions that were accepted.
    var assertions: Set<String> = []
    /// DPoP proofs that were accepted.
    var proofs: Set<String> = []
    /// The sites of clients that describe themselves by a document, with
    /// `Feature.clientDocuments`.
    var sites: ClientSites?
    /// Whether tokens for `ProviderSettings.notes` must be bound to a key.
    var notesNeedKey = false
    /// The answers of the hook, by request name.
    private(set) var advised: [String: [Advised]] = [:]
    /// The numbers in the client names that pages have shown, by request name.
    private(set) var shown: [String: Int] = [:]
    /// The waiting requests, by name.
    private(set) var waiting: [String: Asked] = [:]
    var codes: [String: Code] = [:]
    private(set) var grants: [String: Grant] = [:]
    private(set) var accesses: [String: ClientToken] = [:]
    private(set) var refreshes: [String: String] = [:]
    private(set) var spent: [String: SessionFacts.Spending] = [:]
    private var decisions: [Pair: [Int: Decision]] = [:]
    /// The step at which each client was disabled or deleted; `.max` if the outcome is unknown.
    private(set) var disabled: [String: Int] = [:]
    /// Clients whose deletion was acknowledged.
    private(set) var deleted: Set<String> = []
    /// How many administrators are changing each client. Concurrent changes are marked.
    private var changing: [String: Int] = [:]
    private var overlapping: Set<String> = []
    /// The last possible and the last certain use of each self-registered client.
    private var touched: [String: Instant] = [:]
    private var used: [String: Instant] = [:]
    /// The last step at which a request to disable a client, or to remove it from an account, was
    /// under way.
    private var latestRemoval: [Pair: Int] = [:]
    private var removing: [Int: Pair] = [:]

    init() { for program in ProviderSettings.programs { programs[program.id] = program } }

    mutating func add(_ program: Program) { programs[program.id] = program }

    mutating func wait(_ name: String, _ asked: Asked) { waiting[name] = asked }

    mutating func show(_ number: Int, for name: String) { shown[name] = number }

    mutating func advise(_ all: [AppHooks.Advice], on name: String, at now: Instant, _ step: Int) {
        advised[name, default: []] += all.map { Advised(advice: $0, at: now, settledAt: step) }
    }

    // MARK: Decisions

    mutating func decide(_ pair: Pair, _ asked: Asked, _ versions: Set<Int>, _ number: Int) {
        decisions[pair, default: [:]][number] = Decision(
            scope: asked.scope, resources: asked.resources, versions: versions)
    }

    /// The versions of the client's document that the user may have decided about.
    func decidedVersions(_ pair: Pair) -> Set<Int> {
        (decisions[pair] ?? [:]).values.reduce(into: []) { $0.formUnion($1.versions) }
    }

    /// The versions of the client's document that may apply to a request for access.
    func versions(_ asked: Asked) -> Set<Int> {
        Set(sites?.versions(of: asked.client, usedFrom: asked.at, to: asked.at).map(\.index) ?? [])
    }

    mutating func settle(_ number: Int, at step: Int) {
        for pair in decisions.keys { decisions[pair]?[number]?.settledAt = step }
        if let pair = removing.removeValue(forKey: number) { latestRemoval[pair] = step }
    }

    /// - Parameter step: consent that administrators had ended before this step does not count.
    func hasConsent(_ pair: Pair, to asked: Asked, at step: Int) -> Bool {
        let all = (decisions[pair]?.values.map { $0 } ?? []).filter {
            !grantEnds.hasEnded(pair.client, givenAt: $0.settledAt ?? .max, before: step)
        }
        return !all.isEmpty
            && asked.scope.isSubset(of: all.reduce(into: []) { $0.formUnion($1.scope) })
            && asked.resources.isSubset(of: all.reduce(into: []) { $0.formUnion($1.resources) })
    }

    /// Whether the functions can know only one version of the document. They may use a former
    /// version for a day, and refuse proofs by a new key.
    func hasOneDescription(_ client: String) -> Bool {
        sites?.sites[client].map { $0.versions.count == 1 } ?? true
    }

    /// Whether a person who has already decided about the program is not asked again for this
    /// request.
    func recognises(_ program: Program, for asked: Asked) -> Bool {
        guard let site = sites?.sites[program.id] else { return program.isRecognised }
        return versions(asked).contains { site.versions[$0].key != nil }
    }

    /// Forgets the user's earlier decisions.
    mutating func forget(_ pair: Pair, before step: Int) {
        decisions[pair] = decisions[pair]?.filter { $0.value.settledAt ?? .max >= step }
    }

    // MARK: Removals

    mutating func mayRemove(_ pair: Pair, _ number: Int, at step: Int) {
        removing[number] = pair
        latestRemoval[pair] = step
    }

    func mayBeRemoved(_ pair: Pair, since step: Int) -> Bool {
        removing.values.contains(pair) || latestRemoval[pair] ?? -1 >= step
            || grantEnds.mayHaveEnded(pair.client, since: step)
    }

    mutating func beginChange(
        of client: String, _ change: AdministerClients.Change, at now: GrantEnds.Moment
    ) {
        if change != .enable { grantEnds.mayList(client, at: now.time) }
        if change == .endGrants { return grantEnds.begin(client) }
        if changing[client] != nil { overlapping.insert(client) }
        changing[client, default: 0] += 1
        disabled[client] = .max
    }

    /// The order of two concurrent changes is unknown, unless one was a deletion.
    mutating func endChange(
        of client: String, isDone: Bool, _ change: AdministerClients.Change,
        from begunAt: GrantEnds.Moment, at now: GrantEnds.Moment
    ) {
        if change != .enable { grantEnds.mayList(client, at: now.time) }
        if change == .endGrants {
            if isDone { grantEnds.settle(client, from: begunAt, at: now) }
            return
        }
        let (step, isAlone) = (now.step, !overlapping.contains(client))
        changing[client] = changing[client].flatMap { $0 > 1 ? $0 - 1 : nil }
        if changing[client] == nil { overlapping.remove(client) }
        guard isDone, !deleted.contains(client) else { return }
        if change == .delete {
            deleted.insert(client)
            disabled[client] = step
        } else if isAlone {
            disabled[client] = change == .enable ? nil : step
        }
    }

    func isDisabled(_ client: String, before step: Int) -> Bool {
        disabled[client].map { $0 < step } ?? false
    }

    // MARK: Registrations

    /// Notes a request of the client that may extend its registration.
    mutating func touch(_ client: String, at now: Instant, _ lifetime: Span) {
        guard programs[client]?.expires == true,
            touched[client].map({ now < $0 + lifetime }) ?? true
        else { return }
        touched[client] = now
    }

    /// Notes a successful use of the client.
    mutating func use(_ client: String, at now: Instant) { used[client] = now }

    func isForgotten(_ client: String, at now: Instant, _ lifetime: Span) -> Bool {
        touched[client].map { $0 + lifetime + .seconds(5) < now } ?? false
    }

    /// Whether the functions must still know a self-registered client. Its registration is extended
    /// at most once a day, and by a refresh that is not a repetition.
    func mustBeKnown(_ client: String, at now: Instant, _ lifetime: Span) -> Bool {
        guard programs[client]?.expires == true, let used = used[client] else { return true }
        return now < used + lifetime - .days(1) - .minutes(2)
    }

    // MARK: Tokens

    mutating func begin(_ id: String, _ grant: Grant) {
        if grants[id] == nil { grants[id] = grant }
    }

    mutating func give(_ token: ClientToken) { accesses[token.text] = token }

    mutating func use(_ grant: String, _ refresh: String) {
        refreshes[refresh] = grant
        grants[grant]?.latest = refresh
    }

    mutating func spend(_ token: String, for next: String, at now: Instant) {
        spent[token, default: SessionFacts.Spending(at: now)].successors.insert(next)
    }

    func grants(of pair: Pair) -> [String] {
        grants.filter { $0.value.user == pair.user && $0.value.asked.client == pair.client }
            .keys.sorted()
    }
}

/// An access token of a client.
struct ClientToken {
    let text: String
    let client: String
    /// The grant's ID; empty for a token that the client got for itself.
    let grant: String
    let user: String
    /// The audience; nil if there are several.
    let audience: String?
    let scope: Set<String>
    let issuedAt: Int64
    let expiresAt: Int64
    let key: String?
    /// The thumbprint of the key to which the token is bound.
    let boundTo: String?
    let provenAt: Int64?

    /// Whether the client got the token for itself.
    var isOwn: Bool { grant.isEmpty }

    /// nil for the token of a user's own session.
    init?(_ text: String) {
        guard let claims = AccessToken.claims(of: text),
            let client = claims["client_id"]?.stringValue, let user = claims["sub"]?.stringValue,
            let start = claims["iat"]?.int64Value, let end = claims["exp"]?.int64Value
        else { return nil }
        self.text = text
        (self.client, self.user) = (client, user)
        grant = claims["sid"]?.stringValue ?? ""
        audience = claims["aud"]?.stringValue
        let words = claims["scope"]?.stringValue ?? ""
        scope = Set(words.split(separator: " ").map(String.init))
        (issuedAt, expiresAt, key) = (start, end, AccessToken.key(of: text))
        boundTo = claims["cnf"]?["jkt"]?.stringValue
        provenAt = claims["auth_time"]?.int64Value
    }
}
