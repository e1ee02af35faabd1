import AuthTestSupport

/// The random choices of one call. They do not depend on other events.
final class Choices {
    private var random: SplitMix64

    init(_ seed: UInt64) { random = SplitMix64(seed: seed) }

    func draw(below bound: Int) -> Int { bound < 2 ? 0 : Int(random.next(below: UInt64(bound))) }
    func happens(_ percent: UInt64) -> Bool { random.happens(percent) }
    func one<Value>(of values: [Value]) -> Value { values[draw(below: values.count)] }
}

/// The tokens of one grant, as the program keeps them.
final class Holding: @unchecked Sendable {
    let program: Program
    let person: Int
    let asked: AccessRequest
    let grant: String
    let code: String
    /// The access tokens, by audience.
    var accesses: [String: String] = [:]
    var refresh: String?
    /// The former refresh tokens, the oldest first.
    var former: [String] = []
    var identity: String?
    /// The token that a resource server got in exchange for an access token.
    var exchanged: String?
    /// Whether the response to a refresh was lost.
    var isUnsure = false
    /// Whether a refresh is under way.
    var isBusy = false

    init(
        _ program: Program, _ person: Int, _ asked: AccessRequest, grant: String, code: String
    ) {
        self.program = program
        self.person = person
        self.asked = asked
        self.grant = grant
        self.code = code
    }

    func take(_ answer: JSON) {
        if let token = answer["access_token"]?.stringValue.flatMap(ClientToken.init),
            let audience = token.audience
        {
            accesses[audience] = token.text
        }
        if let next = answer["refresh_token"]?.stringValue, next != refresh {
            if let refresh { former.append(refresh) }
            refresh = next
        }
        identity = answer["id_token"]?.stringValue ?? identity
    }
}

/// The parameters of a request for access.
struct AccessRequest: Sendable {
    var redirectURI: String
    var scope: [String]
    var resources: [String]
    var verifier: String
    var state: String
    var nonce: String?
    var ageMax: Int?
    var prompt: String?
    var method = "S256"
    /// The thumbprint of the key that must be proven with the code.
    var proofKey: String?

    var challenge: String {
        method == "S256" ? Base64URL.encode(SHA256.hash(Array(verifier.utf8))) : verifier
    }

    func pairs(of program: Program) -> [(String, String)] {
        var pairs = [
            ("client_id", program.id), ("redirect_uri", redirectURI), ("response_type", "code"),
            ("scope", scope.joined(separator: " ")), ("state", state),
            ("code_challenge", challenge), ("code_challenge_method", method),
        ]
        pairs += resources.map { ("resource", $0) }
        if let nonce { pairs.append(("nonce", nonce)) }
        if let ageMax { pairs.append(("max_age", "\(ageMax)")) }
        if let prompt { pairs.append(("prompt", prompt)) }
        if let proofKey { pairs.append(("dpop_jkt", proofKey)) }
        return pairs
    }
}

/// Programs of other parties, resource servers, people with browsers, and thieves among them.
final class ThirdParties: @unchecked Sendable {
    unowned let simulation: Simulation
    private var browsers: [Int: Browser] = [:]
    private var networks: [String: SimulatedNetwork] = [:]
    /// All programs, including the ones in the store.
    var programs: [Program] = []
    /// The last client assertion that was sent.
    private(set) var lastAssertion: String?
    /// The last DPoP proofs that were sent.
    private(set) var lastProofs: [String] = []
    /// Proofs that resource servers have accepted.
    var takenProofs: Set<String> = []
    var holdings: [Holding] = []
    var waitingDevices: [WaitingDevice] = []
    /// Access tokens that programs have for themselves.
    var ownTokens: [String] = []
    /// Whether an administrator is replacing a secret or ending a former one.
    var isChangingSecret = false
    /// Requests that wait in a browser, so that another browser can try to answer them.
    var waiting: [(name: String, device: Int)] = []
    private let mixUp = MixUp()

    init(_ simulation: Simulation) {
        self.simulation = simulation
        let described = simulation.deployment.sites?.sites.values.map(Program.init) ?? []
        programs =
            (ProviderSettings.programs(simulation.parameters.provider)
            + described.sorted { $0.id < $1.id }).map(signing)
        for program in programs { simulation.facts.provider.add(program) }
        simulation.listenToNotices()
    }

    /// The program, with functions that sign its assertions and proofs.
    func signing(_ program: Program) -> Program {
        var program = program
        program.makeAssertion = { [unowned self] program in
            ProgramKey.assertion(
                of: program, number: context.nextNumber(), at: context.scheduler.clock.now)
        }
        program.makeProof = { [unowned self] key in
            proof(of: key, "POST", ProviderSettings.issuer + "/oauth/token")
        }
        return program
    }

