internal import Bytes
internal import EmulatorBase
internal import JSON

/// `<contract>.refusals.json`: the requests that every route refuses because of their form,
/// independent of stored data. Each case becomes a fixture of every route that it applies to
/// (Events/README.md, "Refusals").
struct RefusalTable {
    private let contract: String
    private var cases: [Case] = []

    fileprivate struct Case {
        let name: String
        /// The member that the requests of the routes have; nil for any route.
        let member: String?
        let except: [String]
        let values: JSON?
        let method: String?
        let path: String?
        /// Replacements for the request's members; null omits one.
        var changes: [(name: String, value: JSON)] = []
        let answer: JSON
    }

    static let suffix = ".refusals.json"
    private static let requestMembers = ["route", "headers", "bearer", "body"]

    init(_ json: JSON, of contract: String, at place: String) throws(FixtureFailure) {
        self.contract = contract
        for (name, value) in try MemberReader(json, at: place).members {
            guard !name.isSame(as: "about") else { continue }
            cases.append(try Self.refusal(name, value, "\(place).\(name)"))
        }
    }

    private static func refusal(
        _ name: String, _ json: JSON, _ place: String
    ) throws(FixtureFailure) -> Case {
        guard Fixture.isLegalCase(name) else {
            throw FixtureFailure("\(place) is not a valid name of a case")
        }
        let reader = try MemberReader(
            json, at: place,
            only: requestMembers + ["with", "except", "values", "method", "path", "answer"])
        func text(_ name: String) throws(FixtureFailure) -> String? {
            guard let json = reader[name] else { return nil }
            return try MemberReader.text(json, "\(place).\(name)")
        }
        guard let answer = reader["answer"] else { throw FixtureFailure("\(place) has no answer") }
        let member = try text("with")
        guard member.map(["bearer", "body"].containsText) ?? true else {
            throw FixtureFailure("\(place).with: expected bearer or body, found '\(member ?? "")'")
        }
        return Case(
            name: name, member: member,
            except: try reader["except"].map { json throws(FixtureFailure) in
                try MemberReader.texts(json, "\(place).except")
            } ?? [], values: reader["values"], method: try text("method"),
            path: try text("path"),
            changes: reader.members.filter { requestMembers.containsText($0.name) }
                .map { ($0.name, $0.value) }, answer: answer)
    }

    /// - Parameter fixtures: the fixtures of all contracts. Their successful requests name the
    ///   routes.
    func fixtures(
        besides fixtures: [Fixture], _ settings: FixtureSettings
    ) throws(FixtureFailure) -> [Fixture] {
        let prefix =
            contract.isSame(as: settings.contract)
            ? "" : contract.replacing("_", with: "-") + "-"
        var made: [Fixture] = []
        let routes = try routes(of: fixtures, settings)
        // A case that applies to no route is an error, because it would never be run.
        for refusal in cases {
            let here = "\(contract)\(Self.suffix).\(refusal.name)"
            guard routes.contains(where: refusal.concerns) else {
                throw FixtureFailure("\(here) applies to no route of the fixtures")
            }
            for route in refusal.except where !routes.contains(where: { $0.name.isSame(as: route) })
            {
                throw FixtureFailure("\(here).except: no fixture of '\(route)' succeeds")
            }
        }
        for route in routes {
            for refusal in cases where refusal.applies(to: route) {
                let name = "\(route.function)/\(prefix)\(refusal.name)-\(route.slug)"
                made.append(Fixture(name: name, file: route.event(refusal, contract)))
            }
        }
        return made
    }

