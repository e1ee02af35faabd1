import AuthTestSupport
import Contracts

/// One run: people with devices and apps, a network, the functions and their store, in one thread.
final class Simulation: @unchecked Sendable {
    final class Person {
        let index: Int
        let email: String
        /// The addresses of the person's mailboxes.
        var mailboxes: [String] { [email, "person\(index)@new.example"] }
        /// Passwords that the person has tried, beginning with the one at registration.
        var passwords: [String]
        var letters: [MailFacts.Letter] = []
        var identities = 0
        let wallet: Wallet

        init(_ index: Int, _ wallet: Wallet, _ dialect: Dialect) {
            self.index = index
            self.wallet = wallet
            email = "person\(index)@example.com"
            passwords = [dialect.password("correct horse \(index) first")]
        }
    }

    let plan: Plan
    let dialect: Dialect
    let context: SimulationContext
    let deployment: Deployment
    let parameters: RunParameters
    let facts: Facts
    var observers: Observers
    let people: [Person]
    private(set) var devices: [Device] = []
    private let mutation: Mutation?
    private let mixUp = MixUp()
    private var served = 0
    var calls = 0
    /// Whether the simulation itself calls the functions, without faults and observers.
    var isProbing = false
    /// The history of the sessions, if it is recorded.
    let history: History?
    /// Accounts that have an object in the storage.
    var storers: Set<String> = []
    /// Whether faults have ended and apps are being checked.
    var isSettling = false
    /// Tasks that begin together with the person's next request that changes the account.
    var waitingTasks: [(task: OperatorTask, step: Plan.Step)] = []
    private let thieves = IdentityThieves()
    /// The programs of other parties, in runs with `Feature.provider`.
    private(set) var parties: ThirdParties?
    private var lists: ListServer?
    /// Requests with a single-use secret.
    var seen: [(request: WireRequest, origin: Origin)] = []
    private(set) var outcomes: [String: Int] = [:]

    init(
        _ plan: Plan, _ parameters: RunParameters, _ mutation: Mutation?, isTold: Bool,
        keepsHistory: Bool
    ) throws {
        self.plan = plan
        self.parameters = parameters
        guard let dialect = Dialect.named(parameters.contract) else {
            throw Deployment.Failure.noContract(parameters.contract)
        }
        self.dialect = dialect
        history = keepsHistory ? History(seed: plan.seed) : nil
        self.mutation = mutation
        var random = SplitMix64(seed: plan.seed)
        var faults = FaultPlan(&random)
        for fault in plan.without { faults.remove(fault) }
        let scheduler = Scheduler(clock: TestClock(), seed: random.next())
        quietSince = scheduler.clock.now
        let transcript = Transcript(isTold: isTold)
        let start = scheduler.clock.now
        transcript.follow { "\((scheduler.clock.now - start).milliseconds) ms" }
        context = SimulationContext(scheduler: scheduler, faults: faults, transcript: transcript)
        let deploymentSeed = random.next()
        people = (0..<Plan.people).map { index in
            Person(
                index, Wallet(seed: plan.seed &* 31 &+ UInt64(index), scheduler.clock), dialect)
        }
        deployment = try Deployment(
            parameters, context, mutation,
            formerUsers: Dictionary(
                uniqueKeysWithValues: people.map { ($0.email, $0.passwords[0]) }),
            seed: deploymentSeed)
        facts = Facts(scheduler, deployment.policy, addresses: people.map(\.email))
        observers = Observers(
            MailBudgetFacts(
                perRecipient: deployment.policy.mailBudget?.perRecipient, startedAt: start),
            hooks: deployment.hooks, parameters.features)
        facts.hasProvider = parameters.features.contains(.provider)
        facts.provider.sites = deployment.sites
        facts.provider.notesNeedKey = parameters.provider.notesNeedKey
        for person in people {
            for mailbox in person.mailboxes { facts.accounts.readers[mailbox] = person.index }
        }
        mixUp.isOn = mutation?.mixesAnswersUp ?? false
        facts.onGuest = { [unowned self] in storeSomething(of: $0) }
        deployment.running.slowness = [0, 5, 20, 50][context.scheduler.draw(below: 4)]
        context.watched = mutation?.watched
        deployment.flaws.isKnown = { [people] email in people.contains { $0.email == email } }
        if facts.hasProvider { parties = ThirdParties(self) }
        lists = parameters.features.contains(.revocations) ? ListServer(self, mutation) : nil
        for person in people {
            for _ in 0..<Plan.devices { addDevice(of: person.index, isThief: false) }
        }
    }

    @discardableResult
    func addDevice(of person: Int, isThief: Bool) -> Device {
        let device = Device(
            number: devices.count, person: person, isThief: isThief, dialect.contract,
            people[person].wallet, context, mixUp: mixUp,
            serve: { [unowned self] in serve($0, $1) },
            openPage: { [unowned self] in openPage($0, identityToken: $1, $2) })
        mutation?.plant(device.disk)
        if !isThief, context.happens(percent: 20) {
            device.skew = Double(context.scheduler.draw(below: 7200)) - 3600
        }
        devices.append(device)
        return device
    }

