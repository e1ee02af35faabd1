package import EmulatorBase
internal import HTTP
package import JSON

/// The control API of faults and gates:
///
///     GET    /_emulator/faults          the list, with hits
///     POST   /_emulator/faults          adds one, or a list of them
///     DELETE /_emulator/faults[/ID]     removes
///     GET    /_emulator/faults/known    the known services, fields, errors and effects
///     GET    /_emulator/gates           the gates, with their requests
///     POST   /_emulator/gates           adds one, or a list of them
///     POST   /_emulator/gates/ID/open   releases the held requests
///     DELETE /_emulator/gates[/ID]      the same, and removes
package struct FaultAPI: Sendable {
    private static let limits = JSONLimits(bytesMax: 256 << 10, depthMax: 8, membersMax: 64)

    let interceptor: FaultInterceptor
    let names: FaultNames
    /// Writes a line to the emulator's log.
    let note: @Sendable (String) -> Void

    package init(
        _ interceptor: FaultInterceptor, _ names: FaultNames,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.interceptor = interceptor
        self.names = names
        self.note = note
    }

    package static func serves(_ first: String) -> Bool { first == "faults" || first == "gates" }

    /// `path` is the path below `/_emulator/`.
    package func answer(_ method: String, _ path: [String], _ body: [UInt8]) -> ServerResponse {
        do throws(FaultProblem) {
            switch (method, path.first ?? "", path.count) {
            case ("GET", "faults", 1): return Self.json(faults)
            case ("GET", "faults", 2) where path[1] == "known": return Self.json(known)
            case ("POST", "faults", 1): return Self.json(try addFaults(body), status: 201)
            case ("DELETE", "faults", 1), ("DELETE", "faults", 2): return try removeFaults(path)
            case ("GET", "gates", 1): return Self.json(gates)
            case ("POST", "gates", 1): return Self.json(try addGates(body), status: 201)
            case ("POST", "gates", 3) where path[2] == "open": return try open(path[1])
            case ("DELETE", "gates", 1), ("DELETE", "gates", 2): return try removeGates(path)
            default:
                return Self.message(
                    404, "Not found: \(method) /_emulator/\(path.joined(separator: "/"))")
            }
        } catch {
            return Self.message(400, error.description)
        }
    }

    /// Loads `{"faults": […], "gates": […]}` at start.
    package func load(_ json: JSON) throws(FaultProblem) {
        guard let object = json.objectValue,
            object.members.allSatisfy({ Self.serves($0.name) })
        else { throw FaultProblem("expected an object with faults, gates or both") }
        let reader = FaultReader(names)
        var rules: [FaultRule] = []
        var plans: [GatePlan] = []
        for json in object["faults"]?.arrayValue ?? [] { rules.append(try reader.rule(json)) }
        for json in object["gates"]?.arrayValue ?? [] { plans.append(try reader.gate(json)) }
        for rule in rules { try add(rule) }
        for plan in plans { try add(plan) }
    }

    /// The active faults and gates, one on each line.
    package var lines: [String] {
        interceptor.faults.active.map { "\($0.id)  \($0.rule.text)" }
            + interceptor.gates.all.filter { $0.phase == .waiting }
            .map { "gate \($0.id)  \($0.plan.text)" }
    }
}

// Faults.
extension FaultAPI {
    private func addFaults(_ body: [UInt8]) throws(FaultProblem) -> JSON {
        let reader = FaultReader(names)
        var rules: [FaultRule] = []
        // All are parsed before any is added.
        for json in try Self.items(body) { rules.append(try reader.rule(json)) }
        var ids: [JSON] = []
        for rule in rules { ids.append(.number(try add(rule))) }
        guard var list = faults.objectValue else { return faults }
        list["added"] = .array(ids)
        return .object(list)
    }

    @discardableResult
    private func add(_ rule: FaultRule) throws(FaultProblem) -> Int {
        guard let id = interceptor.faults.add(rule) else {
            throw FaultProblem("there are \(FaultLimits.faultsMax) faults; remove some first")
        }
        note("fault \(id) is on: \(rule.text)")
        return id
    }

