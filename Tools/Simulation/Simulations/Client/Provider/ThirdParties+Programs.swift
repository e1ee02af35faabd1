import AuthTestSupport

/// Programs that change their documents, and programs whose access administrators end.
extension ThirdParties {
    func changeDocument(_ choices: Choices) {
        guard let sites = simulation.deployment.sites else { return }
        let changes = ClientSites.Change.allCases
        change(
            choices.one(of: sites.sites.keys.sorted()), changes[choices.draw(below: changes.count)])
    }

    /// Makes the site of a program on a listed host work again. The program is described by a
    /// document.
    ///
    /// - Returns: its ID.
    func describedPrograms() -> [String] {
        guard let sites = simulation.deployment.sites,
            let id = sites.sites.keys.sorted().last(where: sites.isListed)
        else { return [] }
        change(id, .comeBack)
        return [id]
    }

    private func change(_ id: String, _ change: ClientSites.Change) {
        guard let sites = simulation.deployment.sites else { return }
        sites.change(id, change)
        guard let site = sites.sites[id], let index = programs.firstIndex(where: { $0.id == id })
        else { return }
        programs[index] = signing(Program(site))
        simulation.facts.provider.add(programs[index])
    }

    /// Changes a document while a person decides or a code waits, and lets the functions read the
    /// new version for another person's request.
    func settleDocument() async {
        guard let sites = simulation.deployment.sites else { return }
        let choices = Choices(UInt64(context.nextNumber()) &+ simulation.plan.seed)
        let id = choices.one(of: sites.sites.keys.sorted())
        change(id, .comeBack)
        let former = programs.first { $0.id == id }
        let device = simulation.devices[choices.draw(below: Plan.people * Plan.devices)]
        let isWhileCodeWaits = choices.happens(50)
        guard let former, let site = sites.sites[id] else { return }
        let (asked, other) = (request(of: former, choices), newBrowser(of: device.person, 1970))
        let probe = request(of: former, choices).pairs(of: former)
        // From now on the functions may use this version of the document for `freshness`.
        _ = await other.open("/oauth/authorize", probe)
        if isWhileCodeWaits {
            context.scheduler.clock.advance(by: .seconds(site.freshness.seconds - 20))
        }
        let change: ClientSites.Change = choices.one(of: [
            .rename, .moveAddress, .replaceKey, .proveOtherwise, .proveOtherwise, .goDown,
        ])
        let back = await ask(
            asked, of: former, in: browser(of: device), device: device.number,
            as: credentials(of: device, isWilling: true),
            beforeDecision: { [self] in
                guard !isWhileCodeWaits else { return }
                await reread(id, after: change, site.freshness, other, probe)
            })
        guard let code = back?.parameters["code"] else { return }
        if isWhileCodeWaits { await reread(id, after: change, .seconds(25), other, probe) }
        let now = current(former)
        for program in choices.happens(50) ? [former, now] : [now, former] {
            let answer = await tokens(
                for: code, asked, of: program, person: device.person,
                resource: asked.resources.first)
            keep(answer, program, device.person, asked, code: code)
        }
    }

    private func reread(
        _ id: String, after change: ClientSites.Change, _ span: Span, _ other: Browser,
        _ probe: [(String, String)]
    ) async {
        self.change(id, change)
        context.scheduler.clock.advance(by: span)
        _ = await other.open("/oauth/authorize", probe)
    }

    // MARK: Ends of clients, grants and secrets

    /// An administrator ends a client in the store, all grants of a client, or a secret, at once or
    /// while functions run.
    func end(_ choices: Choices) async {
        switch choices.draw(below: 10) {
        case 0..<4: return endGrants(choices)
        case 4..<7: return await changeSecrets(choices)
        default: break
        }
        guard !stored.isEmpty else { return }
        let change: AdministerClients.Change = choices.happens(60) ? .delete : .disable
        simulation.administerBesides(client: choices.one(of: stored).id, change)
    }

    private var hasEnds: Bool { simulation.parameters.features.contains(.programsEnd) }