    fileprivate struct Route {
        let function: String
        let method: String
        /// The route's path without a query; a parameter is `x`.
        let path: String
        let request: JSONObject
        let given: JSONObject

        /// `DELETE /auth/sessions/x`
        var name: String { "\(method) \(path)" }

        var slug: String {
            let words = path.split(separator: "/").map { word in
                String(decoding: word.utf8.filter { $0.isLetter || $0.isDigit }, as: UTF8.self)
            }
            return ([method] + words.filter { !$0.isEmpty }).joined(separator: "-").asciiLowercased
        }

        /// Whether the refused request comes from a signed-in user, whom the steps of the route's
        /// own fixture sign in.
        private func isSignedIn(_ refusal: Case) -> Bool {
            request["bearer"] != nil && refusal.member?.isSame(as: "body") == true
        }

        func event(_ refusal: Case, _ contract: String) -> EventFile {
            let isSignedIn = isSignedIn(refusal)
            var request = isSignedIn ? request : RefusalTable.withoutPlaceholders(request)
            request["request"] = .string(
                "\(refusal.method ?? method) \(refusal.path ?? path)")
            for (name, value) in refusal.changes { request[name] = value.isNull ? nil : value }
            var given: JSONObject = ["contract": .string(contract)]
            let kept =
                isSignedIn ? ["environment", "idTokens", "steps", "values"] : ["environment"]
            for name in kept { given[name] = self.given[name] }
            if let values = refusal.values?.objectValue {
                let own = given["values"]?.objectValue?.members ?? []
                given["values"] = .object(
                    JSONObject((own + values.members).map { ($0.name, $0.value) }))
            }
            return EventFile(
                event: .object(request), given: .object(given), answer: refusal.answer)
        }
    }

    /// One fixture for each function, method and path. Of several requests, the one with the fewest
    /// settings is taken.
    private func routes(
        of fixtures: [Fixture], _ settings: FixtureSettings
    ) throws(FixtureFailure) -> [Route] {
        var routes: [Route] = []
        for fixture in fixtures {
            guard let route = try route(of: fixture, settings) else { continue }
            let same = routes.firstIndex { other in
                other.function.isSame(as: route.function)
                    && other.method.isSame(as: route.method) && other.path.isSame(as: route.path)
            }
            guard let same else {
                routes.append(route)
                continue
            }
            func count(_ route: Route) -> Int {
                (route.given["environment"]?.objectValue?.count ?? 0) * 100
                    + (route.given["steps"]?.arrayValue?.count ?? 0)
            }
            if count(route) < count(routes[same]) { routes[same] = route }
        }
        return routes
    }

    /// nil if the fixture is not of this contract, or its answer is a page or a refusal.
    private func route(
        of fixture: Fixture, _ settings: FixtureSettings
    ) throws(FixtureFailure) -> Route? {
        guard let event = fixture.event.flatMap({ try? JSON.parse($0, limits: .event) }),
            ShortEvent.isShort(event), var request = event.objectValue,
            try fixture.contract(settings).isSame(as: contract),
            // The replay of the fixture itself reports an answer that cannot be read.
            let answer = try? fixture.response(settings),
            (200..<300).contains(answer["statusCode"]?.int64Value ?? 0),
            answer["body"]?.stringValue?.isEmpty ?? true,
            let (method, target) = request["request"]?.stringValue?.halves(at: " "), let target,
            !method.isSame(as: "OPTIONS")
        else { return nil }
        let path = target.halves(at: "?").first
        let words = path.pieces(at: "/").map { $0.has(prefix: "<") ? "x" : $0 }
        for name in ["headers", "cookies", "sourceIp", "time"] { request[name] = nil }
        return Route(
            function: fixture.function, method: method, path: words.joined(separator: "/"),
            request: request, given: try fixture.given?.objectValue ?? JSONObject())
    }

    fileprivate static func withoutPlaceholders(_ request: JSONObject) -> JSONObject {
        JSONObject(request.members.map { ($0.name, withoutPlaceholders($0.value)) })
    }

    private static func withoutPlaceholders(_ json: JSON) -> JSON {
        switch json {
        case .string(let text):
            let pieces = Placeholder.pieces(of: text).map { piece in
                if case .text(let text) = piece { text } else { "x" }
            }
            return .string(pieces.joined())
        case .array(let elements): return .array(elements.map(withoutPlaceholders))
        case .object(let object): return .object(withoutPlaceholders(object))
        case .null, .bool, .number: return json
        }
    }
}

extension RefusalTable.Case {
    fileprivate func applies(to route: RefusalTable.Route) -> Bool {
        concerns(route) && !except.contains(where: route.name.isSame)
    }

    /// Whether the route's request has the member that the case is about.
    fileprivate func concerns(_ route: RefusalTable.Route) -> Bool {
        guard let member else { return true }
        guard member.isSame(as: "body") else { return route.request[member] != nil }
        return route.request["body"]?.objectValue != nil
    }
}
