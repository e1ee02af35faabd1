internal import Foundation
internal import JOSE
public import LatchkeyClient
internal import Time

/// The server's list of ended sessions (`REVOCATIONS`), with which access tokens are refused before
/// they expire. One object is enough for all verifiers of a process:
///
/// ```swift
/// var options = AccessTokenVerifier.Options()
/// options.revocations = try RevocationList(issuer: "https://auth.example.com")
/// let verifier = try AccessTokenVerifier(issuer: "https://auth.example.com", options: options)
/// ```
///
/// The list is requested when tokens are verified, at most once a second, and by one request at a
/// time. A verification waits for it only if the last response is older than two seconds, and at
/// most two seconds. The server remembers a list for one second and caches keep it for two, so an
/// ended session is noticed within five seconds. If the server cannot be reached, the last list is
/// used for ten seconds; then tokens are refused with 503 (`Fallback`).
public actor RevocationList {
    /// What happens to a token while no complete and recent list is available.
    public enum Fallback: Sendable {
        /// The token is refused with 503.
        case refuse
        /// Tokens are valid until they expire, as without a list.
        case accept
        /// Asks whether a token is still valid, for example by introspection.
        case ask(@Sendable (_ token: String) async throws -> Bool)
    }

    public struct Options: Sendable {
        /// `alg` of the server's own tokens, with which it signs the list.
        public var algorithm = AccessTokenVerifier.SigningAlgorithm.es256
        public var fallback = Fallback.refuse
        /// The last list is used for this many seconds while the server cannot be reached.
        public var ageSecondsMax = 10
        /// The URL of the keys. The default is `/.well-known/jwks.json` of the issuer.
        public var keysURL: String?
        /// The URL of the list. The default is `/oauth/revocations` of the issuer.
        public var listURL: String?
        /// Allows keys and list over `http` from machines other than this one.
        public var allowsInsecureHTTP = false

        public init() {}
    }

    /// A request waits for a new list if the last one is older than this.
    static let waitingAge = Duration.seconds(2)
    /// The minimum time between two requests for the list.
    static let pause = Duration.seconds(1)
    private static let timeout = Duration.seconds(2)

    private let url: URL
    private let keys: KeyCache
    private let transport: any Transport
    private let clock: any SessionClock
    private let fallback: Fallback
    private let ageMax: Duration

    private var known: KnownRevocations
    private var lastAt: Duration?
    private var flight: Task<Void, Never>?

    /// - Parameter issuer: the setting `ISSUER` of the server.
    public init(
        issuer: String, transport: any Transport = URLSessionTransport(),
        clock: any SessionClock = SystemClock(), options: Options = Options()
    ) throws(InvalidConfiguration) {
        guard !issuer.isEmpty else { throw InvalidConfiguration(reason: "the issuer is needed") }
        url = try IssuerURL.of(
            "/oauth/revocations", issuer, orAt: options.listURL, named: "the list",
            allowsInsecureHTTP: options.allowsInsecureHTTP)
        let keysURL = try IssuerURL.of(
            "/.well-known/jwks.json", issuer, orAt: options.keysURL, named: "the keys",
            allowsInsecureHTTP: options.allowsInsecureHTTP)
        keys = KeyCache(
            url: keysURL, algorithm: Algorithm(options.algorithm), transport: transport,
            clock: clock)
        self.transport = transport
        self.clock = clock
        fallback = options.fallback
        ageMax = .seconds(options.ageSecondsMax)
        known = KnownRevocations(issuer: issuer)
    }

    /// nil if the list, or the fallback for a missing list, accepts the token.
    func refusal(of access: VerifiedAccess, token: String) async -> AccessRefusal? {
        await update()
        let verdict = known.verdict(
            on: access.claims, at: clock.uptime(), now: now, ageMax: ageMax)
        switch verdict {
        case .alive: return nil
        case .ended: return .invalidToken(.ended)
        case .unlistable: return .invalidToken(.unlistable)
        case .unknown: break
        }
        switch fallback {
        case .accept: return nil
        case .refuse: return .revocationsUnavailable(retryAfterSeconds: 1)
        case .ask(let isAlive):
            guard let answer = try? await isAlive(token) else {
                return .revocationsUnavailable(retryAfterSeconds: 1)
            }
            return answer ? nil : .invalidToken(.ended)
        }
    }

    private var now: Instant {
        Instant(milliseconds: Int64(clock.now().timeIntervalSince1970 * 1000))
    }

    private var age: Duration? { known.confirmedAt.map { clock.uptime() - $0 } }

    /// Requests the list if it is due, and waits for it if the last one is too old.
    private func update() async {
        let isDue = lastAt.map { clock.uptime() - $0 >= Self.pause } ?? true
        if flight == nil, isDue {
            lastAt = clock.uptime()
            // The list owns the task: a cancelled request does not cancel it.
            flight = Task { await fetch() }
        }
        if let flight, age.map({ $0 > Self.waitingAge }) ?? true { await flight.value }
    }

    private func fetch() async {
        defer { flight = nil }
        let sentAt = clock.uptime()
        let question = known.question(at: sentAt)
        var headers = ["Accept": "application/revocations+jwt"]
        headers["If-None-Match"] = question.tag
        let address =
            question.since.map { url.appending(queryItems: [.init(name: "since", value: "\($0)")]) }
            ?? url
        let request = HTTPRequest(
            "GET", address, headers: headers, timeout: Self.timeout,
            answerBytesMax: KnownRevocations.bytesMax)
        guard let answer = try? await transport.send(request) else { return }
        if answer.status == 304 {
            _ = known.confirm(question, sentAt: sentAt, now: now)
            return
        }
        guard answer.status == 200, answer.body.count <= KnownRevocations.bytesMax,
            let list = String(data: answer.body, encoding: .utf8),
            let id = try? CompactToken(parsing: list, bytesMax: KnownRevocations.bytesMax).kid,
            let keys = try? await keys.keys(holding: id)
        else { return }
        _ = known.add(
            list, tag: answer.header("ETag"), keys: keys, answering: question, sentAt: sentAt,
            now: now)
    }
}
