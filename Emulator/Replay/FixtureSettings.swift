internal import Bytes
internal import EmulatorBase
package import JSON

/// `settings.json` in a directory of events: the settings of all its fixtures.
/// `<contract>.shapes.json` beside it contains the shapes of a contract's tokens, and
/// `<contract>.answers.json` contains the common parts of its answers.
package struct FixtureSettings: Sendable {
    package static let fileName = "settings.json"
    private static let formerFileName = "world.json"
    private static let shapesSuffix = ".shapes.json"
    private static let answersSuffix = ".answers.json"

    /// The environment of every function, which fixtures can override. Placeholders are filled;
    /// `<contract>` is the fixture's contract.
    package var environment: [(name: String, value: String)] = []
    /// The environment variables that differ with another store, by the store's name.
    package var stores: [(name: String, environment: [(name: String, value: String)])] = []
    /// The contract of fixtures that name none.
    package var contract = ""
    /// The shapes of each contract.
    package var shapes: [(contract: String, shapes: PlaceholderShapes)] = []
    package var answers: [(contract: String, forms: AnswerForms)] = []
    /// Whether stdout is one line of compact JSON and stderr lines of JSON objects.
    package var isStrict = false
    package var secrets = Secrets()
    /// The beginnings of partition keys whose items a process reads once for many requests.
    package var cachedPartitions: [String] = []
    /// The beginnings of partition keys of counters that do more than limit requests.
    package var changingCounters: [String] = []
    /// How answers say that the service is unavailable: by a status, a text, or both.
    package var unavailable = ["503"]

    /// Values that must not appear in a log or in an error response.
    package struct Secrets: Sendable {
        /// Variables with secret values.
        package var variables: [String] = []
        /// Members of responses, at any depth.
        package var members: [String] = []
        /// Files in the working directory.
        package var files: [String] = []
        /// Functions whose responses contain no secret, even when they succeed.
        package var discreetFunctions: [String] = []
    }

    package init() {}

    /// Reads the folder's settings; the defaults if it has no file.
    package init(folder: String) throws(FixtureFailure) {
        self.init()
        if let bytes = FixtureFiles.read("\(folder)/\(Self.fileName)") {
            try self = FixtureSettings(bytes)
        } else if Files.exists("\(folder)/\(Self.formerFileName)") {
            throw FixtureFailure("rename \(Self.formerFileName) to \(Self.fileName)")
        }
        for file in Files.entries(folder) {
            if file.hasSuffix(Self.shapesSuffix) {
                let contract = String(file.dropLast(Self.shapesSuffix.count))
                let json = try Self.json(file, in: folder)
                shapes.append((contract, try PlaceholderShapes(json, at: file)))
            } else if file.hasSuffix(Self.answersSuffix) {
                let contract = String(file.dropLast(Self.answersSuffix.count))
                answers.append(
                    (contract, try AnswerForms(try Self.json(file, in: folder), at: file)))
            }
        }
    }

    private static func json(_ file: String, in folder: String) throws(FixtureFailure) -> JSON {
        guard let bytes = FixtureFiles.read("\(folder)/\(file)") else {
            throw FixtureFailure("cannot read \(file)")
        }
        return try MemberReader.file(bytes, file)
    }

    /// The files with the shapes and answers of the folder's default contract; empty if there are
    /// none. They can be sent to another process, which then makes the recording.
    package static func contractFiles(in folder: String) throws(FixtureFailure) -> JSONObject {
        let contract = try FixtureSettings(folder: folder).contract
        var files = JSONObject()
        for (name, suffix) in [("shapes", shapesSuffix), ("answers", answersSuffix)]
        where Files.exists("\(folder)/\(contract)\(suffix)") {
            files[name] = try json(contract + suffix, in: folder)
        }
        return files
    }

    /// Reads the contents of `contractFiles`, for fixtures that name no contract.
    package init(contractFiles files: JSON) throws(FixtureFailure) {
        let reader = try MemberReader(files, at: "body", only: ["shapes", "answers"])
        if let json = reader["shapes"] {
            shapes = [("", try PlaceholderShapes(json, at: "shapes"))]
        }
        if let json = reader["answers"] {
            answers = [("", try AnswerForms(json, at: "answers"))]
        }
    }

    /// The tables of refusals of all contracts.
    func refusals(in folder: String) throws(FixtureFailure) -> [RefusalTable] {
        var tables: [RefusalTable] = []
        for file in Files.entries(folder) where file.hasSuffix(RefusalTable.suffix) {
            let contract = String(file.dropLast(RefusalTable.suffix.count))
            tables.append(
                try RefusalTable(try Self.json(file, in: folder), of: contract, at: file))
        }
        return tables
    }

    /// Whether a file of the directory belongs to the settings.
    static func isSettings(_ file: String) -> Bool {
        file.isSame(as: fileName)
            || [shapesSuffix, answersSuffix, RefusalTable.suffix].contains(where: file.hasSuffix)
    }

    package init(_ bytes: [UInt8]) throws(FixtureFailure) {
        let reader = try MemberReader(try MemberReader.file(bytes, Self.fileName), at: "settings")
        for (name, value) in reader.members {
            let here = "settings.\(name)"
            switch name {
            case "about": _ = try MemberReader.text(value, here)
            case "environment":
                environment = try Self.environment(value, at: here)
            case "stores":
                for (name, value) in try MemberReader(value, at: here).members {
                    stores.append((name, try Self.environment(value, at: "\(here).\(name)")))
                }
            case "contract": contract = try MemberReader.text(value, here)
            case "strict":
                guard let flag = value.boolValue else { throw FixtureFailure("\(here)") }
                isStrict = flag
            case "secrets": secrets = try Self.secrets(value, at: here)
            case "unavailable": unavailable = try MemberReader.texts(value, here)
            case "changingCounters": changingCounters = try MemberReader.texts(value, here)
            case "cachedPartitions": cachedPartitions = try MemberReader.texts(value, here)
            default: throw FixtureFailure("\(here) is unknown")
            }
        }
    }

    private static func environment(
        _ json: JSON, at place: String
    ) throws(FixtureFailure) -> [(name: String, value: String)] {
        var environment: [(name: String, value: String)] = []
        for (name, value) in try MemberReader(json, at: place).members {
            environment.append((name, try MemberReader.text(value, "\(place).\(name)")))
        }
        return environment
    }

    private static func secrets(_ json: JSON, at place: String) throws(FixtureFailure) -> Secrets {
        let reader = try MemberReader(
            json, at: place, only: ["variables", "members", "files", "discreetFunctions"])
        var secrets = Secrets()
        for (name, value) in reader.members {
            let texts = try MemberReader.texts(value, "\(place).\(name)")
            switch name {
            case "variables": secrets.variables = texts
            case "members": secrets.members = texts
            case "files": secrets.files = texts
            default: secrets.discreetFunctions = texts
            }
        }
        return secrets
    }

    func variable(_ name: String) -> String? {
        environment.first { $0.name.isSame(as: name) }?.value
    }

    /// The common parts of a contract's answers.
    package func answers(of contract: String) -> AnswerForms {
        answers.first { $0.contract.isSame(as: contract) }?.forms ?? .none
    }

    /// The shapes of a contract; the built-in ones if the contract has no shapes file.
    package func shapes(of contract: String) -> PlaceholderShapes {
        shapes.first { $0.contract.isSame(as: contract) }?.shapes ?? .builtIn
    }
}
