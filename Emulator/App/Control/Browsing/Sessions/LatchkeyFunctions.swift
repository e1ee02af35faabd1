internal import Bytes
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorLambda
internal import EmulatorReplay
internal import JSON

/// Asks the template's Latchkey functions about sessions in the same way as an operator: with an
/// event for the function `audit`, which the executable `latchkey` serves too. The emulator does
/// not read their rows itself.
struct LatchkeyFunctions: Sendable {
    /// One function for each store.
    let all: [FunctionConfiguration]
    private let services: EmulatorServices

    static let missing =
        "This needs Latchkey's function audit or latchkey, and the template has neither."

    init(_ services: EmulatorServices) {
        self.services = services
        var found: [(store: String, function: FunctionConfiguration)] = []
        for function in services.stack?.definitions ?? [] where Self.isAudit(function) {
            guard let store = function.variable(FunctionStore.variable),
                !found.contains(where: { $0.store.isSame(as: store) })
            else { continue }
            found.append((store, function))
        }
        all = found.map(\.function)
    }

    /// `…/audit`, or `…/audit/bootstrap` as in a package for Lambda.
    private static func isAudit(_ function: FunctionConfiguration) -> Bool {
        let path = function.command.first?.split(separator: "/") ?? []
        let name = path.last { $0 != "bootstrap" } ?? ""
        return ["audit", "latchkey"].contains(name)
    }

    /// Blocks until the function has answered.
    ///
    /// - Parameter member: the member that the answer must have.
    func ask(
        _ function: FunctionConfiguration, _ event: JSONObject, expecting member: String
    ) throws(BrowsingFailure) -> JSON {
        var event = event
        event["function"] = "audit"
        let promise = BlockingPromise<InvocationResult>()
        services.functions.invoke(
            function.name,
            InvocationRequest(
                payload: JSON.object(event).serialized, traceID: "Root=\(services.traces.own)",
                wantsLog: true, isQuiet: true)
        ) { promise.give($0) }
        let result = promise.take()
        let bytes =
            switch result.outcome {
            case .answered(let bytes), .failed(let bytes): bytes
            case .throttled(let reason): Array(reason.utf8)
            case .unknownFunction: Array("it was removed".utf8)
            }
        guard let answer = try? JSON.parse(bytes, limits: Self.limits), answer[member] != nil else {
            let log = String(decoding: result.logTail, as: UTF8.self)
            for line in log.split(separator: "\n") where !LogFrame.isPart(String(line)) {
                services.log.note("\(function.name): \(line)")
            }
            let text = String(decoding: bytes.prefix(500), as: UTF8.self)
            throw BrowsingFailure(502, "\(function.name) cannot read the sessions: \(text)")
        }
        return answer
    }

    /// Returns the first accepted answer. If there is none, `problem` is the reason.
    func find(
        _ event: JSONObject, expecting member: String, accepting isAccepted: (JSON) -> Bool
    ) -> (answer: JSON?, problem: String?) {
        var problem = all.isEmpty ? Self.missing : nil
        for function in all {
            do throws(BrowsingFailure) {
                let answer = try ask(function, event, expecting: member)
                if isAccepted(answer) { return (answer, nil) }
            } catch {
                problem = error.message
            }
        }
        return (nil, problem)
    }

    private static let limits = JSONLimits(bytesMax: 8 << 20, depthMax: 16, membersMax: nil)
}

extension FunctionConfiguration {
    /// If a name occurs several times, the process gets the last value.
    func variable(_ name: String) -> String? {
        environment.last { $0.name.isSame(as: name) }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }
}
