import AuthOperations
import AuthTestSupport
import Time

/// Programs whose documents change, and that administrators end.
extension ThirdParties {
    func changeDocument(_ choices: Choices) {
        guard let sites = simulation.deployment.sites else { return }
        let changes = ClientSites.Change.allCases
        change(
            choices.one(of: sites.sites.keys.sorted()), changes[choices.draw(below: changes.count)])
    }

    /// One of a listed host, whose site works again.
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

    /// A document changes while a person decides, or while a code waits, and the functions read it
    /// again for somebody else.
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
        // From now on, the functions know the document for so long.
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

    // MARK: Ends

    /// An administrator ends a client in the store, at once or while functions run.
    func end(_ choices: Choices) {
        let stored = programs.filter { $0.id.hasPrefix("lkc_") }
        let alive = stored.filter { !simulation.facts.provider.deleted.contains($0.id) }
        guard !alive.isEmpty else { return }
        let change: AdministerClients.Change = choices.happens(60) ? .delete : .disable
        simulation.administerBesides(client: choices.one(of: alive).id, change)
    }

    /// While the program asks for access.
    func endBesides(_ program: Program, _ choices: Choices) {
        guard simulation.parameters.features.contains(.programsEnd), program.id.hasPrefix("lkc_"),
            choices.happens(30)
        else { return }
        simulation.administerBesides(
            client: program.id, choices.one(of: [.delete, .disable, .enable]))
    }
}
