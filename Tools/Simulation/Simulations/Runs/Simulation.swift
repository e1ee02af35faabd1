import AuthTestSupport
import Contracts
import JSON
import Time

/// One run: people with devices and apps, a network, the functions and their store, in one thread.
final class Simulation: @unchecked Sendable {
    final class Person {
        let index: Int
        let email: String
        /// Passwords that were tried, the first one at registration.
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
    let checker: InvariantChecker
    let people: [Person]
    private(set) var devices: [Device] = []
    private let mutation: Mutation?
    private let mixUp = MixUp()
    private var served = 0
    private var calls = 0
    /// The functions run without faults, and nobody sees it.
    var isProbing = false
    /// The history of the sessions, if it is recorded.
    let history: History?
    /// Accounts that have an object in the storage.
    var storers: Set<String> = []
    /// Faults have ended, and apps are checked.
    var isSettling = false
    /// They begin with the next request of the person that changes the account.
    var waitingTasks: [(task: OperatorTask, step: Plan.Step)] = []
    private let thieves = IdentityThieves()
    /// Requests with something that works once.
    private var seen: [(request: WireRequest, origin: Origin)] = []
    private(set) var outcomes: [String: Int] = [:]

    init(
        _ plan: Plan, contract: String, store: StoreKind, mutation: Mutation?, isTold: Bool,
        keepsHistory: Bool
    ) throws {
        self.plan = plan
        guard let dialect = Dialect.named(contract) else {
            throw Deployment.Failure.noContract(contract)
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
        deployment = try Deployment(
            contract: contract, store, context, mutation, seed: random.next())
        checker = InvariantChecker(context, deployment.contract.policy)
        people = (0..<Plan.people).map { index in
            Person(
                index, Wallet(seed: plan.seed &* 31 &+ UInt64(index), scheduler.clock), dialect)
        }
        for person in people { checker.readers[person.email] = person.index }
        mixUp.isOn = mutation?.mixesAnswersUp ?? false
        checker.onGuest = { [unowned self] in storeSomething(of: $0) }
        deployment.running.slowness = [0, 5, 20, 50][context.scheduler.draw(below: 4)]
        context.watched = mutation?.watched
        deployment.flaws.isKnown = { [people] email in people.contains { $0.email == email } }
        for person in people {
            for _ in 0..<Plan.devices { addDevice(of: person.index, isThief: false) }
        }
    }

    @discardableResult
    private func addDevice(of person: Int, isThief: Bool) -> Device {
        let device = Device(
            number: devices.count, person: person, isThief: isThief, dialect.contract,
            people[person].wallet, context, mixUp: mixUp
        ) { [unowned self] in serve($0, $1) }
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
        let body = dialect.body(
            (try? JSON.parse(request.body, limits: .event)) ?? .object([:]))
        let bearer = request.headers.first { $0.name == "Authorization" }?.value
            .split(separator: " ").last.map(String.init)
        if !isProbing {
            checker.prepare(operation, body, bearer, number: number)
            if origin.isRepetition { checker.prepareRepetition(operation, body) }
            thieves.copy(request, body, from: origin, self)
            operate(beside: operation, origin)
        }
        let call = history?.tick() ?? 0
        let answer: WireAnswer?
        if deployment.flaws.flaw == .signsOutNothing, operation == "POST /auth/signout" {
            answer = WireAnswer(status: 200, headers: [], body: Array(#"{"success":true}"#.utf8))
        } else {
            do {
                answer = try deployment.answer(request, from: origin.address)
            } catch {
                context.violate(.alwaysAnswers, "\(operation): \(error)")
                return nil
            }
        }
        let exchange = Exchange(
            operation: operation, body: body, bearer: bearer, status: answer?.status ?? 0,
            answer: answer.flatMap { answer in
                (try? JSON.parse(answer.body, limits: .event)).map {
                    dialect.answer($0, to: operation, status: answer.status)
                }
            }, origin: origin, number: number, startedAt: startedAt,
            startedAlone: served == number && deployment.running.depth == 0)
        guard !isProbing else { return answer }
        context.coverage.add(Self.general(operation), "\(exchange.status)")
        context.transcript.add {
            let who = origin.isThief ? "thief" : "person \(origin.person)"
            return "  \(who), device \(origin.device): \(Self.general(operation)) "
                + "→ \(exchange.status) \(exchange.answer?["error"]?["code"]?.stringValue ?? "")"
        }
        if let history { checker.record(exchange, in: history, call: call) }
        if answer != nil, deployment.failsByItself {
            context.violate(.errorsHaveCauses, "\(operation) → \(exchange.status)")
        }
        checker.note(exchange)
        if exchange.isSuccess, InvariantChecker.once.contains(operation) {
            seen.append((request, origin))
        }
        readMail()
        return answer
    }

    /// Without identifiers.
    static func general(_ operation: String) -> String {
        let parts = operation.split(separator: "/")
        guard parts.count > 3, operation.hasPrefix("DELETE ") else { return operation }
        return parts.prefix(3).joined(separator: "/") + "/{id}"
    }

    func readLetters() { readMail() }
    var isBusy: Bool { running > 0 }

    private func readMail() {
        for letter in checker.mails.read(deployment.kit.mail.mails) {
            guard let reader = checker.readers[letter.to] else {
                continue
            }
            people[reader].letters.append(letter)
        }
    }

    // MARK: The run

    func run() -> RunResult {
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
            transcript: context.transcript.lines, history: history?.lines ?? [])
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

    private var running = 0
    /// When the latest faults ended.
    private var quietSince: Instant

    /// Lets everything happen, or so much of it.
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
            return device.kill(step.app)
        case .copyDevice: return steal(device, step)
        case .replayRequest: return replay(step.choice)
        case .copyIdentityToken: return thieves.tokensWanted += 1
        default: if let task = step.call.operatorTask { return begin(task, step) }
        }
        call(step.call, device, app: step.app, choice: step.choice) { _ in }
    }

    /// Somebody sends a request again that they have seen.
    private func replay(_ choice: Int) {
        guard !seen.isEmpty else { return }
        var (request, origin) = seen[choice % seen.count]
        origin.isRepetition = true
        context.transcript.add { "\(request.path) is sent again" }
        context.scheduler.add(
            Scheduler.Event(
                process: nil, isMessage: true,
                happen: { [self, origin] in _ = serve(request, origin) }, abandon: {}))
    }

    /// A thief copies the stored record of a device to another device.
    private func steal(_ device: Device, _ step: Plan.Step) {
        guard !device.isThief, let record = device.disk.record, let tokens = device.keptTokens,
            devices.count < 12
        else { return }
        let thief = (device.person + 1) % people.count
        let other = addDevice(of: thief, isThief: true)
        other.disk.record = record
        if let session = checker.session(ofAccess: tokens.access) { checker.markStolen(session) }
        context.transcript.add { "the tokens of device \(device.number) are copied" }
        call([.profile, .refresh, .signOut][step.choice % 3], other, app: 0, choice: 0) { _ in }
    }

    /// Begins a call of an app.
    func call(
        _ call: ClientCall, _ device: Device, app index: Int, choice: Int,
        _ end: @escaping (CallResult) -> Void
    ) {
        let app = device.app(index)
        var input = self.input(of: call, people[device.person], choice)
        let before = device.keptTokens.flatMap { checker.session(ofAccess: $0.access) }
        input.isGuest =
            before.flatMap { checker.sessions[$0]?.user }.map(checker.factors.guests.contains)
            ?? false
        let threshold = context.nextNumber()
        if let before, call.endsSession { checker.mayEnd(before) }
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
        device.killing(app, during: threshold) { [self] in
            running -= 1
            if call.changesPassword { checker.notePasswordUnclear(device.person) }
            done.isVoid = true
        }
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
            if case .refused = result {} else { checker.notePasswordUnclear(device.person) }
        }
        // A sign-in replaces the session of the device, also if it cannot be stored.
        if call.signsIn, result.isSuccess, let before { checker.mayEnd(before) }
        switch (call, result) {
        case (.signOut, .success), (.signOutEverywhere, .success):
            let ended = checker.signedOut[app.process]
            if let session = ended ?? before, ended != nil || device.keptTokens == nil {
                // A process that started meanwhile may have read the session before it was removed.
                device.signedOut[session] = context.nextNumber()
            }
        case (.startApp, .signedOut):
            if let before, checker.isAlive(before), let fact = checker.sessions[before],
                !fact.mayHaveEnded, !fact.isStolen,
                device.keptTokens.flatMap({ checker.session(ofAccess: $0.access) }) == before
            {
                context.violate(
                    .honestStaysSignedIn,
                    "device \(device.number) starts without the session that it keeps")
            }
        case (.refresh, .success(let token?)), (.cancelledRefresh, .success(let token?)):
            if let session = checker.session(ofAccess: token),
                let end = device.signedOut[session], app.process > end
            {
                context.violate(
                    .signedOutHere, "device \(device.number) has a token after its sign-out")
            }
        case (.credentials, .success(let text?)): checkCredentials(text, device)
        default: break
        }
    }

    private func checkCredentials(_ text: String, _ device: Device) {
        let parts = text.split(separator: "|").map(String.init)
        guard parts.count == 2, let life = Int(parts[1]) else { return }
        let mine = checker.owners.filter { $0.value == device.person || device.isThief }.keys
        if !mine.contains(where: { parts[0].hasPrefix("users/\($0)/") }) {
            context.violate(.credentialsWithinBounds, "credentials for \(parts[0])")
        }
        // The device's clock may be wrong by more than that.
        if device.skew == 0, life > 3600 + 60 {
            context.violate(.credentialsWithinBounds, "credentials of \(life) s")
        }
    }
}