    func proof(
        of key: ProofKey, _ method: String, _ url: String, for token: String? = nil
    ) -> String {
        key.proof(
            method, url, for: token, number: context.nextNumber(),
            at: context.scheduler.clock.now)
    }

    /// The current state of the program, whose document or secret may have changed.
    func current(_ program: Program) -> Program {
        guard program.isDescribed || program.isStored,
            var now = programs.first(where: { $0.id == program.id })
        else { return program }
        // Some of the program's servers still use the former secret.
        if let former = now.formerSecrets.last, context.happens(percent: 30) {
            now.secret = former
        }
        return now
    }

    var context: SimulationContext { simulation.context }

    func choices(_ step: Plan.Step) -> Choices {
        Choices(simulation.plan.seed &* 0x9E37_79B9 &+ UInt64(step.choice) &* 31)
    }

    func browser(of device: Device) -> Browser {
        if let known = browsers[device.number] { return known }
        let new = newBrowser(of: device.person, device.number)
        browsers[device.number] = new
        return new
    }

    func newBrowser(of person: Int, _ device: Int) -> Browser {
        let origin = Origin(
            person: person, device: device, process: context.nextNumber(), isThief: false)
        return Browser(person: person, network(origin)) { [unowned simulation] cookie in
            simulation.facts.sessionMayEnd(cookie)
        }
    }

    private func network(_ origin: Origin) -> SimulatedNetwork {
        SimulatedNetwork(
            context, origin, mixUp: mixUp,
            serve: { [unowned simulation] in
                simulation.serve($0, $1)
            })
    }

    /// Sends a program's request on behalf of a person.
    func send(_ request: WireRequest, of person: Int, isThief: Bool = false) async -> WireAnswer? {
        let name = "\(person) \(isThief)"
        let known =
            networks[name]
            ?? network(
                Origin(
                    person: person, device: (isThief ? 1950 : 1900) + person,
                    process: context.nextNumber(), isThief: isThief))
        networks[name] = known
        if let assertion = request.fields?["client_assertion"] { lastAssertion = assertion }
        if let proof = request.header("DPoP") { lastProofs = lastProofs.suffix(3) + [proof] }
        return await known.exchange(request)
    }

    func verifier() -> String {
        "verifier-\(context.nextNumber())-" + String(repeating: "v", count: 43)
    }

    // MARK: A person grants access

    /// - Returns: the code, and the address to which the browser goes with it.
    ///
    /// - Parameter beforeDecision: runs while the person looks at the page.
    func ask(
        _ asked: AccessRequest, of program: Program, in browser: Browser, device: Int,
        as person: Credentials, beforeDecision: () async -> Void = {}
    ) async -> Redirect? {
        var answer = await browser.open("/oauth/authorize", asked.pairs(of: program))
        for _ in 0..<10 {
            guard let redirect = Redirect(answer?.location) else { return nil }
            guard redirect.isOfServer else { return redirect }
            let name = redirect.parameters["request"]
            if let name { waiting.append((name, device)) }
            let path = "/auth/ui/\(redirect.page)"
            let page = await browser.open(path, redirect.parameters.sorted { $0.key < $1.key })
            guard let page, page.status == 200 else {
                answer = page
                continue
            }
            guard let fields = self.fields(on: redirect.page, page, person) else {
                return nil
            }
            if redirect.page == "consent" { await beforeDecision() }
            let twin = person.isImpatient ? Task { await browser.submit(path, fields) } : nil
            answer = await browser.submit(path, fields)
            let other = await twin?.value
            if Redirect(answer?.location)?.isOfServer != false { answer = other ?? answer }
            if redirect.page == "signin", answer?.status ?? 500 < 500, answer?.location == nil {
                answer = await signInAtProvider(browser, device, person)
            }
        }
        return nil
    }

    /// A person without a password signs in with a provider.
    func signInAtProvider(
        _ browser: Browser, _ device: Int, _ person: Credentials, to page: String? = nil
    ) async -> WireAnswer? {
        guard let token = person.identityToken,
            let page = page ?? browser.request.map({ "consent?request=\($0)" })
        else { return nil }
        let origin = Origin(
            person: browser.person, device: device, process: 0, isThief: false)
        let history = simulation.history
        let call = history?.tick() ?? 0
        guard let tokens = simulation.signInAtProvider(token, origin) else { return nil }
        if let history, let access = AccessToken(tokens.access.reveal()) {
            history.add(
                "begin", of: access.user, target: access.session, next: tokens.refresh.reveal(),
                call: call, hasAnswer: true)
        }
        browser.keep(refresh: tokens.refresh.reveal(), access: tokens.access.reveal())
        return WireAnswer(status: 303, headers: [("location", page)], body: [])
    }

