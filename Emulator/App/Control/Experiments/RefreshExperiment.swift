internal import EmulatorBase
internal import EmulatorLambda
internal import JSON

/// Signs in, runs a preset and checks the result: a race must issue at most one successor, and must
/// not end the session of an app that did nothing wrong.
struct RefreshExperiment: Sendable {
    private typealias Answer = ExperimentClient.Answer

    private let client: ExperimentClient
    private let preset: RefreshPreset
    private static let gateMilliseconds: Int64 = 15_000

    init(_ client: ExperimentClient, _ preset: RefreshPreset) {
        self.client = client
        self.preset = preset
    }

    func run() throws(ExperimentFailure) -> JSON {
        let session = try signIn()
        let answers = try perform(session)
        var successors: [String] = []
        for (_, answer) in answers {
            guard let token = answer.body["refreshToken"]?.stringValue else { continue }
            if !successors.contains(token), token != session.refreshToken {
                successors.append(token)
            }
        }
        let isAlive = successors.contains { token in
            client.send("/auth/refresh", ["refreshToken": .string(token)]).status == 200
        }
        return [
            "preset": .string(preset.rawValue), "summary": .string(preset.summary),
            "answers": .array(
                answers.map { name, answer in
                    var object: JSONObject = [
                        "name": .string(name), "traceId": .string(answer.trace),
                    ]
                    object["status"] = answer.status.map { .number($0) }
                    return .object(object)
                }),
            "successors": .number(successors.count), "isAlive": .bool(isAlive),
            "isAsExpected": .bool(successors.count <= 1 && isAlive == preset.keepsSession),
            "expected": .string("at most 1, \(preset.keepsSession ? "alive" : "ended")"),
        ]
    }

    private func perform(
        _ session: Session
    ) throws(ExperimentFailure) -> [(name: String, answer: Answer)] {
        let client = client
        let refresh: @Sendable () -> Answer = {
            client.send("/auth/refresh", ["refreshToken": .string(session.refreshToken)])
        }
        let route: JSONObject = [
            "service": "route", "method": "POST", "path": "/auth/refresh",
            "contains": .string(session.refreshToken),
        ]
        switch preset {
        case .held, .reordered:
            return try behindGate(
                ["arrivals": 2, "order": preset == .held ? "arrival" : "reverse"], of: session,
                [("first refresh", refresh), ("second refresh", refresh)])
        case .signOut:
            // The sign-out arrives second and writes first.
            return try behindGate(
                ["arrivals": 2, "order": "reverse"], of: session,
                [
                    ("refresh", refresh),
                    (
                        "sign-out",
                        {
                            client.send(
                                "/auth/signout", ["scope": "session"], bearer: session.accessToken)
                        }
                    ),
                ])
        case .doubled:
            let plan: JSON = [
                "match": .object(route), "arrivals": 1, "order": [1, 1],
                "timeoutMilliseconds": .number(Self.gateMilliseconds),
            ]
            let id = try client.add("gates", plan)
            let answer = refresh()
            // The second delivery is answered after the first, and its response is discarded.
            try wait { client.gate(id)?["phase"] == "done" }
            let statuses = (client.gate(id)?["releases"]?.arrayValue ?? []).map { release in
                release["status"]?.int64Value ?? 0
            }
            client.remove("gates", id)
            return [("refresh, delivered as \(statuses)", answer)]
        case .lost:
            let fault: JSON = ["match": .object(route), "effect": "lose", "count": 1]
            let id = try client.add("faults", fault)
            let first = refresh()
            let second = refresh()
            client.remove("faults", id)
            return [("refresh", first), ("the same again", second)]
        }
    }

    /// Holds the requests' writes to the store at a gate.
    private func behindGate(
        _ plan: JSONObject, of session: Session,
        _ requests: [(name: String, send: @Sendable () -> Answer)]
    ) throws(ExperimentFailure) -> [(name: String, answer: Answer)] {
        var plan = plan
        plan["match"] = [
            "service": "dynamodb", "operation": "PutItem|TransactWriteItems",
            "contains": .string(session.user),
        ]
        plan["timeoutMilliseconds"] = .number(Self.gateMilliseconds)
        let id = try client.add("gates", .object(plan))
        defer { client.remove("gates", id) }
        var promises: [(name: String, answer: BlockingPromise<Answer>)] = []
        for (index, request) in requests.enumerated() {
            let promise = BlockingPromise<Answer>()
            promises.append((request.name, promise))
            guard BackgroundThread.run({ promise.give(request.send()) }) else {
                throw ExperimentFailure("cannot start a thread")
            }
            // Sends the next request only when the previous one is at the gate.
            try wait { (client.gate(id)?["arrived"]?.arrayValue?.count ?? 0) > index }
        }
        let answers = promises.map { (name: $0.name, answer: $0.answer.take()) }
        // The last response is sent before the gate is done.
        try wait("the writes did not meet at the gate") { client.gate(id)?["phase"] == "done" }
        return answers
    }

    private func wait(
        _ problem: String = "the request did not arrive at the gate", _ condition: () -> Bool
    ) throws(ExperimentFailure) {
        for _ in 0..<(2 * Self.gateMilliseconds / 10) {
            if condition() { return }
            ThreadSleep.milliseconds(10)
        }
        throw ExperimentFailure(
            "\(problem): is the functions' store in the emulator's DynamoDB (no --store)?")
    }
}

// Creating and checking the session.
extension RefreshExperiment {
    private struct Session: Sendable {
        let user: String
        let accessToken: String
        let refreshToken: String
    }

    private func signIn() throws(ExperimentFailure) -> Session {
        let minted = client.send("/_idp/google/mint", [:])
        guard let idToken = minted.body["idToken"]?.stringValue else {
            throw ExperimentFailure("cannot mint an identity token at /_idp/google/mint")
        }
        let answer = client.send(
            "/auth/signin", ["provider": "google", "idToken": .string(idToken)])
        guard answer.status == 200, let user = answer.body["user"]?["id"]?.stringValue,
            let access = answer.body["accessToken"]?.stringValue,
            let refresh = answer.body["refreshToken"]?.stringValue
        else {
            throw ExperimentFailure(
                "POST /auth/signin did not sign in: "
                    + "\(answer.status.map { "\($0) \(answer.body.text)" } ?? "no answer"). "
                    + "The experiments need the routes of the contract latchkey.")
        }
        return Session(user: user, accessToken: access, refreshToken: refresh)
    }
}
