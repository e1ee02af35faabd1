import AuthTestSupport

/// The state of a device without a keyboard that waits for a decision (RFC 8628).
final class WaitingDevice: @unchecked Sendable {
    let program: Program
    /// The person who owns the device.
    let person: Int
    let asked: AccessRequest
    let code: String
    let userCode: String
    /// The polling interval that the device currently observes.
    private(set) var interval = Span.seconds(5)
    var askedAt: Instant?
    /// Whether the device has tokens, or has been refused.
    private(set) var isOver = false

    init?(_ program: Program, _ person: Int, _ asked: AccessRequest, _ answer: JSON) {
        guard let code = answer["device_code"]?.stringValue,
            let userCode = answer["user_code"]?.stringValue
        else { return nil }
        self.program = program
        self.person = person
        self.asked = asked
        self.code = code
        self.userCode = userCode
    }

    func learn(_ answer: WireAnswer?) {
        guard let answer, answer.status < 500,
            let json = try? JSON.parse(answer.body, limits: .event)
        else { return }
        switch json["error"]?.stringValue {
        case "slow_down": interval = .seconds(interval.seconds + 5)
        case "authorization_pending": break
        case "access_denied", "expired_token", "invalid_grant": isOver = true
        default: isOver = isOver || answer.status == 200
        }
    }
}

extension ThirdParties {
    private static let page = "/oauth/device"

    func performAtDevice(
        _ call: ClientCall, _ device: Device, _ choices: Choices
    ) async {
        if call == .beginDevice {
            let all = programs.filter(\.usesDevices)
            return await beginDevice(choices.one(of: all), device, choices)
        }
        let mine = waitingDevices.filter { $0.person == device.person }
        // The person types a thief's code, deceived by the thief, or the code of another person.
        let known = choices.happens(75) && !mine.isEmpty ? mine : waitingDevices
        guard !known.isEmpty else { return }
        let waiting = choices.one(of: Array(known.suffix(4)))
        switch call {
        case .typeCode: await type(waiting, device, choices)
        case .pollDevice: await poll(waiting, choices)
        default: await abuse(waiting, device, choices)
        }
    }

    private func beginDevice(
        _ program: Program, _ device: Device, _ choices: Choices
    ) async {
        let asked = request(of: program, choices)
        let pairs =
            [("scope", asked.scope.joined(separator: " "))]
            + asked.resources.map { ("resource", $0) }
        let answer = await send(
            program.request("/oauth/device_authorization", pairs), of: device.person)
        guard let answer, answer.status == 200,
            let json = try? JSON.parse(answer.body, limits: .event),
            let waiting = WaitingDevice(program, device.person, asked, json)
        else { return }
        waitingDevices.append(waiting)
        if choices.happens(40) { await poll(waiting, choices) }
        if choices.happens(70) { await type(waiting, device, choices) }
    }

    // MARK: People

    private func type(_ waiting: WaitingDevice, _ device: Device, _ choices: Choices) async {
        var credentials = credentials(of: device, isWilling: !choices.happens(15))
        credentials.isImpatient = choices.happens(15)
        let asksMeanwhile = choices.happens(25)
        let answer = await enter(
            waiting.userCode, in: browser(of: device), device: device.number, as: credentials
        ) { [self] in
            if asksMeanwhile { await ask(waiting) }
        }
        let isDecided = Redirect(answer?.location)?.parameters["notice"] != nil
        guard isDecided else { return }
        // The person changes their mind before the device polls.
        switch choices.draw(below: 12) {
        case 0: await remove(waiting.program, device)
        case 1: await leave(device)
        case 2: endGrantsBesides(waiting.program)
        default: break
        }
        if choices.happens(75) { await poll(waiting, choices) }
    }

    /// A person opens the page with a code, signs in if that is needed, and decides.
    func enter(
        _ code: String, in browser: Browser, device: Int, as person: Credentials,
        beforeDecision: () async -> Void = {}
    ) async -> WireAnswer? {
        var answer = await browser.open(Self.page, [("user_code", code)])
        for _ in 0..<12 {
            if let redirect = Redirect(answer?.location) {
                let isDecided = redirect.page == "device" && redirect.parameters["notice"] != nil
                guard redirect.isOfServer, !isDecided else { return answer }
                answer = await follow(redirect, code, in: browser, device, person)
                continue
            }
            guard let page = answer, page.status == 200, let form = page.hidden("form") else {
                return answer
            }
            guard let request = page.hidden("request"), let account = page.hidden("account")
            else {
                answer = await browser.submit(Self.page, [("form", form), ("user_code", code)])
                continue
            }
            await beforeDecision()
            let fields = [
                ("form", form), ("request", request), ("account", account),
                ("decision", person.isWilling ? "allow" : "deny"),
            ]
            let twin =
                person.isImpatient ? Task { await browser.submit(Self.page, fields) } : nil
            answer = await browser.submit(Self.page, fields)
            let other = await twin?.value
            return answer?.location == nil ? other ?? answer : answer
        }
        return answer
    }

