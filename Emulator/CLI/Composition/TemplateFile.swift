internal import EmulatorTemplate
internal import EmulatorFiles
internal import EmulatorGateway
internal import EmulatorOpenID
internal import EmulatorProcesses
internal import EmulatorText
internal import JSON

/// The template file.
struct TemplateFile: Sendable {
    let path: String
    /// From the command line; they override those of the template's `Metadata`.
    let parameters: [(name: String, value: String)]

    static let bytesMax = 8 << 20

    /// Changes when the file does.
    var stamp: FileStamp? { FileStamp(path: path) }

    private func document() throws -> TemplateDocument {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try Files.read(path, bytesMax: Self.bytesMax)
        } catch {
            throw CommandFailure("cannot read the template \(error)")
        }
        do throws(TemplateFailure) {
            return try TemplateDocument(
                bytes, isYAML: path.hasSuffix(".yaml") || path.hasSuffix(".yml"))
        } catch {
            throw failure(error)
        }
    }

    /// `template.yaml:12:5: Resources.Api: …`
    private func failure(_ failure: TemplateFailure) -> CommandFailure {
        var advice = ""
        if case .noValue = failure.problem, let name = failure.path.split(separator: ".").last {
            advice = "; set it with --parameter \(name)=VALUE"
        }
        return CommandFailure("\(at(failure.place)): \(failure)\(advice)")
    }

    /// A place in the file, as compilers and editors write it.
    func at(_ place: TextPlace?) -> String { place.map { "\(path):\($0)" } ?? path }

    func read(_ addresses: EmulatorAddresses) throws -> LoadedTemplate {
        let document = try document()
        let metadata = try EmulatorMetadata(template: document.object, path: path)
        let given = metadata.parameters.filter { own in
            !parameters.contains { $0.name == own.name }
        }
        let directory = Files.absolute(path).split(separator: "/").dropLast().joined(separator: "/")
        let settings = TemplateSettings(
            accountID: AWSAccount.id, region: AWSAccount.region, baseURL: addresses.appURL,
            directory: "/" + directory,
            parameters: (given + parameters).map {
                ($0.name, addresses.filled(intoValue: $0.value))
            })
        do throws(TemplateFailure) {
            return LoadedTemplate(
                template: try Template(document, settings: settings), settings: settings,
                metadata: metadata)
        } catch {
            throw failure(error)
        }
    }
}

extension TemplateFile {
    /// Read once at the start: changes need a restart.
    func identityConfiguration() throws -> IdentityConfiguration {
        let metadata = try EmulatorMetadata(template: try document().object, path: path)
        guard let identity = metadata.identity else { return .standard }
        do throws(DefinitionFailure) {
            return try IdentityConfiguration(.object(identity))
        } catch {
            throw CommandFailure("\(path): Metadata.Emulator.Identity: \(error.text)")
        }
    }
}

struct LoadedTemplate: Sendable {
    let template: Template
    let settings: TemplateSettings
    let metadata: EmulatorMetadata
}

/// The AWS account and region of the emulator.
enum AWSAccount {
    static let id = "123456789012"
    static let region = "us-east-1"
}

/// `Metadata.Emulator` of a template: settings for the emulator, which CloudFormation ignores.
/// Texts may contain `{url}` and `{awsUrl}`.
struct EmulatorMetadata: Sendable {
    /// Values for parameters without a default.
    var parameters: [(name: String, value: String)] = []
    /// Example commands to print, with titles.
    var examples: [(title: String, command: String)] = []
    /// For the identity providers.
    var identity: JSONObject?

    init(template: JSONObject, path: String) throws {
        guard let own = template["Metadata"]?["Emulator"] else { return }
        let here = "\(path): Metadata.Emulator"
        guard let object = own.objectValue else {
            throw CommandFailure("\(here) should be an object")
        }
        for (name, value) in object.members {
            switch name {
            case "Parameters":
                parameters = try Self.texts(value, "\(here).Parameters")
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
                    throw CommandFailure("\(here).Identity should be an object")
                }
                identity = object
            default: throw CommandFailure("\(here): unknown member \(name)")
            }
        }
    }

    private static func texts(
        _ json: JSON, _ place: String
    ) throws -> [(name: String, value: String)] {
        guard let object = json.objectValue else {
            throw CommandFailure("\(place) should be an object")
        }
        return try object.members.map { name, value in
            guard let text = value.stringValue else {
                throw CommandFailure("\(place).\(name) should be a string")
            }
            return (name, text)
        }
    }
}
