import Bytes
import JSON
import TestSupport
import Time

/// The names that one fixture can use, and whether it did.
final class Scope {
    let given: Given
    /// The time at which everything of this fixture happens; nil: now.
    let shift: Span?
    private let services: Services
    private let builtIn: [(name: String, value: String)]
    private let ledger: SecretLedger
    private var known: [(name: String, value: String)] = []
    private var promised: Set<String> = []
    private var used: Set<String> = []

    init(
        _ given: Given, shift: Span?, services: Services, ledger: SecretLedger,
        builtIn: [(name: String, value: String)]
    ) {
        self.given = given
        self.shift = shift
        self.services = services
        self.ledger = ledger
        self.builtIn = builtIn
        promised = Set(given.values.map(\.name) + given.idTokens.map(\.name))
        promised.formUnion(given.steps.flatMap { $0.saved.map(\.name) })
    }

    /// What was given or saved and then never used.
    var unused: [String] { promised.subtracting(used).sorted() }

    /// The texts that the fixture knows, for whoever records an answer.
    var names: [(value: String, name: String)] {
        (builtIn + known).filter { $0.value.utf8.count >= 16 }.map { ($0.value, $0.name) }
    }

    func save(_ value: String, as name: String) {
        known.removeAll { $0.name == name }
        known.append((name, value))
    }

    func value(_ name: String) throws -> String? {
        if let constant = builtIn.first(where: { $0.name == name }) { return constant.value }
        used.insert(name)
        if let value = known.first(where: { $0.name == name }) { return value.value }
        if let given = given.values.first(where: { $0.name == name }) {
            let value = try Hole.fill(given.value, self.value)
            known.append((name, value))
            return value
        }
        guard let recipe = given.idTokens.first(where: { $0.name == name })?.recipe else {
            return nil
        }
        let claims = try recipe.claims.map { ($0.name, IDTokenRecipe.hashed(try fill($0.value))) }
        let now = WallClock.system.now() + (shift ?? .zero) + recipe.clock
        let token = try services.identityProvider.token(recipe, claims: claims, at: now)
        ledger.add(token: token)
        known.append((name, token))
        return token
    }

    func fill(_ text: String) throws -> String { try Hole.fill(text, value) }
    func fill(_ json: JSON) throws -> JSON { try Hole.fill(json, value) }

    /// The event as it goes to the function. A base64 body is filled as the text that it encodes.
    func event(_ bytes: [UInt8]) throws -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        if let json = try? JSON.parse(bytes, limits: .event), var object = json.objectValue,
            object["isBase64Encoded"] == true, let body = object["body"]?.stringValue,
            let decoded = Base64.decode(body)
        {
            let plain = String(decoding: decoded, as: UTF8.self)
            let filled = try fill(plain)
            if !filled.utf8.elementsEqual(plain.utf8) {
                object["body"] = .string(Base64.encode(Array(filled.utf8)))
                return try fill(.object(object)).serialized
            }
        }
        return Array(
            try Hole.fill(text) { name in
                guard let value = try self.value(name) else { return nil }
                let isPlain = value.utf8.allSatisfy {
                    (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"")
                        && $0 != UInt8(ascii: "\\")
                }
                guard isPlain else {
                    throw Given.Malformed(description: "<\(name)> cannot stand in JSON as it is")
                }
                return value
            }.utf8)
    }
}

/// What all fixtures talk to.
struct Services: Sendable {
    let identityProvider: IdentityProviderStub
    let sts: STSStub
    let executables: String
    /// A private key as Apple hands it out.
    let applePEM: String
    /// After it a process is killed, and its fixture fails.
    static let processSecondsMax = 60.0
}
