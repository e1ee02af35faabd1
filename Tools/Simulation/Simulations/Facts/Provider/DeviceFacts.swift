import Time

/// Requests of devices with a code that people type (RFC 8628), and the decisions about them.
struct DeviceFacts {
    /// A poll that is not answered yet.
    struct Question {
        /// The time since the last poll was answered; nil for the first poll.
        let pause: Span?
        /// Whether the tokens may have been issued before.
        let wasSpent: Bool
        /// Whether another poll was under way at the same time.
        var isOverlapped = false
    }

    struct Approval {
        let user: String
        let browser: String
        /// The function had responded by this step.
        let settledAt: Int
    }

    struct Request {
        let asked: ProviderFacts.Asked
        /// From this time on, the functions report the request as expired.
        let endsAt: Instant
        /// Accounts that may have been shown the code.
        var readers: Set<String> = []
        /// The sessions in which each account may have allowed the request.
        var allowing: [String: [String]] = [:]
        var approval: Approval?
        /// The step of the response to a refusal.
        var refusedAt: Int?
        /// Whether a valid poll was made after somebody may have allowed the request.
        var isSpent = false
        var questions: [Int: Question] = [:]
        fileprivate(set) var answeredAt: Instant?
        /// How often the device may have been told to slow down.
        var slowed: Int64 = 0
    }

    /// The requests, by device code.
    private(set) var requests: [String: Request] = [:]
    /// The device codes, by the letters that a person types.
    private(set) var codes: [String: String] = [:]

    /// The code without separators, in upper case.
    static func letters(_ typed: String) -> String { typed.uppercased().filter(\.isLetter) }

    mutating func begin(_ code: String, _ userCode: String, _ request: Request) {
        requests[code] = request
        codes[Self.letters(userCode)] = code
    }

    private mutating func change(_ typed: String, _ change: (inout Request) -> Void) {
        guard let code = codes[Self.letters(typed)], var request = requests[code] else { return }
        change(&request)
        requests[code] = request
    }

    func request(typed: String) -> Request? { codes[Self.letters(typed)].flatMap { requests[$0] } }

    // MARK: People

    mutating func mayShow(_ typed: String, to user: String) {
        change(typed) { $0.readers.insert(user) }
    }

    mutating func mayAllow(_ typed: String, _ user: String, in browser: String) {
        change(typed) {
            $0.allowing[user, default: []].append(browser)
            // A concurrent poll may get the tokens.
            if !$0.questions.isEmpty { $0.isSpent = true }
        }
    }

    mutating func allow(_ typed: String, _ approval: Approval) {
        change(typed) { $0.approval = $0.approval ?? approval }
    }

    mutating func refuse(_ typed: String, at step: Int) {
        change(typed) { $0.refusedAt = $0.refusedAt ?? step }
    }

    // MARK: Devices

    mutating func ask(_ code: String, _ number: Int, isRight: Bool, at now: Instant) {
        guard var request = requests[code] else { return }
        let isAlone = request.questions.isEmpty
        for other in request.questions.keys { request.questions[other]?.isOverlapped = true }
        request.questions[number] = Question(
            pause: request.answeredAt.map { now - $0 }, wasSpent: request.isSpent,
            isOverlapped: !isAlone)
        if isRight, !request.allowing.isEmpty { request.isSpent = true }
        requests[code] = request
    }

    mutating func answer(_ code: String, _ number: Int, maySlow: Bool, at now: Instant) {
        guard var request = requests[code] else { return }
        request.questions[number] = nil
        request.answeredAt = now
        if maySlow { request.slowed += 1 }
        requests[code] = request
    }
}
