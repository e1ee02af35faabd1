import AuthTestSupport

extension ThirdParties {
    func perform(_ call: ClientCall, _ step: Plan.Step) async {
        let choices = choices(step)
        let device = simulation.devices[step.device % (Plan.people * Plan.devices)]
        switch call {
        case .grantAccess:
            let program = choices.one(of: programs.filter { !$0.redirectURI.isEmpty })
            await grant(device, program, request(of: program, choices), choices)
        case .answerForAnother: await answerForAnother(device, choices)
        case .leaveBrowser: await leave(device)
        case .removeApplication: await remove(device, choices)
        case .changeProgram: change(choices)
        case .changeDocument: changeDocument(choices)
        case .deleteProgram: await end(choices)
        case .registerProgram: await register(device, choices)
        case .beginDevice, .typeCode, .pollDevice, .abuseDevice:
            await performAtDevice(call, device, choices)
        case .leaveByProgram: await leaveByProgram(device, choices)
        case .stopReceiver: stopReceiver(choices)
        case .useAccess where choices.happens(20): await actForItself(device.person, choices)
        default:
            guard !holdings.isEmpty else { return }
            let holding = choices.one(of: Array(holdings.suffix(8)))
            switch call {
            case .useAccess: await use(holding, choices)
            case .refreshAccess:
                await refresh(
                    holding, resource: choices.one(of: holding.asked.resources.map { $0 } + [nil]),
                    isTwice: choices.happens(30))
            case .abuseAccess: await abuse(holding, device, choices)
            case .abuseKey: await abuseKey(of: holding, choices)
            case .revokeAccess: await revoke(holding, choices)
            default: return
            }
        }
    }

    // MARK: People

    private func grant(
        _ device: Device, _ program: Program, _ wanted: AccessRequest, _ choices: Choices
    ) async {
        var asked = wanted
        if choices.happens(6) {
            asked.redirectURI = choices.one(of: [
                "https://printer.example.com.evil.example/back", "https://evil.example/",
                asked.redirectURI + "/other", "http://127.0.0.1:8080/other",
            ])
        }
        if choices.happens(4) { asked.method = "plain" }
        var credentials = credentials(of: device, isWilling: !choices.happens(8))
        credentials.isImpatient = choices.happens(10)
        if choices.happens(40) { endBesides(program, choices) }
        let back = await ask(
            asked, of: program, in: browser(of: device), device: device.number, as: credentials)
        guard let code = back?.parameters["code"] else { return }
        // The person changes their mind.
        if choices.happens(8) { await remove(program, device) }
        if choices.happens(10) { endGrantsBesides(program) }
        await redeem(code, asked, of: program, device.person, choices)
    }

    func credentials(of device: Device, isWilling: Bool) -> Credentials {
        let person = simulation.people[device.person]
        let email =
            person.mailboxes.first { simulation.facts.passwords.latest(of: $0) != nil }
            ?? person.email
        return Credentials(
            email: email, password: simulation.password(of: person, email),
            wallet: person.wallet,
            identityToken: simulation.identityToken(of: person, "apple", "\(person.index)"),
            isWilling: isWilling)
    }

    private func redeem(
        _ code: String, _ asked: AccessRequest, of program: Program, _ person: Int,
        _ choices: Choices
    ) async {
        let program = current(program)
        let resource = asked.resources.first
        if program.key != nil, choices.happens(40) {
            await stealWithoutKey(code, asked, of: program, person, choices)
        }
        if choices.happens(30) { await steal(code, asked, of: program, person, choices) }
        if choices.happens(15) {
            // A resource for which the user was not asked.
            let other =
                asked.resources.contains(ProviderSettings.notes)
                ? "https://other.example.com/" : ProviderSettings.notes
            _ = await tokens(for: code, asked, of: program, person: person, resource: other)
        }
        let isTwice = choices.happens(20)
        let twin =
            isTwice
            ? Task {
                await tokens(for: code, asked, of: program, person: person, resource: resource)
            } : nil
        let first = await tokens(
            for: code, asked, of: program, person: person, resource: resource)
        let answers = [first, await twin?.value].compactMap(\.self)
        for answer in answers { keep(answer, program, person, asked, code: code) }
        if choices.happens(12) {
            _ = await tokens(for: code, asked, of: program, person: person, resource: resource)
        }
        if choices.happens(12) {
            // A thief has seen the code, but does not have its verifier.
            _ = await tokens(
                for: code, asked, of: program, person: person, verifier: verifier(),
                resource: resource, isThief: true)
        }
    }

