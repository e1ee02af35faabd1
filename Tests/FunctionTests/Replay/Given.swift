import JSON
import TestSupport
import Time

/// `<case>.given.json`: what the world is like when the event arrives (Events/README.md).
struct Given {
    var contract = "latchkey"
    var environment: [(name: String, value: String?)] = []
    var idTokens: [(name: String, recipe: IDTokenRecipe)] = []
    var values: [(name: String, value: String)] = []
    var steps: [Step] = []
    var sts: STSScript?
    var exit: Int32 = 0
    /// What each line of the log must hold, in order; nil when nobody says.
    var log: [JSON]?

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    init() {}

    init(_ bytes: [UInt8]) throws {
        let json = try JSON.parse(bytes, limits: .event)
        let object = try GivenReader(json, at: "given")
        for (name, value) in object.members {
            let here = "given.\(name)"
            switch name {
            case "about": _ = try text(value, here)
            case "contract": contract = try text(value, here)
            case "environment":
                environment = try GivenReader(value, at: here).members.map { name, value in
                    (name, value.isNull ? nil : try text(value, here))
                }
            case "idTokens":
                idTokens = try GivenReader(value, at: here).members.map { name, value in
                    (name, try IDTokenRecipe(value))
                }
            case "values":
                values = try GivenReader(value, at: here).members.map { name, value in
                    (name, try Self.value(value, here))
                }
            case "steps":
                guard let list = value.arrayValue else { throw Malformed(description: here) }
                steps = try list.map { try Step($0) }
            case "sts": sts = try STSScript(value)
            case "exit":
                guard let code = value.int64Value.flatMap(Int32.init(exactly:)) else {
                    throw Malformed(description: here)
                }
                exit = code
            case "log":
                guard let list = value.arrayValue else { throw Malformed(description: here) }
                log = list
            default: throw Malformed(description: "\(here) is not a thing that can be given")
            }
        }
    }

    /// A text, or a long one: `{"text": "[", "times": 40}`.
    private static func value(_ json: JSON, _ here: String) throws -> String {
        if let text = json.stringValue { return text }
        let reader = try GivenReader(json, at: here, only: ["text", "times"])
        guard let times = reader["times"]?.int64Value, (1...8_000_000).contains(times) else {
            throw Malformed(description: "\(here).times")
        }
        return String(repeating: try text(reader["text"], "\(here).text"), count: Int(times))
    }
}

/// Something that happens before the event: another event, or a change that no function makes.
struct Step {
    enum Action {
        /// Another fixture, with its own preconditions, on the same store.
        case fixture(String)
        /// A request to `function`, in the form of an HTTP API.
        case request(function: String, method: String, path: String, body: JSON?, bearer: String?)
        /// Any event to `function`.
        case event(function: String, JSON)
        /// An account, as an administrator would change it.
        case account(id: String, change: AccountChange)
    }

    let action: Action
    let saved: [(name: String, path: String)]
    /// How far from now it happens; nil: now, and in a process.
    let clock: Span?
    let times: Int
    /// The statuses that it may be answered with; nil: any success.
    let statuses: [Int64]?

    init(_ json: JSON) throws {
        let reader = try GivenReader(
            json, at: "steps",
            only: [
                "run", "function", "request", "body", "bearer", "event", "account", "set", "save",
                "clock",
                "times", "status",
            ])
        if let fixture = reader["run"] {
            action = .fixture(try text(fixture, "run"))
        } else if let account = reader["account"] {
            guard let change = AccountChange(rawValue: try text(reader["set"], "set")) else {
                throw Given.Malformed(description: "steps.set")
            }
            action = .account(id: try text(account, "account"), change: change)
        } else if let event = reader["event"] {
            action = .event(function: try text(reader["function"], "function"), event)
        } else {
            let line = try text(reader["request"], "request").split(separator: " ")
            guard line.count == 2 else { throw Given.Malformed(description: "steps.request") }
            action = .request(
                function: try text(reader["function"], "function"), method: String(line[0]),
                path: String(line[1]), body: reader["body"],
                bearer: try reader["bearer"].map { try text($0, "bearer") })
        }
        saved =
            try reader["save"].map { json in
                try GivenReader(json, at: "save").members.map {
                    ($0.name, try text($0.value, "save"))
                }
            } ?? []
        clock = try reader["clock"].map { try Span(parsing: text($0, "clock")) }
        times = Int(reader["times"]?.int64Value ?? 1)
        statuses = reader["status"].map { status in
            (status.arrayValue ?? [status]).compactMap(\.int64Value)
        }
    }
}

enum AccountChange: String {
    case disabled, administrator
}

/// An object of a given file, none of whose members is overlooked.
struct GivenReader {
    private let object: JSONObject

    init(_ json: JSON, at place: String, only names: [String]? = nil) throws {
        guard let object = json.objectValue else {
            throw Given.Malformed(description: "\(place) is not an object")
        }
        if let names, let stranger = object.members.first(where: { !names.contains($0.name) }) {
            throw Given.Malformed(description: "\(place).\(stranger.name) is unknown")
        }
        self.object = object
    }

    var members: [(name: String, value: JSON)] { object.members }
    subscript(name: String) -> JSON? { object[name] }
}

func text(_ json: JSON?, _ place: String) throws -> String {
    guard let text = json?.stringValue else {
        throw Given.Malformed(description: "\(place) is not a text")
    }
    return text
}

extension Span {
    /// `-2h`, `+90s`, `-31d`, `+1m`
    init(parsing text: String) throws {
        let digits = text.dropFirst().dropLast()
        guard let count = Int64(digits), count >= 0, let unit = text.last,
            let milliseconds: Int64 = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000][
                unit],
            text.first == "+" || text.first == "-"
        else { throw Given.Malformed(description: "clock \(text)") }
        self.init(milliseconds: (text.first == "-" ? -count : count) * milliseconds)
    }
}