    private func follow(
        _ redirect: Redirect, _ code: String, in browser: Browser, _ device: Int,
        _ person: Credentials
    ) async -> WireAnswer? {
        let isBack = redirect.page == "device"
        let path = isBack ? Self.page : "/auth/ui/\(redirect.page)"
        let page = await browser.open(path, redirect.parameters.sorted { $0.key < $1.key })
        guard !isBack, let page, page.status == 200 else { return page }
        guard let fields = fields(on: redirect.page, page, person) else { return nil }
        let answer = await browser.submit(path, fields)
        guard redirect.page == "signin", answer?.status ?? 500 < 500, answer?.location == nil
        else { return answer }
        return await signInAtProvider(
            browser, device, person, to: "../../oauth/device?user_code=\(code)")
    }

    // MARK: Devices

    /// The device polls until it gets tokens or a refusal, and sometimes polls too early.
    private func poll(_ waiting: WaitingDevice, _ choices: Choices) async {
        for _ in 0...choices.draw(below: 3) where !waiting.isOver {
            let wait = waiting.askedAt.map { $0 + waiting.interval - context.scheduler.clock.now }
            if let wait, wait > .zero, choices.happens(70) { await pass(wait) }
            if choices.happens(15) { await pollWrongly(waiting, choices) }
            let twin = choices.happens(25) ? Task { await ask(waiting) } : nil
            await ask(waiting)
            await twin?.value
        }
        // The device has lost its tokens, and begins again.
        if waiting.isOver, choices.happens(20) { await ask(waiting) }
    }

    func ask(_ waiting: WaitingDevice) async {
        waiting.askedAt = context.scheduler.clock.now
        let answer = await send(
            waiting.program.request("/oauth/token", question(waiting.code, waiting.asked)),
            of: waiting.person)
        waiting.askedAt = context.scheduler.clock.now
        waiting.learn(answer)
        keep(answer, waiting.program, waiting.person, waiting.asked, code: waiting.code)
    }

    private func question(_ code: String, _ asked: AccessRequest) -> [(String, String)] {
        [("grant_type", Program.device), ("device_code", code)]
            + asked.resources.prefix(1).map { ("resource", $0) }
    }

    private func pollWrongly(_ waiting: WaitingDevice, _ choices: Choices) async {
        let others = programs.filter { $0.usesDevices && $0.id != waiting.program.id }
        let isForged = choices.happens(30)
        let code = isForged ? waiting.code.dropLast(4) + "AAAA" : waiting.code[...]
        let program = isForged ? waiting.program : choices.one(of: others)
        _ = await send(
            program.request("/oauth/token", question(String(code), waiting.asked)),
            of: waiting.person, isThief: true)
    }

    /// Advances the simulation's time.
    private func pass(_ span: Span) async {
        let scheduler = context.scheduler
        await withCheckedContinuation { waiter in
            _ = scheduler.startTimer(
                0, after: span,
                Scheduler.Event(
                    process: nil, happen: { waiter.resume() }, abandon: { waiter.resume() }))
        }
    }

    /// Once faults have ended, the device always waits as long as required.
    func settle(_ waiting: WaitingDevice) async {
        for _ in 0..<3 where !waiting.isOver {
            if let asked = waiting.askedAt {
                let wait = asked + waiting.interval - context.scheduler.clock.now
                if wait > .zero { await pass(wait) }
            }
            await ask(waiting)
        }
    }

    // MARK: Guesses

    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// A signed-in person guesses codes, or allows a request without having typed its code.
    private func abuse(_ waiting: WaitingDevice, _ device: Device, _ choices: Choices) async {
        let browser = browser(of: device)
        guard let page = await browser.open(Self.page), page.status == 200,
            let form = page.hidden("form"), let tokens = browser.tokens,
            let account = AccessToken(tokens.access)?.user
        else { return }
        if choices.happens(40) {
            _ = await browser.submit(
                Self.page,
                [
                    ("form", form), ("request", waiting.userCode), ("account", account),
                    ("decision", "allow"),
                ])
            return await ask(waiting)
        }
        for _ in 0..<7 {
            let guess = String((0..<8).map { _ in choices.one(of: Self.alphabet) })
            _ = await browser.submit(Self.page, [("form", form), ("user_code", guess)])
        }
    }
}
