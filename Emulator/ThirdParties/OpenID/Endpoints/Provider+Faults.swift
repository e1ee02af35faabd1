internal import EmulatorBase
internal import JSON
internal import Time

/// `{issuer}/faults`: lists, activates and deactivates faults. A restart deactivates all.
extension Provider {
    private static let members = ["name", "count", "delayMilliseconds"]
    private static let countMax: Int64 = 1_000_000
    private static let delayMillisecondsMax: Int64 = 600_000
    private static let switchesMax = 64

    func faultsEndpoint(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        switch exchange.request.method {
        case "PUT": try switchOn(exchange)
        case "DELETE": faults.clear(try exchange.member.map(Self.faultName))
        default: break
        }
        return .now(.json(faultList))
    }

    /// One fault or a list of them: `{"name": "jwks-500", "count": 2}`.
    private func switchOn(_ exchange: OpenIDRequest) throws(OAuthError) {
        let json = try exchange.json()
        let wanted = json.arrayValue ?? [json]
        guard wanted.count <= Self.switchesMax else {
            throw .own(400, "At most \(Self.switchesMax) faults at a time.")
        }
        // Parses all of them before any is activated.
        var switches: [FaultSwitches.Switch] = []
        for one in wanted { switches.append(try Self.faultSwitch(one)) }
        for one in switches {
            switch one.name {
            case .endpoint(.rotatedOldKept): try keys.rotate(keepsOld: true)
            case .endpoint(.rotatedOldDropped): try keys.rotate(keepsOld: false)
            case .endpoint, .token:
                guard faults.set(one) else { throw .own(400, "Too many faults are active.") }
            }
        }
    }

    private static func faultSwitch(_ json: JSON) throws(OAuthError) -> FaultSwitches.Switch {
        let (name, count, delay) = try OpenIDRequest.reading { () throws(DefinitionFailure) in
            let reader = try DefinitionReader(json, "fault", members: members)
            return (
                try reader.text("name"), try reader.number("count", in: 1...countMax),
                try reader.number("delayMilliseconds", in: 0...delayMillisecondsMax)
            )
        }
        guard let name else { throw .own(400, "fault: name is missing") }
        return FaultSwitches.Switch(
            name: try faultName(name), count: count.map { Int($0) },
            delay: delay.map(Span.milliseconds))
    }

    private static func faultName(_ text: String) throws(OAuthError) -> FaultSwitches.Name {
        guard let name = FaultSwitches.Name(text) else {
            let legal =
                EndpointFault.allCases.map(\.rawValue) + TokenFault.allCases.map(\.rawValue)
            throw .own(
                400, "Unknown fault. Faults: \(legal.joined(separator: ", ")).")
        }
        return name
    }

    private var faultList: JSON {
        func list(_ faults: [(String, String)]) -> JSON {
            .array(faults.map { ["name": .string($0.0), "says": .string($0.1)] })
        }
        var body: JSONObject = [
            "on": .array(faults.all.map(\.json)),
            "endpoint": list(EndpointFault.allCases.map { ($0.rawValue, $0.sentence) }),
            "token": list(TokenFault.allCases.map { ($0.rawValue, $0.sentence) }),
        ]
        if kind == .apple {
            body["notification"] = list(
                NotificationFault.allCases.map { ($0.rawValue, $0.sentence) })
        }
        return .object(body)
    }
}

extension FaultSwitches.Switch {
    fileprivate var json: JSON {
        var object: JSONObject = ["name": .string(name.text)]
        if let count { object["count"] = .number(count) }
        if let delay { object["delayMilliseconds"] = .number(delay.milliseconds) }
        return .object(object)
    }
}
