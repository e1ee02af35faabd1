import AuthTestSupport

/// Programs of other parties, in runs with `Feature.provider`.
extension Simulation {
    func begin(_ step: Plan.Step, with parties: ThirdParties) {
        context.transcript.add { "device \(step.device): \(step.call.rawValue)" }
        begin { await parties.perform(step.call, step) }
    }

    /// Begins an activity that is not a call of an app.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        running += 1
        calls += 1
        Task {
            await body()
            running -= 1
        }
    }

    /// The members of a body, whether it is JSON, a form, or a page's query.
    func body(of request: WireRequest) -> JSON {
        if facts.hasProvider, let fields = request.fields { return Self.object(fields) }
        return dialect.body((try? JSON.parse(request.body, limits: .event)) ?? .object([:]))
    }

    private static func object(_ fields: [String: String]) -> JSON {
        var object: JSONObject = [:]
        for (name, value) in fields { object[name] = .string(value) }
        return .object(object)
    }

    func prepareProvider(
        _ operation: String, _ body: JSON, _ bearer: String?, _ request: WireRequest,
        _ origin: Origin, number: Int
    ) {
        guard facts.hasProvider else { return }
        facts.prepareProvider(operation, body, bearer, request, origin, number: number)
    }

    /// Adds the details that only runs with the provider need.
    func completed(
        _ exchange: Exchange, _ request: WireRequest, _ answer: WireAnswer?
    ) -> Exchange {
        guard facts.hasProvider else { return exchange }
        var exchange = exchange
        (exchange.location, exchange.next) = (answer?.location, answer?.next)
        exchange.proof = ShownProof(request.header("DPoP"))
        exchange.isBound = request.header("Authorization")?.hasPrefix("DPoP ") ?? false
        exchange.advice = deployment.advice
        exchange.browser = facts.heldSession(request.sessionCookie)
        if request.path == "/auth/ui/consent", answer?.status == 200 {
            exchange.shown = answer?.number(after: ClientSites.namePrefix)
        }
        return exchange
    }

    /// Asks the functions, as a gateway does, about a token for a resource.
    func askGateway(
        _ token: String, _ proof: String?, isBound: Bool, for resource: String, _ origin: Origin
    ) {
        let (number, startedAt) = (-context.nextNumber(), context.scheduler.steps)
        var headers: JSONObject = [
            "authorization": .string("\(isBound ? "DPoP" : "Bearer") \(token)")
        ]
        headers["dpop"] = proof.map { .string($0) }
        let parts = resource.split(separator: "/", maxSplits: 2).map(String.init)
        let event: JSON = [
            "version": "2.0", "headers": .object(headers),
            "rawPath": .string("/" + ProviderSettings.pathOfResources),
            "requestContext": [
                "domainName": .string(parts.last?.filter { $0 != "/" } ?? ""),
                "http": ["method": "GET"],
            ],
        ]
        let isAllowed = deployment.authorize(event, for: resource)
        context.transcript.add {
            "  gateway of \(resource) → \(isAllowed.map { $0 ? "allowed" : "refused" } ?? "?")"
        }
        note(
            Exchange(
                operation: "GATEWAY \(resource)", body: .object([:]), bearer: token,
                status: isAllowed.map { $0 ? 200 : 401 } ?? 503, answer: nil, origin: origin,
                number: number, startedAt: startedAt, startedAlone: false,
                proof: ShownProof(proof), isBound: isBound))
    }

    /// Notes a session that a page has begun or renewed, like a response to an app.
    func noteBrowserSession(
        _ request: WireRequest, _ answer: WireAnswer?, _ exchange: Exchange, call: Int64
    ) {
        guard facts.hasProvider,
            let cookie = answer?.setCookies.last(where: { $0.name == Browser.session })?.value,
            let tokens = Browser.tokens(cookie), let access = AccessToken(tokens.access)
        else { return }
        let former = Browser.tokens(request.sessionCookie)
        let isNew = facts.sessions[access.session] == nil
        // A user of the former system may have an unproven address.
        if facts.accounts.owners[access.user] == nil {
            facts.accounts.unproven.insert(access.user)
        }
        if let history {
            if isNew, let former, let session = facts.session(ofAccess: former.access) {
                history.add(
                    "end", of: facts.sessions[session]?.user, target: session, call: call,
                    hasAnswer: false)
            }
            // A step-up renews only the access token.
            if isNew {
                history.add(
                    "begin", of: access.user, target: access.session, next: tokens.refresh,
                    call: call, hasAnswer: true)
            } else if former?.refresh != tokens.refresh {
                history.add(
                    "refresh", of: access.user, session: access.session, token: former?.refresh,
                    next: tokens.refresh, call: call, hasAnswer: true)
            }
        }
        if !isNew, let former, former.refresh != tokens.refresh {
            facts.sessions.spend(former.refresh, for: tokens.refresh, at: facts.now)
        }
        note(
            Exchange(
                operation: exchange.operation, body: .object([:]), bearer: nil, status: 200,
                answer: [
                    "accessToken": .string(tokens.access), "refreshToken": .string(tokens.refresh),
                ], origin: exchange.origin, number: -context.nextNumber(),
                startedAt: exchange.startedAt, startedAlone: false))
    }

    func administer(client id: String, _ change: AdministerClients.Change) {
        guard !facts.provider.deleted.contains(id) else { return }
        let begunAt = now
        facts.provider.beginChange(of: id, change, at: begunAt)
        let done: Void? = deployment.run { auth throws(AuthError) in
            try auth.administerClients.change(
                id, change, because: nil, by: .password, Caller())
        }
        context.transcript.add {
            "administrator: \(change) of a client → \(done == nil ? "failed" : "done")"
        }
        facts.provider.endChange(of: id, isDone: done != nil, change, from: begunAt, at: now)
    }

    private var now: GrantEnds.Moment { GrantEnds.Moment(step: facts.step, time: facts.now) }

    /// Adds the change as a message, so that it can also run while functions wait for the store.
    func administerBesides(client id: String, _ change: AdministerClients.Change) {
        context.scheduler.add(
            Scheduler.Event(
                process: nil, isMessage: true,
                happen: { [self] in administer(client: id, change) }, abandon: {}))
    }

    /// After faults have ended, every program learns the outcome of its refresh, and tries its
    /// ended tokens.
    func settlePrograms() {
        guard let parties else { return }
        for holding in parties.holdings.suffix(10) where context.violation == nil {
            begin { [parties] in
                for _ in 0..<3 where holding.isUnsure { await parties.refresh(holding) }
                await parties.refresh(holding)
            }
            finishAll()
            for (audience, token) in holding.accesses.sorted(by: { $0.key < $1.key }) {
                begin { [parties] in await parties.probe(token, for: audience, holding) }
                finishAll()
            }
        }
        for token in parties.ownTokens.suffix(4) where context.violation == nil {
            begin { [parties] in await parties.probeOwn(token) }
            finishAll()
        }
    }
}