    /// Stores the tokens that a code was exchanged for.
    func keep(
        _ answer: WireAnswer?, _ program: Program, _ person: Int, _ asked: AccessRequest,
        code: String
    ) {
        guard let answer, answer.status == 200,
            let json = try? JSON.parse(answer.body, limits: .event),
            let token = json["access_token"]?.stringValue.flatMap(ClientToken.init)
        else { return }
        let holding = Holding(program, person, asked, grant: token.grant, code: code)
        holding.take(json)
        holdings.append(holding)
    }

    /// A thief has seen the code, and perhaps its verifier.
    private func steal(
        _ code: String, _ asked: AccessRequest, of program: Program, _ person: Int,
        _ choices: Choices
    ) async {
        let resource = asked.resources.first
        switch choices.draw(below: 5) {
        case 0:
            let others = programs.filter { $0.id != program.id }
            _ = await tokens(
                for: code, asked, of: choices.one(of: others), person: person, resource: resource,
                isThief: true)
        case 1:
            _ = await tokens(
                for: code, asked, of: program, person: person, verifier: verifier(),
                resource: resource, isThief: true)
        case 2:
            _ = await tokens(
                for: code, asked, of: program, person: person, resource: resource,
                secret: "a secret of somebody else", isThief: true)
        case 3:
            let ways: [Program.Proof] = [.none, .basic, .post].filter { $0 != program.proof }
            _ = await tokens(
                for: code, asked, of: program, person: person, resource: resource,
                by: choices.one(of: ways), isThief: true)
        default:
            let parts = code.split(separator: ".")
            let forged = "\(parts[0].dropLast(4))AAAA.\(parts.last ?? "")"
            _ = await tokens(
                for: forged, asked, of: program, person: person, resource: resource,
                isThief: true)
        }
    }

    /// A person opens a request that another browser has begun.
    private func answerForAnother(_ device: Device, _ choices: Choices) async {
        let others = waiting.suffix(4).filter { $0.device != device.number }
        guard !others.isEmpty else { return }
        let name = choices.one(of: Array(others)).name
        let browser = browser(of: device)
        guard let page = await browser.open("/auth/ui/consent", [("request", name)]),
            page.status == 200, let form = page.hidden("form"),
            let account = page.hidden("account")
        else { return }
        _ = await browser.submit(
            "/auth/ui/consent",
            [("form", form), ("request", name), ("account", account), ("decision", "allow")])
    }

    /// The person signs out in the browser.
    func leave(_ device: Device) async {
        let browser = browser(of: device)
        guard let tokens = browser.tokens else { return }
        let body: JSONObject = ["refreshToken": .string(tokens.refresh)]
        _ = await send(.post("/auth/signout", body), of: device.person)
        browser.forgetSession()
    }

    private func remove(_ device: Device, _ choices: Choices) async {
        let mine = holdings.filter { $0.person == device.person }
        guard !mine.isEmpty else { return }
        let holding = choices.one(of: mine)
        await remove(holding.program, device)
        guard choices.happens(60) else { return }
        // The program sends the same request again.
        var asked = request(of: holding.program, choices)
        (asked.scope, asked.resources) = (holding.asked.scope, holding.asked.resources)
        await grant(device, holding.program, asked, choices)
    }

    func remove(_ program: Program, _ device: Device) async {
        guard let access = device.keptTokens?.access else { return }
        let request = WireRequest(
            method: "DELETE", path: "/auth/applications/\(program.id)", query: "",
            headers: [(name: "Authorization", value: "Bearer \(access)")], body: [])
        _ = await send(request, of: device.person)
    }

