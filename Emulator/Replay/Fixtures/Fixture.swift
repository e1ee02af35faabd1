internal import Bytes
internal import EmulatorBase
package import JSON

/// One event of a folder of events, with its other files.
package struct Fixture: Sendable, CustomStringConvertible {
    /// `signin/apple-new-user`
    package let name: String
    /// The common path of its files, without `.json`.
    let stem: String
    /// The fixture's content if it has no file, because a table makes it (`RefusalTable`).
    private let made: EventFile?
    package var isOfTable: Bool { made != nil }

    init(name: String, stem: String) {
        self.name = name
        self.stem = stem
        made = nil
    }

    init(name: String, file: EventFile) {
        self.name = name
        stem = ""
        made = file
    }

    /// Parses the path of the fixture's event.
    init?(path: String) {
        guard path.hasSuffix(".json") else { return nil }
        stem = String(path.dropLast(".json".utf8.count))
        let words = stem.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count >= 2 else { return nil }
        made = nil
        name = words.suffix(2).joined(separator: "/")
    }

    /// The folder of events.
    var root: String {
        let root = stem.dropLast(name.utf8.count)
        return root.isEmpty ? "." : String(root.dropLast())
    }

    package var function: String { String(name.prefix { $0 != "/" }) }
    package var description: String { name }

    /// The complete expected response; nil if there is none yet.
    package func response(_ settings: FixtureSettings) throws(FixtureFailure) -> JSON? {
        let file = file
        if made == nil, let bytes = FixtureFiles.read(responsePath) {
            guard file?.answer == nil, file?.response == nil else {
                throw FixtureFailure("the answer is in \(name).json and in \(name).response.json")
            }
            return try MemberReader.file(bytes, "\(name).response.json")
        }
        if let member = file?.strayMember {
            throw FixtureFailure(
                "\(name).json has '\(member)', but neither 'request' nor 'event'. The event itself "
                    + "can have such a member only if it is the value of 'event'")
        }
        guard let answer = file?.answer else { return file?.response }
        guard file?.response == nil else {
            throw FixtureFailure("\(name).json has both answer and response")
        }
        return try settings.answers(of: try contract(settings)).expanded(answer)
    }

    /// nil without a file. Does not include the other members of the file.
    package var event: [UInt8]? {
        if let made { return made.event.serialized }
        guard let bytes = FixtureFiles.read("\(stem).json") else { return nil }
        guard let file = EventFile(bytes), !file.hasOnlyTheEvent else { return bytes }
        return file.event.serialized
    }

    var responsePath: String { "\(stem).response.json" }
    var givenPath: String { "\(stem).given.json" }

    private var file: EventFile? {
        made ?? FixtureFiles.read("\(stem).json").flatMap(EventFile.init)
    }

    func contract(_ settings: FixtureSettings) throws(FixtureFailure) -> String {
        try given?["contract"]?.stringValue ?? settings.contract
    }

    /// `eventProblem`, unless a file of the fixture shows that it is intended.
    var unintendedEventProblem: String? {
        guard !Files.exists(givenPath), !Files.exists(responsePath) else { return nil }
        return eventProblem
    }

    /// Why the event's file is not JSON, which is intended in some fixtures; nil if it is.
    var eventProblem: String? {
        guard let bytes = FixtureFiles.read("\(stem).json") else { return nil }
        do throws(JSONFailure) {
            _ = try JSON.parse(bytes, limits: .event)
            return nil
        } catch {
            let place = error.place(in: bytes).map { ":\($0)" } ?? ""
            return "the event is not valid JSON: \(name).json\(place): \(error.reason)"
        }
    }

    /// `given`, from the event's file or from its own file.
    package var given: JSON? {
        get throws(FixtureFailure) {
            let inEvent = file?.given
            guard made == nil, let bytes = FixtureFiles.read(givenPath) else {
                return inEvent
            }
            guard inEvent == nil else {
                throw FixtureFailure("given is in \(name).json and in \(name).given.json")
            }
            return try MemberReader.file(bytes, "given")
        }
    }

    /// Records a response as the expected one, to be reviewed and committed: with the event, in
    /// its short form if that is possible, unless the fixture has a file for it.
    package func record(
        _ response: JSON, _ settings: FixtureSettings
    ) throws(FixtureFailure) {
        guard made == nil else {
            throw FixtureFailure("the answer of a refusal is changed in its contract's table")
        }
        guard !Files.exists(responsePath), var file else {
            return try FixtureFiles.write(Array(response.pretty.utf8), to: responsePath)
        }
        file.expect(response, settings.answers(of: try contract(settings)))
        try FixtureFiles.write(Array(file.json.formatted.utf8), to: "\(stem).json")
    }
}

extension Fixture: Hashable {
    package static func == (left: Fixture, right: Fixture) -> Bool {
        left.name.isSame(as: right.name) && left.stem.isSame(as: right.stem)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Fixture {
    /// The fixtures of a folder of events, and its stray files.
    package struct Catalog: Sendable {
        package let root: String
        package let fixtures: [Fixture]
        package let strays: [String]
        /// Why the tables of refusals cannot be read; nil if they can.
        package private(set) var problem: FixtureFailure?

        private let byName: [String: Fixture]

        /// Reads `root/<function>/<case>[.response|.given].json`. Files of any other form, parts
        /// without an event, and folders without events are stray.
        package init(root: String) {
            var fixtures: [Fixture] = []
            var strays: [String] = []
            for folder in Files.entries(root) where !Catalog.isFurnishing(folder) {
                let files = Files.entries("\(root)/\(folder)")
                if files.isEmpty { strays.append(folder) }
                for file in files {
                    let name = "\(folder)/\(file)"
                    guard let parts = Catalog.parts(of: file) else {
                        strays.append(name)
                        continue
                    }
                    let stem = "\(folder)/\(parts.base)"
                    if parts.part == nil {
                        fixtures.append(Fixture(name: stem, stem: "\(root)/\(stem)"))
                    } else if !files.contains("\(parts.base).json") {
                        strays.append(name)
                    }
                }
            }
            do throws(FixtureFailure) {
                let settings = try FixtureSettings(folder: root)
                let own = fixtures
                for table in try settings.refusals(in: root) {
                    fixtures += try table.fixtures(besides: own, settings)
                }
            } catch {
                problem = error
            }
            self.root = root
            self.fixtures = fixtures
            self.strays = strays
            byName = Dictionary(fixtures.map { ($0.name, $0) }) { first, _ in first }
        }

        package func fixture(_ name: String) -> Fixture? { byName[name] }

        private static func isFurnishing(_ file: String) -> Bool {
            file == "README.md" || FixtureSettings.isSettings(file)
        }

        private static func parts(of file: String) -> (base: String, part: String?)? {
            guard file.hasSuffix(".json") else { return nil }
            let pieces = file.dropLast(5).split(separator: ".", omittingEmptySubsequences: false)
            guard let base = pieces.first, Fixture.isLegalCase(base) else { return nil }
            switch pieces.count {
            case 1: return (String(base), nil)
            case 2 where pieces[1] == "response" || pieces[1] == "given":
                return (String(base), String(pieces[1]))
            default: return nil
            }
        }
    }

    /// Lower-case letters, digits and hyphens.
    package static func isLegalCase(_ name: some StringProtocol) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                byte.isLowercase || byte.isDigit || byte == UInt8(ascii: "-")
            }
    }
}
