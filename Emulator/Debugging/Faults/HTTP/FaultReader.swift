internal import Bytes
internal import EmulatorBase
package import JSON

/// Why a fault or a gate is invalid.
package struct FaultProblem: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The known names of services and resources, in addition to `FaultErrors`.
package struct FaultNames: Sendable {
    package struct Own: Sendable {
        package let service: FaultService
        package let name: String
        package let sentence: String

        package init(_ service: FaultService, _ name: String, _ sentence: String) {
            self.service = service
            self.name = name
            self.sentence = sentence
        }
    }

    /// The errors that services apply themselves.
    package var own: [Own]
    /// The operations, for services that have operations.
    package var operations: [FaultService: [String]]
    /// The existing functions or providers; nil for resources that may be created later.
    package var existing: @Sendable (FaultField) -> [String]?

    package init(
        own: [Own] = [], operations: [FaultService: [String]] = [:],
        existing: @escaping @Sendable (FaultField) -> [String]? = { _ in nil }
    ) {
        self.own = own
        self.operations = operations
        self.existing = existing
    }

    package func errors(_ service: FaultService) -> [String] {
        FaultErrors.all(service).map(\.name) + own.filter { $0.service == service }.map(\.name)
    }
}

/// Parses faults and gates; errors about unknown names list the known ones.
package struct FaultReader: Sendable {
    private static let ruleMembers = [
        "match", "effect", "error", "answer", "milliseconds", "count", "skip", "probability",
        "seed",
    ]
    private static let gateMembers = [
        "match", "arrivals", "order", "release", "timeoutMilliseconds",
    ]

    private let names: FaultNames

    package init(_ names: FaultNames) { self.names = names }

    package func rule(_ json: JSON) throws(FaultProblem) -> FaultRule {
        let object = try Self.object(json, "a fault", Self.ruleMembers)
        let match = try match(object["match"], of: "a fault")
        let service = match.service
        let kinds = service.effects.map(\.rawValue)
        guard let kind = try Self.text(object, "effect").flatMap(FaultEffect.Kind.init(rawValue:)),
            service.effects.contains(kind)
        else { throw Self.unknown("effect", of: service, kinds) }
        var rule = FaultRule(match, try effect(kind, service, object))
        rule.milliseconds =
            try Self.number(object, "milliseconds", 1...FaultLimits.millisecondsMax).map { Int($0) }
        if rule.milliseconds != nil, [.reset, .throttle].contains(kind) {
            throw FaultProblem("milliseconds has no meaning with the effect \(kind.rawValue)")
        }
        rule.count = try Self.number(object, "count", 1...FaultLimits.countMax).map { Int($0) }
        rule.skip = Int(try Self.number(object, "skip", 0...FaultLimits.countMax) ?? 0)
        rule.probability = try Self.probability(object)
        let seed = try Self.number(object, "seed", 0...Int64.max)
        if seed != nil, rule.probability == nil {
            throw FaultProblem("seed has no meaning without probability")
        }
        rule.seed = UInt64(seed ?? 0)
        try checkOwn(rule)
        return rule
    }

    package func gate(_ json: JSON) throws(FaultProblem) -> GatePlan {
        let object = try Self.object(json, "a gate", Self.gateMembers)
        let match = try match(object["match"], of: "a gate")
        guard let arrivals = try Self.number(object, "arrivals", 1...FaultLimits.arrivalsMax)
        else { throw FaultProblem("a gate needs arrivals: how many requests it waits for") }
        var plan = GatePlan(match, arrivals: Int(arrivals))
        plan.order = try Self.order(object["order"], arrivals: Int(arrivals))
        let ways = ["one-by-one", "together"]
        if let way = try Self.text(object, "release") {
            guard ways.contains(way) else {
                throw FaultProblem("release must be \(ways.joined(separator: " or "))")
            }
            plan.isTogether = way == ways[1]
        }
        if let limit = try Self.number(
            object, "timeoutMilliseconds", 1...FaultLimits.millisecondsMax)
        {
            plan.timeoutMilliseconds = Int(limit)
        }
        return plan
    }

    private func effect(
        _ kind: FaultEffect.Kind, _ service: FaultService, _ object: JSONObject
    ) throws(FaultProblem) -> FaultEffect {
        let error = try Self.text(object, "error")
        let answer = try Self.text(object, "answer")
        if error != nil, kind != .error {
            throw FaultProblem("error has no meaning with the effect \(kind.rawValue)")
        }
        if answer != nil, kind != .lose {
            throw FaultProblem("answer has no meaning with the effect \(kind.rawValue)")
        }
        switch kind {
        case .error:
            let known = names.errors(service)
            guard let error, known.contains(where: error.isSame(as:)) else {
                throw Self.unknown("error", of: service, known)
            }
            return .error(error)
        case .delay: return .delay
        case .hang: return .hang
        case .reset: return .reset
        case .throttle: return .throttle
        case .lose:
            let isFunction = service == .function
            // A function has no connection, so its invocation fails.
            guard let answer else { return .lose(isFunction ? .error("Unhandled") : .reset) }
            if answer == "reset", !isFunction { return .lose(.reset) }
            if answer == "hang" { return .lose(.hang) }
            guard FaultErrors.named(answer, service) != nil else {
                throw Self.unknown(
                    "answer", of: service,
                    (isFunction ? ["hang"] : ["reset", "hang"])
                        + FaultErrors.all(service).map(\.name))
            }
            return .lose(.error(answer))
        }
    }

    /// An error that a service applies itself affects only certain requests, so the fault can name
    /// only the provider.
    private func checkOwn(_ rule: FaultRule) throws(FaultProblem) {
        guard rule.isAppliedByService else { return }
        guard let extra = rule.match.patterns.first(where: { $0.field != .provider }) else {
            return
        }
        throw FaultProblem(
            "\(extra.field.rawValue) has no meaning with this error, which belongs to its own "
                + "requests; only provider can be given")
    }

    private func match(_ json: JSON?, of subject: String) throws(FaultProblem) -> FaultMatch {
        let services = FaultService.allCases.map(\.rawValue).joined(separator: ", ")
        guard let object = json?.objectValue else {
            throw FaultProblem(
                "\(subject) needs match, an object with a service: \(services)")
        }
        guard let service = object["service"]?.stringValue.flatMap(FaultService.init(rawValue:))
        else { throw FaultProblem("match: unknown service; services: \(services)") }
        var patterns: [(field: FaultField, pattern: String)] = []
        for member in object.members where !member.name.isSame(as: "service") {
            guard let field = service.fields.first(where: { $0.rawValue.isSame(as: member.name) })
            else {
                let legal = service.fields.map(\.rawValue).joined(separator: ", ")
                throw FaultProblem(
                    "match: unknown member '\(member.name)' for \(service.rawValue); "
                        + "expected \(legal)")
            }
            guard let pattern = member.value.stringValue, !pattern.isEmpty,
                pattern.utf8.count <= FaultLimits.patternBytesMax
            else {
                throw FaultProblem(
                    "match: \(field.rawValue) must be a text of 1 to "
                        + "\(FaultLimits.patternBytesMax) bytes")
            }
            try check(pattern, field, service)
            patterns.append((field, pattern))
        }
        return FaultMatch(service, patterns)
    }

    private func check(
        _ pattern: String, _ field: FaultField, _ service: FaultService
    ) throws(FaultProblem) {
        let known: [String]?
        switch field {
        case .operation: known = names.operations[service]
        case .method: known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        case .function, .provider, .table, .bucket: known = names.existing(field)
        case .path, .contains: known = nil
        }
        guard let known else { return }
        let isKnown = field.alternatives(pattern).allSatisfy { pattern in
            known.contains { Wildcard.matches(pattern, $0) }
        }
        guard !isKnown else { return }
        throw FaultProblem(
            "match: unknown \(field.rawValue) '\(pattern)' for \(service.rawValue); "
                + (known.isEmpty ? "there is none" : "expected \(known.joined(separator: ", "))"))
    }
}

