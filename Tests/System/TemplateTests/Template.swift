import Contracts
import JSON

/// A SAM template of `Functions/Templates`, or of the example in `docs/contract-example`.
struct Template {
    static let names = Contract.names
    /// Those with a contract in the functions.
    static let served = names.filter { file(of: $0).hasPrefix("Functions/") }
    /// Those with an OpenAPI document: all of this repository.
    static let documented = names.filter {
        Repository.contains("Functions/Templates/\($0).openapi.json")
    }

    /// The templates with one function: each contract with an API has one.
    static let singles = names.map { "\($0)-single" }.filter {
        Repository.contains("Functions/Templates/\($0).json")
    }

    let name: String
    let json: JSON

    init(named name: String) throws {
        try self.init(file: Self.file(of: name), name)
    }

    /// Reads a file of this repository.
    init(file: String, _ name: String) throws {
        self.name = name
        json = try JSON.parse(try Repository.bytes(file), limits: .event)
    }

    var routes: [String] { functions.flatMap(\.routes) }

    /// The path of a template. The example's is in the documentation.
    static func file(of name: String) -> String {
        let file = "Functions/Templates/\(name).json"
        return Repository.contains(file) ? file : "docs/contract-example/\(name).json"
    }

    /// The template of the app beside a contract.
    static func example(of name: String) -> String { "Examples/\(name)/template.json" }
    /// The contracts with such an app.
    static let withExample = names.filter { Repository.contains(example(of: $0)) }

    var hasAPI: Bool { !resources(ofType: "AWS::Serverless::HttpApi").isEmpty }

    var resources: [(name: String, value: JSON)] { json["Resources"]?.members ?? [] }
    var parameters: [(name: String, value: JSON)] { json["Parameters"]?.members ?? [] }

    func resources(ofType type: String) -> [JSON] {
        resources.filter { $0.value["Type"]?.stringValue == type }.map(\.value)
    }

    var functions: [Function] {
        resources.filter { $0.value["Type"]?.stringValue == "AWS::Serverless::Function" }
            .map { Function(logicalName: $0.name, json: $0.value, globals: globals) }
    }

    private var globals: JSON? { json["Globals"]?["Function"] }

    /// All objects of the template, outermost first.
    var objects: [JSONObject] { json.objects }

    /// The same without some sections.
    func objects(without sections: Set<String>) -> [JSONObject] {
        json.members.filter { !sections.contains($0.name) }.flatMap(\.value.objects)
    }
}

/// An `AWS::Serverless::Function` merged with `Globals`.
struct Function {
    let logicalName: String
    let json: JSON
    let globals: JSON?

    func property(_ name: String) -> JSON? { json["Properties"]?[name] ?? globals?[name] }

    /// The directory created by `make lambda` has the name of the executable.
    var executable: String? {
        guard let parts = property("CodeUri")?.stringValue?.split(separator: "/"),
            parts.dropLast().elementsEqual(["..", "..", ".build", "lambda"])
        else { return nil }
        return parts.last.map(String.init)
    }

    /// The global variables, overridden by its own.
    var environment: [String: JSON] {
        var variables: [String: JSON] = [:]
        for source in [globals, json["Properties"]] {
            for (name, value) in source?["Environment"]?["Variables"]?.members ?? [] {
                variables[name] = value
            }
        }
        return variables
    }

    var events: [JSON] { property("Events")?.members.map(\.value) ?? [] }

    /// `POST /auth/signin`.
    var routes: [String] {
        events.compactMap { event in
            guard event["Type"]?.stringValue == "HttpApi",
                let method = event["Properties"]?["Method"]?.stringValue,
                let path = event["Properties"]?["Path"]?.stringValue
            else { return nil }
            return "\(method) \(path)"
        }
    }
}

extension JSON {
    var members: [(name: String, value: JSON)] { objectValue?.members ?? [] }

    /// All nested objects, beginning with this one.
    var objects: [JSONObject] {
        if let object = objectValue { return [object] + object.members.flatMap(\.value.objects) }
        return (arrayValue ?? []).flatMap(\.objects)
    }

    /// A string or a list of strings, as policies allow both.
    var texts: [String] { stringValue.map { [$0] } ?? (arrayValue ?? []).compactMap(\.stringValue) }
}
