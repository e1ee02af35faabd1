internal import JSON

extension FaultRule {
    /// The format of the control API.
    var json: JSONObject {
        var object: JSONObject = [
            "match": match.json, "effect": .string(effect.kind.rawValue),
        ]
        switch effect {
        case .error(let name): object["error"] = .string(name)
        case .lose(let answer): object["answer"] = .string(answer.text)
        case .delay, .hang, .reset, .throttle: break
        }
        object["milliseconds"] = milliseconds.map { .number($0) }
        object["count"] = count.map { .number($0) }
        if skip > 0 { object["skip"] = .number(skip) }
        if let probability {
            object["probability"] = JSONNumber(literal: "\(probability)").map { .number($0) }
            object["seed"] = JSONNumber(literal: "\(seed)").map { .number($0) }
        }
        return object
    }
}

extension Gate {
    var json: JSON {
        var object: JSONObject = [
            "id": .number(id), "text": .string(plan.text), "match": plan.match.json,
            "arrivals": .number(plan.arrivals),
        ]
        switch plan.order {
        case .arrival: object["order"] = "arrival"
        case .reverse: object["order"] = "reverse"
        case .numbers(let numbers): object["order"] = .array(numbers.map { .number($0) })
        }
        object["release"] = plan.isTogether ? "together" : "one-by-one"
        object["timeoutMilliseconds"] = .number(plan.timeoutMilliseconds)
        object["phase"] = .string(phase.rawValue)
        object["arrived"] = .array(arrived.map { .string($0.text) })
        object["releases"] = .array(releases.map(\.json))
        return .object(object)
    }
}

extension Gate.Release {
    fileprivate var json: JSON {
        var object: JSONObject = ["arrival": .number(arrival)]
        if isCopy { object["copy"] = true }
        switch fate {
        case .answered(let status): object["status"] = .number(status)
        case .unanswered: object["unanswered"] = true
        case .dropped: object["dropped"] = true
        }
        return .object(object)
    }
}
