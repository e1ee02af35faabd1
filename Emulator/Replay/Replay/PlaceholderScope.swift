internal import Bytes
internal import JSON
internal import Time

/// The placeholders of one fixture. It records which of them were used.
final class PlaceholderScope {
    let given: FixtureSetup
    /// `given.contract`, or the folder's default.
    let contract: String
    /// The clock offset of the whole fixture; nil for none.
    let shift: Span?
    /// The path of the fixture's STS endpoint.
    let stsPath: String
    private let context: ReplayEnvironment
    private let builtIn: [(name: String, value: String)]
    private var known: [(name: String, value: String)] = []
    private var promised: Set<String> = []
    private var used: Set<String> = []

    init(
        _ given: FixtureSetup, stsPath: String, shift: Span?, context: ReplayEnvironment,
        builtIn: [(name: String, value: String)]
    ) {
        self.given = given
        self.stsPath = stsPath
        self.shift = shift
        self.context = context
        let contract = given.contract ?? context.settings.contract
        self.contract = contract
        self.builtIn = builtIn + [("contract", contract)]
        promised = Set(
            given.values.map(\.name) + given.oneTimeCodes.map(\.name)
                + given.passkeys.map(\.name) + given.idTokens.map(\.name))
        promised.formUnion(given.steps.flatMap { $0.saved.map(\.name) })
    }

    /// The given or saved values that were never used.
    var unused: [String] { promised.subtracting(used).sorted() }

    /// The named values of the fixture, for recording a response.
    var names: [(value: String, name: String)] {
        (builtIn + known).filter { $0.value.utf8.count >= 16 }.map { ($0.value, $0.name) }
    }

    func save(_ value: String, as name: String) {
        known.removeAll { $0.name.isSame(as: name) }
        known.append((name, value))
    }

    func value(_ name: String) throws(FixtureFailure) -> String? {
        if let constant = builtIn.first(where: { $0.name.isSame(as: name) }) {
            return constant.value
        }
        used.insert(name)
        if let value = known.first(where: { $0.name.isSame(as: name) }) { return value.value }
        if let given = given.values.first(where: { $0.name.isSame(as: name) }) {
            let value = try fill(given.value)
            known.append((name, value))
            return value
        }
        if let code = given.oneTimeCodes.first(where: { $0.name.isSame(as: name) })?.code {
            let value = try code.text(
                secret: try fill(code.secret), at: context.clock.now() + (shift ?? .zero))
            known.append((name, value))
            return value
        }
        if let answer = given.passkeys.first(where: { $0.name.isSame(as: name) })?.answer {
            let value = try answer.text(challenge: try fill(answer.challenge))
            known.append((name, value))
            return value
        }
        guard let recipe = given.idTokens.first(where: { $0.name.isSame(as: name) })?.recipe else {
            return nil
        }
        let token = try token(recipe)
        context.leakDetector.add(token: token)
        known.append((name, token))
        return token
    }

    private func token(_ recipe: IDTokenDescription) throws(FixtureFailure) -> String {
        var claims: [(name: String, value: JSON)] = []
        for (name, value) in recipe.claims {
            claims.append((name, IDTokenDescription.hashed(try fill(value))))
        }
        let now = context.clock.now() + (shift ?? .zero) + recipe.clock
        do {
            return try context.identityProvider.token(recipe, claims: claims, at: now)
        } catch {
            throw FixtureFailure("cannot sign the ID token: \(error)")
        }
    }

    func fill(_ text: String) throws(FixtureFailure) -> String {
        try Placeholder.fill(text) { name throws(FixtureFailure) in try value(name) }
    }

    func fill(_ json: JSON) throws(FixtureFailure) -> JSON {
        try Placeholder.fill(json) { name throws(FixtureFailure) in try value(name) }
    }

    /// An event with its placeholders filled, including those in a base64 body.
    func event(_ json: JSON) throws(FixtureFailure) -> JSON {
        try fill(try bodyFilled(json) ?? json)
    }

    /// The event with the placeholders of its base64 body filled; nil if it has none.
    private func bodyFilled(_ json: JSON) throws(FixtureFailure) -> JSON? {
        guard var object = json.objectValue, object["isBase64Encoded"] == true,
            let body = object["body"]?.stringValue, let decoded = Base64.decode(body)
        else { return nil }
        let plain = String(decoding: decoded, as: UTF8.self)
        let filled = try fill(plain)
        guard !filled.isSame(as: plain) else { return nil }
        object["body"] = .string(Base64.encode(Array(filled.utf8)))
        return .object(object)
    }

    /// The event as passed to the function: a short form is expanded; any other event is sent byte
    /// for byte if possible.
    func event(
        _ bytes: [UInt8], routing: ShortEvent.Routing?
    ) throws(FixtureFailure) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        if let json = try? JSON.parse(bytes, limits: .event) {
            if ShortEvent.isShort(json) {
                return try ShortEvent(try fill(json), routing: routing).event.serialized
            }
            if let filled = try bodyFilled(json) { return try fill(filled).serialized }
        }
        let filled = try Placeholder.fill(text) { name throws(FixtureFailure) in
            guard let value = try value(name) else { return nil }
            let isPlain = value.utf8.allSatisfy {
                (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            guard isPlain else {
                throw FixtureFailure("<\(name)> needs escaping in JSON")
            }
            return value
        }
        return Array(filled.utf8)
    }
}