    // MARK: The functions

    /// - Returns: nil if the function was killed.
    func serve(_ request: WireRequest, _ origin: Origin) -> WireAnswer? {
        served += 1
        let number = served
        let startedAt = context.scheduler.steps
        let operation = dialect.operation(request)
        let body = self.body(of: request)
        let bearer = request.headers.first { $0.name == "Authorization" }?.value
            .split(separator: " ").last.map(String.init)
        if !isProbing {
            facts.prepare(operation, body, bearer, number: number)
            prepareProvider(operation, body, bearer, request, origin, number: number)
            if origin.isRepetition || isBehind(origin) {
                facts.prepareRepetition(operation, body)
            }
            thieves.copy(request, body, from: origin, self)
            operate(beside: operation, origin)
        }
        let call = history?.tick() ?? 0
        let answer: WireAnswer?
        if let flawed = deployment.flaws.answerInPlace(of: operation) {
            answer = flawed
        } else {
            do {
                answer = try deployment.answer(request, from: origin.address)
            } catch {
                context.violate(.alwaysAnswers, "\(operation): \(error)")
                return nil
            }
        }
        var exchange = Exchange(
            operation: operation, body: body, bearer: bearer, status: answer?.status ?? 0,
            answer: answer.flatMap { answer in
                (try? JSON.parse(answer.body, limits: .event)).map {
                    dialect.answer($0, to: operation, status: answer.status)
                }
            }, origin: origin, number: number, startedAt: startedAt,
            startedAlone: served == number && deployment.running.depth == 0)
        guard !isProbing else { return answer }
        exchange = completed(exchange, request, answer)
        context.coverage.add(Self.general(operation), "\(exchange.status)")
        context.transcript.add {
            let who = origin.isThief ? "thief" : "person \(origin.person)"
            return "  \(who), device \(origin.device): \(Self.general(operation)) "
                + "→ \(exchange.status) \(exchange.answer?["error"]?["code"]?.stringValue ?? "")"
        }
        if let history { facts.record(exchange, in: history, call: call) }
        if answer != nil, deployment.failsByItself {
            context.violate(.errorsHaveCauses, "\(operation) → \(exchange.status)")
        }
        note(exchange)
        noteBrowserSession(request, answer, exchange, call: call)
        if exchange.isSuccess, SingleUse.replayed.contains(operation) {
            seen.append((request, origin))
        }
        readMail()
        return answer
    }

    private func isBehind(_ origin: Origin) -> Bool {
        origin.device < devices.count && devices[origin.device].disk.isBehind
    }

    func note(_ exchange: Exchange) {
        let seen = Seen(exchange, facts)
        observers.judge(seen, facts, context)
        facts.note(seen)
        lists?.observe(exchange)
    }

    /// The operation's name without identifiers.
    static func general(_ operation: String) -> String {
        let parts = operation.split(separator: "/")
        guard parts.count > 3, operation.hasPrefix("DELETE ") else { return operation }
        return parts.prefix(3).joined(separator: "/") + "/{id}"
    }

    func readLetters() { readMail() }
    var isBusy: Bool { running > 0 }

    private func readMail() {
        for letter in facts.mails.read(deployment.kit.mail.mails, at: context.scheduler.steps) {
            observers.judge(letter, facts, context)
            guard let reader = facts.accounts.readers[letter.to] else { continue }
            people[reader].letters.append(letter)
        }
    }

    // MARK: The run

    func run() -> RunResult {
        let drawn = drawn
        context.scheduler.collecting {
            for (index, round) in plan.rounds.enumerated() where context.violation == nil {
                if plan.beginsWithFormer { deployment.running.formerShare = share(at: index) }
                perform(round)
            }
            deployment.running.formerShare = .none
            if context.violation == nil { settle() }
            if context.violation == nil { checkAtTheEnd() }
            context.scheduler.end()
        }
        return RunResult(
            plan: plan, violation: context.violation, steps: context.scheduler.steps,
            digest: context.scheduler.digest, calls: calls, requests: served,
            faults: context.faults.counts, coverage: context.coverage.counts, outcomes: outcomes,
            transcript: context.transcript.lines, history: history?.lines ?? [], drawn: drawn)
    }

    private func share(at round: Int) -> FormerRelease.Share {
        round < Plan.formerOnly ? .all : round < Plan.formerEnd ? .some : .none
    }

    private func perform(_ round: Plan.Round) {
        context.faultsUntil = quietSince + .seconds(20)
        var open = 0
        for step in round.steps { start(step, &open) }
        finish(open: round.limit)
        if context.happens(percent: 20) { deployment.keepHouse() }
        if context.happens(.clockJump) {
            devices[context.scheduler.draw(below: devices.count)].skew =
                Double(context.scheduler.draw(below: 200_000)) - 100_000
        }
        readMail()
        if round.settles { settle() }
        context.scheduler.clock.advance(by: .seconds(round.pause))
        if round.settles { quietSince = context.scheduler.clock.now }
    }

    var running = 0
    /// When the latest faults ended.
    private var quietSince: Instant