    private func removeFaults(_ path: [String]) throws(FaultProblem) -> ServerResponse {
        let id = try Self.id(path)
        let removed = interceptor.remove(faults: { id == nil || $0.id == id })
        guard id == nil || !removed.isEmpty else {
            return Self.message(404, "No such fault: \(path[1]).")
        }
        for id in removed { note("fault \(id) is off") }
        return Self.json(faults)
    }

    private var faults: JSON {
        let all = interceptor.faults.all
        return [
            "on": .bool(interceptor.isOn),
            "faults": .array(
                all.map { entry in
                    var object: JSONObject = [
                        "id": .number(entry.id), "text": .string(entry.rule.text),
                    ]
                    for (name, value) in entry.rule.json.members { object[name] = value }
                    object["seen"] = .number(entry.seen)
                    object["hits"] = .number(entry.hits)
                    object["left"] = entry.left.map { .number($0) }
                    return .object(object)
                }),
        ]
    }

    private var known: JSON {
        .object(
            JSONObject([
                (
                    "effects",
                    .object(
                        JSONObject(
                            FaultEffect.Kind.allCases.map {
                                ($0.rawValue, .string($0.sentence))
                            }))
                ),
                (
                    "services",
                    .object(
                        JSONObject(
                            FaultService.allCases.map { ($0.rawValue, .object(known($0))) }))
                ),
            ]))
    }

    private func known(_ service: FaultService) -> JSONObject {
        func texts(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
        var object: JSONObject = [
            "match": texts(service.fields.map(\.rawValue)),
            "effects": texts(service.effects.map(\.rawValue)),
            "throttle": .string(FaultErrors.throttle(service).name),
        ]
        object["operations"] = names.operations[service].map(texts)
        let own = names.own.filter { $0.service == service }
        object["errors"] = .object(
            JSONObject(
                FaultErrors.all(service).map { ($0.name, .string("\($0.status) \($0.message)")) }
                    + own.map { ($0.name, .string($0.sentence)) }))
        return object
    }
}

// Gates.
extension FaultAPI {
    private func addGates(_ body: [UInt8]) throws(FaultProblem) -> JSON {
        let reader = FaultReader(names)
        var plans: [GatePlan] = []
        for json in try Self.items(body) { plans.append(try reader.gate(json)) }
        var ids: [JSON] = []
        for plan in plans { ids.append(.number(try add(plan))) }
        guard var list = gates.objectValue else { return gates }
        list["added"] = .array(ids)
        return .object(list)
    }

    @discardableResult
    private func add(_ plan: GatePlan) throws(FaultProblem) -> Int {
        guard let id = interceptor.gates.add(plan) else {
            throw FaultProblem("there are \(FaultLimits.gatesMax) gates; remove some first")
        }
        note("gate \(id) is on: \(plan.text)")
        return id
    }

    private func open(_ text: String) throws(FaultProblem) -> ServerResponse {
        guard let id = try Self.id(["gates", text]), interceptor.open(gate: id) else {
            return Self.message(404, "No waiting gate of that number: \(text).")
        }
        note("gate \(id) was opened")
        return Self.json(gates)
    }

    private func removeGates(_ path: [String]) throws(FaultProblem) -> ServerResponse {
        let id = try Self.id(path)
        let removed = interceptor.remove(gates: { id == nil || $0.id == id })
        guard id == nil || !removed.isEmpty else {
            return Self.message(404, "No such gate: \(path[1]).")
        }
        for id in removed { note("gate \(id) is off") }
        return Self.json(gates)
    }

    private var gates: JSON {
        ["gates": .array(interceptor.gates.all.map(\.json))]
    }
}

// Requests and responses.
extension FaultAPI {
    private static func items(_ body: [UInt8]) throws(FaultProblem) -> [JSON] {
        guard let json = try? JSON.parse(body, limits: limits) else {
            throw FaultProblem("the body is not JSON")
        }
        return json.arrayValue ?? [json]
    }

    private static func id(_ path: [String]) throws(FaultProblem) -> Int? {
        guard path.count > 1 else { return nil }
        guard let id = Int(path[1]) else { throw FaultProblem("not a number: \(path[1])") }
        return id
    }

    private static func json(_ body: JSON, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("Cache-Control", "no-store"),
            ], body: body.serialized + [UInt8(ascii: "\n")])
    }

    private static func message(_ status: Int, _ text: String) -> ServerResponse {
        json(["message": .string(text)], status: status)
    }
}