extension Simulation {
    func settleDocuments() {
        guard let parties, deployment.sites != nil, context.violation == nil,
            deployment.running.formerShare == .none
        else { return }
        begin { [parties] in await parties.settleDocument() }
        finishAll()
    }
}

// MARK: At the end

extension Simulation {
    fileprivate struct Refused: Error {
        let what: String
    }

    /// Checks without faults that a new person can grant access to programs of each kind, also in a
    /// browser whose session has ended.
    func checkPrograms() {
        guard let parties, context.violation == nil else { return }
        context.scheduler.clock.advance(by: .hours(1))
        begin { [self, parties] in
            do {
                let browser = parties.newBrowser(of: 0, 1960)
                for id in ["printer", "terminal", "house"] + parties.describedPrograms() {
                    try await parties.check(id, in: browser)
                }
                if parameters.provider.hasDevices { try await parties.checkDevice(in: browser) }
            } catch let refused as Simulation.Refused {
                context.violate(.allGetIn, "of a program: \(refused.what)")
            } catch {}
        }
        finishAll()
    }
}

extension ThirdParties {
    fileprivate func check(_ id: String, in browser: Browser) async throws(Simulation.Refused) {
        guard let program = programs.first(where: { $0.id == id }) else { return }
        let photos = ProviderSettings.photos
        let asked = AccessRequest(
            redirectURI: program.address(port: 8080),
            scope: ["openid", "photos:read", "offline_access"], resources: [photos],
            verifier: verifier(), state: "state")
        let arrived = simulation.deployment.logout?.arrived
        let person = somebody
        let back = await ask(asked, of: program, in: browser, device: 1960, as: person)
        guard let code = back?.parameters["code"] else {
            throw Simulation.Refused(what: "\(id) gets no code")
        }
        func json(_ answer: WireAnswer?) -> JSON? {
            answer.flatMap { $0.status == 200 ? try? JSON.parse($0.body, limits: .event) : nil }
        }
        let first = json(
            await tokens(for: code, asked, of: program, person: 0, resource: photos))
        guard let token = first?["refresh_token"]?.stringValue else {
            throw Simulation.Refused(what: "\(id) gets no tokens")
        }
        let pairs = [
            ("grant_type", "refresh_token"), ("refresh_token", token),
            ("resource", ProviderSettings.issuer),
        ]
        let next = json(await send(program.request("/oauth/token", pairs), of: 0))
        let holding = Holding(program, 0, asked, grant: "", code: code)
        let userinfo = await userinfo(next?["access_token"]?.stringValue ?? "", of: holding)
        guard userinfo?.status == 200 else {
            throw Simulation.Refused(what: "\(id) does not learn who the user is")
        }
        let access = first?["access_token"]?.stringValue ?? ""
        let told = json(await introspect(access, by: ProviderSettings.servers[0], 0))
        guard told?["active"]?.boolValue == true else {
            throw Simulation.Refused(what: "a token of \(id) is not active")
        }
        if program.isRecognised {
            var again = asked
            again.prompt = "none"
            let back = await ask(again, of: program, in: browser, device: 1960, as: person)
            guard back?.parameters["code"] != nil else {
                throw Simulation.Refused(what: "the user is asked again about \(id)")
            }
        }
        // The next check needs a browser whose session has ended.
        guard let tokens = browser.tokens else { return }
        _ = await send(.post("/auth/signout", ["refreshToken": .string(tokens.refresh)]), of: 0)
        guard program.noticeAddress != nil, simulation.deployment.logout?.arrived == arrived
        else { return }
        throw Simulation.Refused(what: "\(id) is not told of a sign-out")
    }