    // MARK: Programs

    private func use(_ holding: Holding, _ choices: Choices) async {
        let audiences = holding.accesses.keys.sorted()
        guard !audiences.isEmpty else { return }
        let audience = choices.one(of: audiences)
        if let exchanged = holding.exchanged, choices.happens(30) {
            return await useExchanged(exchanged, of: holding, choices)
        }
        let token = holding.accesses[audience] ?? ""
        if let end = ClientToken(token)?.expiresAt,
            end <= context.scheduler.clock.now.seconds + 5
        {
            await refresh(holding, resource: audience)
        }
        let current = holding.accesses[audience] ?? ""
        guard let server = ProviderSettings.servers.first(where: { $0.resource == audience })
        else {
            _ = await userinfo(current, of: holding)
            return
        }
        let key = keyProof(of: holding, for: current, at: audience)
        switch choices.draw(below: 3) {
        case 0: check(current, at: audience, holding.person, proof: key)
        case 1: askGateway(current, at: audience, holding.person, proof: key)
        default:
            _ = await introspect(current, by: server, holding.person)
            if !server.targets.isEmpty { await exchange(current, of: holding, by: server) }
        }
    }

    func userinfo(_ token: String, of holding: Holding) async -> WireAnswer? {
        let url = ProviderSettings.issuer + "/oauth/userinfo"
        let proof = boundKey(of: token, holding).map { self.proof(of: $0, "GET", url, for: token) }
        return await send(
            .get("/oauth/userinfo", bearer: token, proof: proof), of: holding.person)
    }

    func introspect(
        _ token: String, by program: Program, _ person: Int, isThief: Bool = false
    ) async -> WireAnswer? {
        await send(
            program.request("/oauth/introspect", [("token", token)]), of: person,
            isThief: isThief)
    }

    /// A resource server verifies a token by itself.
    func check(_ text: String, at resource: String, _ person: Int, proof: String? = nil) {
        let flaw = simulation.deployment.provider.flaw
        let isRight = ClientToken(text).map { token in
            token.audience == resource
                && token.expiresAt > context.scheduler.clock.now.seconds
                && (flaw == .resourceServerIgnoresKeys || hasKey(token, proof, at: resource))
        }
        if let proof { takenProofs.insert(proof) }
        let isAccepted = flaw == .resourceServerTakesAll ? ClientToken(text) != nil : isRight
        let number = -context.nextNumber()
        simulation.note(
            Exchange(
                operation: "RESOURCE \(resource)", body: .object([:]), bearer: text,
                status: isAccepted == true ? 200 : 401, answer: nil,
                origin: Origin(person: person, device: 1990, process: 0, isThief: false),
                number: number, startedAt: context.scheduler.steps, startedAlone: false,
                proof: ShownProof(proof), isBound: proof != nil))
    }

    private func revoke(_ holding: Holding, _ choices: Choices) async {
        let tokens = [holding.refresh].compactMap(\.self) + holding.accesses.values.sorted()
        guard !tokens.isEmpty else { return }
        _ = await send(
            current(holding.program).request("/oauth/revoke", [("token", choices.one(of: tokens))]),
            of: holding.person)
    }

    static func refreshing(_ token: String?) -> [(String, String)] {
        [("grant_type", "refresh_token"), ("refresh_token", token ?? "")]
    }