    /// Runs events until none is left, or up to a limit.
    private func finish(open limit: Int?) {
        var left = limit ?? 20_000
        while running > 0, left > 0, context.violation == nil {
            left -= 1
            if !context.scheduler.step() {
                return context.violate(.alwaysAnswers, "\(running) calls wait for nothing")
            }
        }
        if limit == nil, running > 0, context.violation == nil {
            context.violate(.alwaysAnswers, "\(running) calls do not end")
        }
    }

    private func start(_ step: Plan.Step, _ open: inout Int) {
        let device = devices[step.device % devices.count]
        switch step.call {
        case .killApp:
            context.transcript.add { "device \(device.number): the app ends" }
            return kill(step.app, of: device)
        case .copyDevice: return steal(device, step)
        case .replayRequest: return replay(step.choice)
        case .copyIdentityToken: return thieves.tokensWanted += 1
        default:
            if let task = step.call.operatorTask { return begin(task, step) }
            if step.call.isOfProvider, let parties { return begin(step, with: parties) }
        }
        call(step.call, device, app: step.app, choice: step.choice) { _ in }
    }

    /// Kills an app. If the device could not store its latest tokens, their session may end with
    /// it (`SessionMachine`, lost answers).
    private func kill(_ app: Int, of device: Device) {
        if device.disk.isIncomplete, let kept = device.keptTokens,
            let session = facts.session(ofAccess: kept.access)
        {
            facts.sessions.mayEnd(session)
        }
        device.kill(app)
    }

    /// Begins a call of an app.
    func call(
        _ call: ClientCall, _ device: Device, app index: Int, choice: Int,
        _ end: @escaping (CallResult) -> Void
    ) {
        let app = device.app(index)
        var input = self.input(of: call, people[device.person], choice)
        let before = device.keptTokens.flatMap { facts.session(ofAccess: $0.access) }
        input.isGuest =
            before.flatMap { facts.sessions[$0]?.user }.map(facts.factors.guests.contains)
            ?? false
        if call == .mergeSessions { input.other = otherApp(of: device) }
        let threshold = context.nextNumber()
        if let before, call.endsSession { facts.sessions.mayEnd(before) }
        running += 1
        calls += 1
        context.transcript.add {
            "person \(device.person), device \(device.number), app \(index): \(call.rawValue)"
        }
        let done = Done { [self] result in
            running -= 1
            outcomes["\(call.rawValue): \(result.name)", default: 0] += 1
            context.transcript.add { "device \(device.number): \(call.rawValue) → \(result.name)" }
            note(call, result, device, app, before, startedAt: threshold)
            end(result)
        }
        let stop = { [self] in
            guard !done.isVoid else { return }
            running -= 1
            if call.changesPassword { facts.passwordsBecomeUnclear(of: device.person) }
            done.isVoid = true
        }
        device.killing(app, during: threshold, stop)
        // The call uses another app, too, and waits for it.
        if let other = input.other { devices[other.device].killing(other, during: threshold, stop) }
        Task {
            let result = await app.perform(call, input)
            done.call(result)
        }
    }

    private final class Done: @unchecked Sendable {
        private let body: (CallResult) -> Void
        var isVoid = false

        init(_ body: @escaping (CallResult) -> Void) { self.body = body }

        func call(_ result: CallResult) {
            guard !isVoid else { return }
            isVoid = true
            body(result)
        }
    }

    private func note(
        _ call: ClientCall, _ result: CallResult, _ device: Device, _ app: App, _ before: String?,
        startedAt: Int
    ) {
        device.forget(call: startedAt)
        guard !context.scheduler.isOver else { return }
        if call.changesPassword, !result.isSuccess {
            if case .refused = result {} else { facts.passwordsBecomeUnclear(of: device.person) }
        }
        // A sign-in replaces the session of the device, even if it cannot be stored.
        if call.signsIn, result.isSuccess, let before { facts.sessions.mayEnd(before) }
        switch (call, result) {
        case (.signOut, .success), (.signOutEverywhere, .success):
            let ended = facts.sessions.signedOut[app.process]
            if let session = ended ?? before, ended != nil || device.keptTokens == nil {
                // A process that started during the call may have read the session before.
                device.signedOut[session] = context.nextNumber()
            }
        case (.startApp, .signedOut):
            if let before, let fact = facts.sessions[before], fact.endedAt == nil,
                !fact.mayHaveEnded, !fact.isStolen, !facts.mayHaveEndedByAge(before),
                device.keptTokens.flatMap({ facts.session(ofAccess: $0.access) }) == before
            {
                context.violate(
                    .honestStaysSignedIn,
                    "device \(device.number) starts without the session that it keeps")
            }
        case (.refresh, .success(let token?)), (.cancelledRefresh, .success(let token?)):
            if let session = facts.session(ofAccess: token),
                let end = device.signedOut[session], app.process > end
            {
                context.violate(
                    .signedOutHere, "device \(device.number) has a token after its sign-out")
            }
        case (.credentials, .success(let text?)): checkCredentials(text, device)
        case (.stepUp, .success(_?)):
            context.violate(.ownAccount, "a passkey of another person is accepted as this person's")
        default: break
        }
    }
}