    private var somebody: Credentials {
        Credentials(
            email: "somebody@example.com",
            password: simulation.dialect.password("correct horse somebody else"), wallet: nil)
    }

    /// A person allows a device's request.
    fileprivate func checkDevice(in browser: Browser) async throws(Simulation.Refused) {
        func json(_ answer: WireAnswer?) -> JSON? {
            answer.flatMap { try? JSON.parse($0.body, limits: .event) }
        }
        let program = programs.first { $0.id == ProviderSettings.television.id }
        let asked = AccessRequest(
            redirectURI: "", scope: ["openid"], resources: [], verifier: "", state: "")
        let sent = program?.request("/oauth/device_authorization", [("scope", "openid")])
        guard let program, let sent, let answer = json(await send(sent, of: 0)),
            let waiting = WaitingDevice(program, 0, asked, answer)
        else { throw Simulation.Refused(what: "a device gets no code") }
        _ = await enter(waiting.userCode, in: browser, device: 1960, as: somebody)
        let held = holdings.count
        await ask(waiting)
        guard holdings.count > held else {
            throw Simulation.Refused(what: "a device that is allowed gets no tokens")
        }
    }

    /// Introspects a token, or uses it at its resource server.
    func probe(_ token: String, for audience: String, _ holding: Holding) async {
        guard let server = ProviderSettings.servers.first(where: { $0.resource == audience })
        else {
            _ = await userinfo(token, of: holding)
            return
        }
        _ = await introspect(token, by: server, holding.person)
        let proof = keyProof(of: holding, for: token, at: audience)
        askGateway(token, at: audience, holding.person, proof: proof)
    }
}