    /// Programs in the store that are not deleted.
    private var stored: [Program] {
        programs.filter { $0.isStored && !simulation.facts.provider.deleted.contains($0.id) }
    }

    /// Ends the access of programs while this one requests access.
    func endBesides(_ program: Program, _ choices: Choices) {
        guard hasEnds, choices.happens(program.isStored ? 40 : 15) else { return }
        simulation.administerBesides(
            client: program.id,
            program.isStored
                ? choices.one(of: [.delete, .disable, .enable, .endGrants]) : .endGrants)
    }

    /// Ends all grants of the program while an approval waits.
    func endGrantsBesides(_ program: Program) {
        guard hasEnds else { return }
        simulation.administer(client: program.id, .endGrants)
    }

    /// Ends the grants of a program that has some, at once or while functions run.
    private func endGrants(_ choices: Choices) {
        let known =
            holdings.suffix(8).map(\.program.id) + waitingDevices.suffix(2).map(\.program.id)
        let own = programs.filter(\.actsForItself).map(\.id)
        simulation.administerBesides(
            client: choices.one(of: known.isEmpty || choices.happens(30) ? own : known),
            .endGrants)
    }

    /// An administrator replaces a program's secret, or ends the former one, and the program
    /// continues.
    private func changeSecrets(_ choices: Choices) async {
        let known = stored.filter { $0.secret != nil }
        let used = known.filter { program in holdings.contains { $0.program.id == program.id } }
        guard !known.isEmpty else { return }
        let program = choices.one(of: used.isEmpty ? known : used)
        for _ in 0...choices.draw(below: 4) {
            changeSecret(of: program.id, choices)
            let holding = holdings.last { $0.program.id == program.id }
            if let holding { await refresh(holding) }
            for _ in 0..<2 {
                _ = await introspect(
                    holding?.refresh ?? "no token", by: current(program), holding?.person ?? 0)
            }
        }
    }

    /// The program gets a new secret, or its former secret is ended.
    private func changeSecret(of id: String, _ choices: Choices) {
        guard !isChangingSecret, var program = programs.first(where: { $0.id == id }) else {
            return
        }
        isChangingSecret = true
        defer { isChangingSecret = false }
        let former = program.formerSecrets
        if former.contains(where: isOfUse), choices.happens(60) {
            change(program, ending: former) { admin throws(AuthError) in
                try admin.change(id, .endFormerSecret, because: nil, by: .password, Caller())
                return .object([:])
            }
            return
        }
        let kind: AdministerClients.FormerSecret = choices.happens(70) ? .kept : .ended
        let ended = kind == .kept ? former : program.secrets
        let answer = change(program, ending: ended) { admin throws(AuthError) in
            try admin.replaceSecret(of: id, kind, because: nil, by: .password, Caller())
        }
        guard let secret = answer?["client_secret"]?.stringValue,
            let index = programs.firstIndex(where: { $0.id == id })
        else { return }
        (program.formerSecrets, program.secret) = (program.secrets, secret)
        programs[index] = program
        simulation.facts.provider.add(program)
    }

    private func isOfUse(_ secret: String) -> Bool {
        !simulation.facts.provider.secretEnds.hasEnded(secret, before: .max)
    }

    /// - Returns: nil if the outcome is unknown.
    @discardableResult
    private func change(
        _ program: Program, ending secrets: [String],
        _ change: (AdministerClients) throws(AuthError) -> JSON
    ) -> JSON? {
        let facts = simulation.facts
        let isClear = facts.provider.secretEnds.begin(
            program.id, program.secrets, ending: secrets)
        let answer = simulation.deployment.run { auth throws(AuthError) in
            try change(auth.administerClients)
        }
        context.transcript.add {
            "administrator: a secret of a client → \(answer == nil ? "failed" : "done")"
        }
        guard let answer else { return nil }
        facts.provider.secretEnds.settle(
            program.id, ended: isClear ? secrets : [],
            isKnown: isClear || answer["client_secret"] != nil, at: facts.step)
        return answer
    }
}
