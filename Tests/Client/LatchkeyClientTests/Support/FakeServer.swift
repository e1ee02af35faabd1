/// A server of the contract `latchkey`, as far as sessions go, over a network that fails on demand.
///
/// The access token of user, family 1 and generation 0 is `a-1-0`, its refresh token `r-1-0`.
actor FakeServer: Transport {
    enum Network: Sendable {
        case works
        /// The request does not arrive.
        case notSent
        /// The request arrives, the answer does not.
        case loses
        /// The request does not arrive, and no answer comes.
        case hangs
        /// The request arrives; half of the answer comes.
        case truncates
        /// Something between answers.
        case answers(Int, String, [String: String] = [:])
        /// The request arrives when the gate is opened.
        case waits(Gate)
        /// The request arrives, its answer when the gate is opened.
        case delaysAnswer(Gate)
        /// The client's transport gives up.
        case cancelled
    }

    struct Family {
        var email: String
        var generation = 0
        var isEnded = false
        /// Access tokens up to this generation have expired.
        var expiredUpTo = -1
    }

    static let url = URL(string: "https://auth.example.com") ?? URL(filePath: "/")

    let clock: ManualClock
    private(set) var families: [Int: Family] = [:]
    private(set) var requests: [HTTPRequest] = []
    private(set) var refreshes = 0
    private(set) var reuses = 0
    var lifetime = 900
    /// Whether a request hangs.
    private(set) var isHanging = false
    private var network: [String: [Network]] = [:]

    init(_ clock: ManualClock) { self.clock = clock }

    func next(_ path: String, _ steps: Network...) { network[path, default: []] += steps }
    /// Forgets the steps that did not happen.
    func repairNetwork() { network = [:] }
    func setLifetime(_ seconds: Int) { lifetime = seconds }
    func end(_ family: Int) { families[family]?.isEnded = true }

    /// Makes all access tokens of now invalid.
    func expireAll() {
        families = families.mapValues { family in
            var family = family
            family.expiredUpTo = family.generation
            return family
        }
    }

    func count(_ path: String) -> Int { requests.count { $0.url.path == path } }

    nonisolated func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        switch await begin(request) {
        case .works: return await answer(request)
        case .notSent: throw .notSent
        case .loses:
            _ = await answer(request)
            throw .lost
        case .hangs:
            await hang()
            throw .lost
        case .truncates:
            let whole = await answer(request)
            return HTTPResponse(status: whole.status, body: whole.body.prefix(whole.body.count / 2))
        case .answers(let status, let text, let headers):
            return HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
        case .waits(let gate):
            await gate.wait()
            return await answer(request)
        case .delaysAnswer(let gate):
            let answer = await answer(request)
            await gate.wait()
            return answer
        case .cancelled: throw .cancelled
        }
    }

    /// Deaf to cancellation, for a thousand turns.
    private func hang() async {
        isHanging = true
        for _ in 0..<1000 { await Task.yield() }
        isHanging = false
    }

    private func begin(_ request: HTTPRequest) -> Network {
        requests.append(request)
        let path = request.url.path
        guard network[path]?.isEmpty == false else { return .works }
        return network[path]?.removeFirst() ?? .works
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let body = try? JSONDecoder().decode([String: String].self, from: request.body ?? Data())
        switch request.url.path {
        case "/auth/login": return logIn(body?["email"] ?? "")
        case "/auth/refresh": return refresh(body?["refreshToken"] ?? "")
        case "/auth/signout":
            if let (family, _) = parse("r", body?["refreshToken"] ?? "") {
                families[family]?.isEnded = true
            }
            return json(200, #"{"success": true}"#)
        case "/auth/change-password":
            let token = request.headers["Authorization"]?.split(separator: " ").last ?? ""
            guard let (number, _) = parse("a", String(token)), let family = families[number] else {
                return refused()
            }
            families[number]?.isEnded = true
            return logIn(family.email)
        default:
            let token = request.headers["Authorization"]?.split(separator: " ").last ?? ""
            guard let (number, generation) = parse("a", String(token)),
                let family = families[number], !family.isEnded,
                generation > family.expiredUpTo
            else {
                return json(
                    401, #"{"error": {"code": "TOKEN_EXPIRED", "message": "expired"}}"#,
                    ["WWW-Authenticate": #"Bearer error="invalid_token""#])
            }
            return json(200, #"{"email": "\#(family.email)"}"#)
        }
    }

    private func logIn(_ email: String) -> HTTPResponse {
        let number = families.count + 1
        families[number] = Family(email: email)
        return tokens(number)
    }

    private func refresh(_ token: String) -> HTTPResponse {
        guard let (number, generation) = parse("r", token), let family = families[number],
            !family.isEnded
        else { return refused() }
        switch family.generation - generation {
        case 0:
            refreshes += 1
            families[number]?.generation += 1
            return tokens(number)
        case 1: return tokens(number)
        default:
            reuses += 1
            families[number]?.isEnded = true
            return refused()
        }
    }

    private func refused() -> HTTPResponse {
        json(
            401,
            #"""
            {"error":
            {"code": "INVALID_REFRESH_TOKEN", "message": "no", "action": "reauthenticate"}}
            """#)
    }

    private func tokens(_ number: Int) -> HTTPResponse {
        let family = families[number] ?? Family(email: "")
        let id = "\(number)-\(family.generation)"
        return json(
            200,
            #"""
            {"accessToken": "a-\#(id)", "refreshToken": "r-\#(id)", "tokenType": "Bearer",
             "expiresIn": \#(lifetime), "expiresAt": \#(Int(clock.truth) + lifetime),
             "user": {"id": "\#(family.email)", "email": "\#(family.email)",
                      "emailVerified": true, "createdAt": "2026-01-01T00:00:00.000Z"}}
            """#)
    }

    private func json(
        _ status: Int, _ text: String, _ headers: [String: String] = [:]
    ) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
    }

    private func parse(_ kind: String, _ token: String) -> (Int, Int)? {
        let parts = token.split(separator: "-")
        guard parts.count == 3, parts[0] == kind, let family = Int(parts[1]),
            let generation = Int(parts[2])
        else { return nil }
        return (family, generation)
    }
}

/// Holds up whoever waits, until it is opened.
actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []
    private var arrived = 0

    func wait() async {
        arrived += 1
        for arrival in arrivals { arrival.resume() }
        arrivals = []
        if isOpen { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    /// Returns once somebody waits, or has waited.
    func reached() async {
        if arrived > 0 { return }
        await withCheckedContinuation { arrivals.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
