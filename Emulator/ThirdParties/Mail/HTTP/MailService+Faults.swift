internal import EmulatorBase
internal import JSON

extension MailService {
    private static let timesMax: Int64 = 1_000_000

    func faults(_ asked: MailRequest) throws(MailError) -> ServerResponse {
        let faults = mailbox.faults
        guard asked.path.count > 1 else {
            switch asked.method {
            case "GET", "HEAD": break
            case "DELETE": faults.switchAllOff()
            default: throw .methodNotAllowed()
            }
            return Self.list(faults)
        }
        guard asked.path.count == 2, let fault = MailFault(rawValue: asked.path[1]) else {
            let names = MailFault.allCases.map(\.rawValue).joined(separator: ", ")
            throw .notFound("Unknown fault. Faults: \(names)")
        }
        switch asked.method {
        case "PUT":
            let times = try asked.integer("times", in: 1...Self.timesMax)
            guard faults.switchOn(fault, times: times.map { Int($0) }) else {
                throw MailError(status: 400, message: "Too many faults are active.")
            }
        case "DELETE": faults.switchOff(fault)
        default: throw .methodNotAllowed()
        }
        return Self.list(faults)
    }

    private static func list(_ faults: MailFaults) -> ServerResponse {
        let active = faults.all.map { fault, times -> JSON in
            var object: JSONObject = ["name": .string(fault.rawValue)]
            object["timesLeft"] = times.map { .number($0) }
            return .object(object)
        }
        return MailResponse.json([
            "active": .array(active),
            "known": .array(MailFault.allCases.map { .string($0.rawValue) }),
        ])
    }
}
