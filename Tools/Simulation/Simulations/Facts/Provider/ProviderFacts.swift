import AuthTestSupport
import Bytes
import Cryptography
import JSON
import Time

/// What clients of the provider have asked for, what people have decided, and what was given. A
/// grant is also one of `SessionFacts`, so that what ends all sessions of an account ends it.
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
        /// The user must have proven who they are after this.
        let provenAfter: Int64?
        /// The device whose browser has brought it.
        let device: Int

        init(_ fields: [String: String], device: Int, at now: Instant) {
            func words(_ name: String) -> Set<String> {
                Set((fields[name] ?? "").split(separator: " ").map(String.init))
            }
            client = fields["client_id"] ?? ""
            redirectURI = fields["redirect_uri"] ?? ""
            (scope, resources) = (words("scope"), words("resource"))
            (challenge, method) = (fields["code_challenge"], fields["code_challenge_method"])
            nonce = fields["nonce"]
            provenAfter = fields["max_age"].flatMap { Int64($0) }.map { now.seconds - $0 }
            self.device = device
        }

        func isProven(by verifier: String?) -> Bool {
            verifier.map { Base64URL.encode(SHA256.hash(Array($0.utf8))) == challenge } ?? false
        }
    }

    struct Code {
        let asked: Asked
        /// The browser's session in which it was given.
        let session: String
        let at: Instant
        let step: Int
        /// A request has presented it that was right in every respect.
        var isPresented = false
        /// Several have.
        var isReplayed = false
        /// The grant that it was exchanged for.
        var grant: String?
    }

    struct Grant {
        let user: String
        let asked: Asked
        let browser: String
        let code: String
        let begunAt: Int
        /// The refresh token that was given last.
        var latest: String?

        var isOffline: Bool { asked.scope.contains("offline_access") }
    }

    /// A user's decision about a client, while it is under way and afterwards.
    struct Decision {
        let scope: Set<String>
        let resources: Set<String>
        /// The step of its answer.
        var settledAt: Int?
    }

    struct Pair: Hashable {
        let user: String
        let client: String
    }

    private(set) var programs: [String: Program] = [:]
    /// By the name of the request.
    /// Statements of clients that were accepted.
    var assertions: Set<String> = []
    private(set) var waiting: [String: Asked] = [:]
    var codes: [String: Code] = [:]
    private(set) var grants: [String: Grant] = [:]
    private(set) var accesses: [String: ClientToken] = [:]
    private(set) var refreshes: [String: String] = [:]
    private(set) var spent: [String: SessionFacts.Spending] = [:]
    private var decisions: [Pair: [Int: Decision]] = [:]
    /// The steps at which clients were disabled or deleted; `.max` if that may not be so.
    private(set) var disabled: [String: Int] = [:]
    /// When a request to disable a client, or to remove it from an account, was last under way.
    private var latestRemoval: [Pair: Int] = [:]
    private var removing: [Int: Pair] = [:]

    init() { for program in ProviderSettings.programs { programs[program.id] = program } }

    mutating func add(_ program: Program) { programs[program.id] = program }

    mutating func wait(_ name: String, _ asked: Asked) { waiting[name] = asked }

    // MARK: Decisions

    mutating func decide(_ pair: Pair, _ asked: Asked, _ number: Int) {
        decisions[pair, default: [:]][number] = Decision(
            scope: asked.scope, resources: asked.resources)
    }

    mutating func settle(_ number: Int, at step: Int) {
        for pair in decisions.keys { decisions[pair]?[number]?.settledAt = step }
        if let pair = removing.removeValue(forKey: number) { latestRemoval[pair] = step }
    }

    func hasConsent(_ pair: Pair, to asked: Asked) -> Bool {
        let all = decisions[pair]?.values.map { $0 } ?? []
        return !all.isEmpty
            && asked.scope.isSubset(of: all.reduce(into: []) { $0.formUnion($1.scope) })
            && asked.resources.isSubset(of: all.reduce(into: []) { $0.formUnion($1.resources) })
    }

    /// What the user had decided before is forgotten.
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
    }

    /// - Parameter step: nil if nobody has disabled it.
    mutating func disable(_ client: String, at step: Int?) { disabled[client] = step }

    func isDisabled(_ client: String, before step: Int) -> Bool {
        disabled[client].map { $0 < step } ?? false
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
    let grant: String
    let user: String
    /// nil if it has several.
    let audience: String?
    let scope: Set<String>
    let expiresAt: Int64
    let key: String?

    /// nil for a token of a user's own session.
    init?(_ text: String) {
        guard let token = AccessToken(text), let client = token.claims["client_id"]?.stringValue
        else { return nil }
        self.text = text
        self.client = client
        (grant, user) = (token.session, token.user)
        audience = token.claims["aud"]?.stringValue
        let words = token.claims["scope"]?.stringValue ?? ""
        scope = Set(words.split(separator: " ").map(String.init))
        (expiresAt, key) = (token.expiresAt, token.key)
    }
}
