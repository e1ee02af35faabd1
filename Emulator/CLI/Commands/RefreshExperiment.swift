internal import EmulatorBase
internal import EmulatorProcesses
internal import HTTP
internal import JSON

/// The races and failures of a refresh for `emulator gate run`.
enum RefreshPreset: String, CaseIterable, Sendable {
    case held, reordered, doubled, lost
    case signOut = "sign-out"

    var summary: String {
        switch self {
        case .held: "two refreshes that both have read the session; their writes in order"
        case .reordered: "the same, and the second one writes first"
        case .doubled: "the network delivers one refresh twice"
        case .lost: "the answer to a refresh is lost, and the app tries again"
        case .signOut: "a sign-out between the read and the write of a refresh"
        }
    }

    /// Whether the session must be active afterwards.
    var keepsSession: Bool { self != .signOut }
}

/// Signs in, runs a preset and checks the result: a race must issue at most one successor, and must
/// not end the session of an app that did nothing wrong.
struct RefreshExperiment {
    private typealias Answer = (status: Int, body: JSON)?

    private let control: ControlClient
    private let preset: RefreshPreset
    private static let gateMilliseconds: Int64 = 15_000

    init(_ control: ControlClient, _ preset: RefreshPreset) {
        self.control = control
        self.preset = preset
    }

    /// 0 if the result is as expected.
    func run(_ console: Console) throws -> Int32 {
        let session = try signIn()
        let answers = try perform(session)
        console.print("\(preset.rawValue): \(preset.summary)")
        for (name, answer) in answers {
            let status = answer.map { "\($0.status)" } ?? "no answer"
            console.print("  \(name): \(status)")
        }
        var successors: [String] = []
        for case (_, let answer?) in answers {
            guard let token = answer.body["refreshToken"]?.stringValue else { continue }
            if !successors.contains(token), token != session.refreshToken {
                successors.append(token)
            }
        }
        let isAlive = successors.contains { token in
            control.appRequest(.post, "/auth/refresh", ["refreshToken": .string(token)])?
                .status == 200
        }
        console.print("successors issued: \(successors.count)")
        console.print("session: \(isAlive ? "alive" : "ended")")
        let isFine = successors.count <= 1 && isAlive == preset.keepsSession
        let expected = preset.keepsSession ? "at most 1, alive" : "at most 1, ended"
        console.print(isFine ? "as expected" : "not as expected: \(expected)")
        return isFine ? 0 : 1
    }

    private func perform(_ session: Session) throws -> [(name: String, answer: Answer)] {
        let control = control
        let refresh: @Sendable () -> Answer = {
            control.appRequest(
                .post, "/auth/refresh", ["refreshToken": .string(session.refreshToken)])
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
                            control.appRequest(
                                .post, "/auth/signout", ["scope": "session"],
                                bearer: session.accessToken)
                        }
                    ),
                ])
        case .doubled:
            let plan: JSON = [
                "match": .object(route), "arrivals": 1, "order": [1, 1],
                "timeoutMilliseconds": .number(Self.gateMilliseconds),
            ]
            let id = try added(control.ask(.post, "gates", plan))
            let answer = refresh()
            // The second delivery is answered after the first, and its response is discarded.
            try wait { gate(id)?["phase"] == "done" }
            let statuses = (gate(id)?["releases"]?.arrayValue ?? []).map { release in
                release["status"]?.int64Value ?? 0
            }
            _ = try control.ask(.delete, "gates/\(id)")
            return [("refresh, delivered as \(statuses)", answer)]
        case .lost:
            let fault: JSON = ["match": .object(route), "effect": "lose", "count": 1]
            let id = try added(control.ask(.post, "faults", fault))
            let first = refresh()
            let second = refresh()
            _ = try control.ask(.delete, "faults/\(id)")
            return [("refresh", first), ("the same again", second)]
        }
    }

    /// Holds the requests' writes to the store at a gate.
    private func behindGate(
        _ plan: JSONObject, of session: Session,
        _ requests: [(name: String, send: @Sendable () -> Answer)]
    ) throws -> [(name: String, answer: Answer)] {
        var plan = plan
        plan["match"] = [
            "service": "dynamodb", "operation": "PutItem|TransactWriteItems",
            "contains": .string("USER#\(session.user)"),
        ]
        plan["timeoutMilliseconds"] = .number(Self.gateMilliseconds)
        let id = try added(control.ask(.post, "gates", .object(plan)))
        defer { _ = try? control.ask(.delete, "gates/\(id)") }
        var promises: [(name: String, answer: BlockingPromise<Answer>)] = []
        for (index, request) in requests.enumerated() {
            let promise = BlockingPromise<Answer>()
            promises.append((request.name, promise))
            guard BackgroundThread.run({ promise.give(request.send()) }) else {
                throw CommandFailure("cannot start a thread")
            }
            // Sends the next request only when the previous one is at the gate.
            try wait { (gate(id)?["arrived"]?.arrayValue?.count ?? 0) > index }
        }
        let answers = promises.map { (name: $0.name, answer: $0.answer.take()) }
        // The last response is sent before the gate is done.
        try wait("the writes did not meet at the gate") { gate(id)?["phase"] == "done" }
        return answers
    }

    private func gate(_ id: Int64) -> JSON? {
        let gates = (try? control.ask(.get, "gates"))?["gates"]?.arrayValue ?? []
        return gates.first { $0["id"]?.int64Value == id }
    }

    private func wait(
        _ problem: String = "the request did not arrive at the gate", _ condition: () -> Bool
    ) throws {
        for _ in 0..<(2 * Self.gateMilliseconds / 10) {
            if condition() { return }
            ThreadSleep.milliseconds(10)
        }
        throw CommandFailure(
            "\(problem): is the functions' store in the emulator's DynamoDB (no --store)?")
    }

    private func added(_ answer: JSON) throws -> Int64 {
        guard let id = answer["added"]?.arrayValue?.first?.int64Value else {
            throw CommandFailure("the emulator did not say which fault it added")
        }
        return id
    }
}

// Creating and checking the session.
extension RefreshExperiment {
    private struct Session: Sendable {
        let user: String
        let accessToken: String
        let refreshToken: String
    }

    private func signIn() throws -> Session {
        let minted = control.appRequest(.post, "/_idp/google/mint", [:])
        guard let idToken = minted?.body["idToken"]?.stringValue else {
            throw CommandFailure("cannot mint an identity token at /_idp/google/mint")
        }
        let answer = control.appRequest(
            .post, "/auth/signin", ["provider": "google", "idToken": .string(idToken)])
        guard let answer, answer.status == 200,
            let user = answer.body["user"]?["id"]?.stringValue,
            let access = answer.body["accessToken"]?.stringValue,
            let refresh = answer.body["refreshToken"]?.stringValue
        else {
            throw CommandFailure(
                "POST /auth/signin did not sign in: "
                    + "\(answer.map { "\($0.status) \($0.body.text)" } ?? "no answer"). "
                    + "The experiments need the routes of the contract latchkey.")
        }
        return Session(user: user, accessToken: access, refreshToken: refresh)
    }
}