// Values.
extension FaultReader {
    private static func object(
        _ json: JSON, _ subject: String, _ members: [String]
    ) throws(FaultProblem) -> JSONObject {
        guard let object = json.objectValue else {
            throw FaultProblem("\(subject) must be a JSON object")
        }
        let unknown = object.members.first { member in
            !members.contains { $0.isSame(as: member.name) }
        }
        if let unknown {
            throw FaultProblem(
                "unknown member '\(unknown.name)' of \(subject); "
                    + "expected \(members.joined(separator: ", "))")
        }
        return object
    }

    private static func text(
        _ object: JSONObject, _ name: String
    ) throws(FaultProblem) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw FaultProblem("\(name) must be a text") }
        return text
    }

    private static func number(
        _ object: JSONObject, _ name: String, _ range: ClosedRange<Int64>
    ) throws(FaultProblem) -> Int64? {
        guard let value = object[name] else { return nil }
        guard let number = value.int64Value, range.contains(number) else {
            throw FaultProblem(
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func probability(_ object: JSONObject) throws(FaultProblem) -> Double? {
        guard let value = object["probability"] else { return nil }
        guard let number = value.numberValue.flatMap({ Double($0.text) }), number > 0, number <= 1
        else { throw FaultProblem("probability must be a number over 0, at most 1") }
        return number
    }

    private static func order(
        _ json: JSON?, arrivals: Int
    ) throws(FaultProblem) -> GatePlan.Order {
        guard let json else { return .arrival }
        switch json.stringValue {
        case "arrival": return .arrival
        case "reverse": return .reverse
        default: break
        }
        let numbers = json.arrayValue?.map { $0.int64Value.map { Int($0) } ?? 0 }
        guard let numbers, numbers.count <= FaultLimits.releasesMax,
            numbers.allSatisfy({ (1...arrivals).contains($0) })
        else {
            throw FaultProblem(
                "order must be arrival, reverse, or a list of numbers from 1 to \(arrivals), "
                    + "at most \(FaultLimits.releasesMax)")
        }
        return .numbers(numbers)
    }

    private static func unknown(
        _ what: String, of service: FaultService, _ known: [String]
    ) -> FaultProblem {
        FaultProblem(
            "unknown or missing \(what) for \(service.rawValue); "
                + "expected \(known.joined(separator: ", "))")
    }
}