    /// Uses tokens where they must be refused.
    private func abuse(_ holding: Holding, _ device: Device, _ choices: Choices) async {
        let person = holding.person
        let accesses = holding.accesses.values.sorted()
        let access = accesses.isEmpty ? "" : choices.one(of: accesses)
        let (servers, thief) = (ProviderSettings.servers, true)
        let others = programs.filter { $0.id != holding.program.id }
        let other = choices.one(of: others)
        func post(_ path: String, _ pairs: [(String, String)], of program: Program) async {
            _ = await send(program.request(path, pairs), of: person, isThief: thief)
        }
        switch choices.draw(below: 13) {
        case 0: _ = await send(.get("/auth/me", bearer: access), of: person, isThief: thief)
        case 1:
            _ = await introspect(access, by: choices.one(of: servers), person, isThief: thief)
        case 2:
            guard let identity = holding.identity else { return }
            _ = await send(
                .get("/oauth/userinfo", bearer: identity), of: person, isThief: thief)
        case 3:
            guard let own = device.keptTokens?.access else { return }
            _ = await send(.get("/oauth/userinfo", bearer: own), of: person, isThief: thief)
            _ = await introspect(own, by: choices.one(of: servers), person, isThief: thief)
        case 4:
            guard let token = holding.refresh else { return }
            _ = await send(
                .post("/auth/refresh", ["refreshToken": .string(token)]), of: person,
                isThief: thief)
        case 5:
            await post("/oauth/token", Self.refreshing(holding.refresh), of: other)
        case 6:
            guard holding.program.secret != nil else { return }
            var program = holding.program
            program.secret = "a secret of somebody else"
            await post("/oauth/token", Self.refreshing(holding.refresh), of: program)
        case 7:
            let token = choices.happens(50) ? access : holding.refresh ?? access
            await post("/oauth/revoke", [("token", token)], of: other)
        case 8:
            _ = await send(.get("/oauth/userinfo", bearer: access), of: person, isThief: thief)
        case 9: check(access, at: choices.one(of: servers).resource ?? "", person)
        case 10:
            await post(
                "/oauth/token", Self.refreshing(holding.former.last), of: current(holding.program))
        case 11:
            guard let used = lastAssertion, holding.program.proof == .key else { return }
            _ = await send(
                current(holding.program).request(
                    "/oauth/token", Self.refreshing(holding.refresh), secret: used),
                of: person, isThief: thief)
        default:
            guard other.proof != .none else { return }
            _ = await introspect(access, by: other, person, isThief: thief)
        }
    }

    // MARK: Administrators and strangers

    private func register(_ device: Device, _ choices: Choices) async {
        let isPublic = choices.happens(60)
        var program = Program(id: "", proof: isPublic ? .none : .basic)
        program.redirectURI =
            choices.happens(50)
            ? "https://agent.example.com/back" : "http://127.0.0.1/agent"
        program.isSelfRegistered = true
        guard
            let answer = await send(.post("/oauth/register", program.description), of: 0),
            answer.status == 201
        else { return }
        add(program, try? JSON.parse(answer.body, limits: .event))
        guard choices.happens(60), let new = programs.last, new.isSelfRegistered else { return }
        // The program sends a request, and then the same one again.
        let asked = request(of: new, choices)
        for _ in 0..<2 {
            var again = request(of: new, choices)
            (again.scope, again.resources) = (asked.scope, asked.resources)
            await grant(device, new, again, choices)
        }
    }

    private func add(_ program: Program, _ answer: JSON?) {
        guard let id = answer?["client_id"]?.stringValue, programs.count(where: \.isStored) < 5
        else { return }
        var new = program
        (new.id, new.secret) = (id, answer?["client_secret"]?.stringValue)
        programs.append(new)
        simulation.facts.provider.add(new)
    }

    private func change(_ choices: Choices) {
        let stored = programs.filter(\.isStored)
        guard !stored.isEmpty, choices.happens(70) else {
            var program = Program(
                id: "", proof: .basic, redirectURI: "https://added.example.com/back")
            program.usesDevices = simulation.parameters.provider.hasDevices
            if choices.happens(25) { program = ProviderSettings.backup }
            let answer = simulation.deployment.run { auth throws(AuthError) in
                try auth.administerClients.add(
                    program.description, because: nil, by: .password, Caller())
            }
            return add(program, answer)
        }
        let id = choices.one(of: stored).id
        let isDisabled = simulation.facts.provider.disabled[id] != nil
        simulation.administer(client: id, isDisabled ? .enable : .disable)
    }
}
