internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda
internal import JSON

/// A template file.
struct TemplateFile: Sendable {
    let path: String

    static let bytesMax = 8 << 20

    /// Changes when the file changes.
    var stamp: FileStamp? { FileStamp(path: path) }

    func open() throws -> OpenTemplate {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try Files.read(path, bytesMax: Self.bytesMax)
        } catch {
            throw CommandFailure("cannot read the template \(error)")
        }
        let document: TemplateDocument
        do throws(TemplateFailure) {
            document = try TemplateDocument(
                bytes, isYAML: path.hasSuffix(".yaml") || path.hasSuffix(".yml"))
        } catch {
            throw failure(error)
        }
        return OpenTemplate(
            file: self, document: document,
            metadata: try EmulatorMetadata(template: document.object, path: path))
    }

    /// `template.yaml:12:5: Resources.Api: …`
    func failure(_ failure: TemplateFailure) -> CommandFailure {
        var advice = ""
        if case .noValue = failure.problem, let name = failure.path.split(separator: ".").last {
            advice = "; set it with --parameter \(name)=VALUE"
        }
        return CommandFailure("\(at(failure.place)): \(failure)\(advice)")
    }

    /// A position in the file, in the format of compilers and editors.
    func at(_ place: TextPlace?) -> String { place.map { "\(path):\($0)" } ?? path }

    /// The directory to which code paths are relative.
    var directory: String {
        "/" + Files.absolute(path).split(separator: "/").dropLast().joined(separator: "/")
    }

    /// The stack's name: the file's name, or the folder's name for `template.yaml` and the like.
    var stackName: String {
        let parts = Files.absolute(path).split(separator: "/")
        let stem = parts.last?.prefix { $0 != "." } ?? ""
        let name = stem == "template" ? parts.dropLast().last ?? stem : stem
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    }
}

/// A template file that was read, before its values are resolved.
struct OpenTemplate: Sendable {
    let file: TemplateFile
    let document: TemplateDocument
    let metadata: EmulatorMetadata

    /// The names of its parameters.
    var parameters: [String] {
        document.object["Parameters"]?.objectValue?.members.map(\.name) ?? []
    }

    /// The logical IDs of its secrets.
    var secrets: [String] {
        let resources = document.object["Resources"]?.objectValue?.members ?? []
        return resources.filter {
            $0.value["Type"]?.stringValue?.isSame(as: "AWS::SecretsManager::Secret") ?? false
        }.map(\.name)
    }

    func at(_ path: String) -> String { file.at(document.places[path]) }

    func template(_ settings: TemplateSettings) throws -> Template {
        do throws(TemplateFailure) {
            let template = try Template(document, settings: settings)
            try template.checkPolicies()
            return template
        } catch {
            var error = error
            error.place = error.place ?? document.place(of: error.path)
            throw file.failure(error)
        }
    }
}

/// The AWS account and region of the emulator.
enum AWSAccount {
    static let id = "123456789012"
    static let region = "us-east-1"
}

/// `Metadata.Emulator` of a template: settings for the emulator, which CloudFormation ignores.
/// Texts may contain `{url}` and `{awsUrl}`, values of parameters also `{localhostUrl}`, and values
/// of `Playground` also `{playgroundUrl}`.
struct EmulatorMetadata: Sendable {
    /// Values of parameters, and texts of secrets by their logical IDs.
    var parameters: [(name: String, value: String)] = []
    /// The values and texts that are used with `--playground` instead of the usual ones.
    var playground: [(name: String, value: String)] = []
    /// The parameters that have a list of values here. A value of `--parameter` is added to the
    /// list.
    var lists: Set<String> = []
    /// Example commands to print, with titles.
    var examples: [(title: String, command: String)] = []
    /// The configuration of the identity providers.
    var identity: JSONObject?
    /// The function that replays the fixtures of functions which the template does not have.
    var otherFixtures: OtherFixtures?

    init(template: JSONObject, path: String) throws {
        guard let own = template["Metadata"]?["Emulator"] else { return }
        let here = "\(path): Metadata.Emulator"
        guard let object = own.objectValue else {
            throw CommandFailure("\(here) should be an object" + Self.ageHint)
        }
        for (name, value) in object.members {
            switch name {
            case "Parameters":
                lists.formUnion(Self.lists(value))
                parameters = try Self.texts(value, "\(here).Parameters")
            case "Playground":
                lists.formUnion(Self.lists(value))
                playground = try Self.texts(value, "\(here).Playground")
            case "Try":
                examples = try (value.arrayValue ?? []).map { example in
                    guard let title = example["title"]?.stringValue,
                        let command = example["command"]?.stringValue
                    else {
                        throw CommandFailure("\(here).Try: each entry needs a title and a command")
                    }
                    return (title, command)
                }
            case "Identity":
                guard let object = value.objectValue else {
                    throw CommandFailure("\(here).Identity should be an object" + Self.ageHint)
                }
                identity = object
            case "Replay":
                guard let function = value["Function"]?.stringValue else {
                    throw CommandFailure("\(here).Replay needs the logical ID of a Function")
                }
                otherFixtures = OtherFixtures(
                    function: function, member: value["Member"]?.stringValue)
            default: throw CommandFailure("\(here): unknown member \(name)" + Self.ageHint)
            }
        }
    }

    /// A template may have members that only a newer emulator reads.
    private static let ageHint =
        ". Is this emulator older than the template? 'make build emulator' makes a new one"

    private static func lists(_ json: JSON) -> [String] {
        (json.objectValue?.members ?? []).filter { $0.value.arrayValue != nil }.map(\.name)
    }

    /// The texts of a list are separated by commas.
    private static func texts(
        _ json: JSON, _ place: String
    ) throws -> [(name: String, value: String)] {
        guard let object = json.objectValue else {
            throw CommandFailure("\(place) should be an object" + ageHint)
        }
        return try object.members.map { name, value in
            let list = value.arrayValue?.compactMap(\.stringValue)
            guard let text = value.stringValue ?? list?.joined(separator: ",") else {
                throw CommandFailure("\(place).\(name) should be a string" + ageHint)
            }
            return (name, text)
        }
    }
}