    /// A person's input on a page; nil if the page does not belong to a request for access.
    func fields(
        on name: String, _ page: WireAnswer, _ person: Credentials
    ) -> [(String, String)]? {
        guard let form = page.hidden("form") else { return nil }
        let code = person.wallet?.apps.first.flatMap { person.wallet?.code(of: $0) }
        var fields = [("form", form)]
        switch name {
        case "signin": fields += [("email", person.email), ("password", person.password)]
        case "second-factor":
            guard let code else { return nil }
            fields.append(("code", code))
        case "step-up":
            if page.asks(for: "currentPassword") {
                fields.append(("currentPassword", person.password))
            } else if let code, page.asks(for: "code") {
                fields.append(("code", code))
            } else {
                return nil
            }
        case "consent":
            guard let request = page.hidden("request"), let account = page.hidden("account") else {
                return nil
            }
            fields += [
                ("request", request), ("account", account),
                ("decision", person.isWilling ? "allow" : "deny"),
            ]
        default: return nil
        }
        return fields
    }

    struct Credentials: Sendable {
        let email: String
        let password: String
        let wallet: Wallet?
        var identityToken: String?
        var isWilling = true
        /// Whether the person sends each form twice.
        var isImpatient = false
    }

    /// Draws the parameters of a program's request.
    func request(of program: Program, _ choices: Choices) -> AccessRequest {
        let number = context.nextNumber()
        let (photos, notes) = (ProviderSettings.photos, ProviderSettings.notes)
        let (scope, resources): ([String], [String]) = choices.one(of: [
            (["openid"], []), (["openid", "profile", "email"], []),
            (["openid", "offline_access"], []), (["photos:read"], [photos]),
            (["openid", "photos:read", "offline_access"], [photos]),
            (["openid", "photos:read", "notes:read", "offline_access"], [photos, notes]),
            (["notes:read", "offline_access"], [notes]),
        ])
        var asked = AccessRequest(
            redirectURI: program.address(port: 1024 + choices.draw(below: 60_000)), scope: scope,
            resources: resources, verifier: verifier(), state: "state-\(number)")
        if choices.happens(60) { asked.nonce = "nonce-\(number)" }
        if choices.happens(15) { asked.ageMax = choices.one(of: [0, 60, 3600]) }
        if choices.happens(10) { asked.prompt = choices.one(of: ["login", "consent"]) }
        if let key = program.key, choices.happens(40) { asked.proofKey = key.thumbprint }
        return asked
    }

    /// Exchanges a code.
    func tokens(
        for code: String, _ asked: AccessRequest, of program: Program, person: Int,
        verifier: String? = nil, resource: String?, secret: String? = nil,
        by way: Program.Proof? = nil, proof: KeyProof = .own, isThief: Bool = false
    ) async -> WireAnswer? {
        var pairs = [
            ("grant_type", "authorization_code"), ("code", code),
            ("redirect_uri", asked.redirectURI), ("code_verifier", verifier ?? asked.verifier),
        ]
        if let resource { pairs.append(("resource", resource)) }
        return await send(
            program.request("/oauth/token", pairs, secret: secret, by: way, proof: proof),
            of: person, isThief: isThief)
    }

    /// - Returns: false if the outcome is unknown.
    @discardableResult
    func refresh(
        _ holding: Holding, resource: String? = nil, isTwice: Bool = false
    ) async -> Bool {
        guard let token = holding.refresh, !holding.isBusy else { return true }
        holding.isBusy = true
        defer { holding.isBusy = false }
        let audience = resource ?? holding.asked.resources.first
        var pairs = [("grant_type", "refresh_token"), ("refresh_token", token)]
        if let audience { pairs.append(("resource", audience)) }
        let program = current(holding.program)
        let other = program.request("/oauth/token", pairs)
        holding.isUnsure = true
        let twin = isTwice ? Task { await send(other, of: holding.person) } : nil
        let request = program.request("/oauth/token", pairs)
        var answers = [await send(request, of: holding.person)]
        if let twin { answers.append(await twin.value) }
        for answer in answers.compactMap(\.self) {
            guard let json = try? JSON.parse(answer.body, limits: .event) else { continue }
            if answer.status == 200 { holding.take(json) }
            if answer.status < 500, answer.status != 429 { holding.isUnsure = false }
        }
        return !holding.isUnsure
    }
}
