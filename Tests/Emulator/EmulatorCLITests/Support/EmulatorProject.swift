import BaseTestSupport
import Foundation

/// A directory with a template and an emulator's state, and the emulators started with it.
final class EmulatorProject: Sendable {
    let folder: TemporaryFolder
    let arguments: [String]
    /// An environment variable that only the functions of this template have.
    let mark: String

    /// `functions` by name; `arguments` follow `--template` and `--data`.
    init(_ resources: JSONObject, _ arguments: [String] = []) throws {
        folder = try TemporaryFolder()
        mark = "MARK_\(UUID().uuidString.filter { $0 != "-" })"
        self.arguments = arguments
        try write(resources)
    }

    var templatePath: String { folder.file("template.json") }
    var statePath: String { folder.file("state") }

    func write(_ resources: JSONObject) throws {
        let template: JSON = [
            "AWSTemplateFormatVersion": "2010-09-09",
            "Transform": "AWS::Serverless-2016-10-31",
            "Globals": ["Function": ["Environment": ["Variables": [mark: "1"]]]],
            "Resources": .object(resources),
        ]
        try folder.replace("template.json", with: template.serialized)
    }

    var command: Command {
        var command = EmulatorProcess.serving(
            ["--template", templatePath, "--data", statePath] + arguments)
        command.folder = folder
        return command
    }

    func start() throws -> EmulatorProcess { try EmulatorProcess(command) }

    /// The pids of remaining function processes, found by the variable in their environment.
    var functionProcesses: [Int32] { Descendants.allProcesses.filter { hasVariable(mark, $0) } }
}

extension JSONObject {
    /// A function with an existing executable, and its routes and schedules.
    static func function(
        _ path: String, environment: [(String, String)] = [], timeoutSeconds: Int = 3,
        events: JSONObject = [:], more: JSONObject = [:]
    ) -> JSON {
        var properties: JSONObject = [
            "CodeUri": .string(path), "Handler": "bootstrap", "Runtime": "provided.al2023",
            "Timeout": .number(Int64(timeoutSeconds)), "MemorySize": 256,
            "Events": .object(events),
            "Environment": [
                "Variables": .object(JSONObject(environment.map { ($0.0, .string($0.1)) }))
            ],
        ]
        for (name, value) in more.members { properties[name] = value }
        return ["Type": "AWS::Serverless::Function", "Properties": .object(properties)]
    }

    static func route(_ method: String, _ path: String) -> JSON {
        ["Type": "HttpApi", "Properties": ["Method": .string(method), "Path": .string(path)]]
    }

    /// A table with partition key `pk` and sort key `sk`.
    static func table(_ name: String) -> JSON {
        [
            "Type": "AWS::DynamoDB::Table",
            "Properties": [
                "TableName": .string(name), "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    ["AttributeName": "pk", "AttributeType": "S"],
                    ["AttributeName": "sk", "AttributeType": "S"],
                ],
                "KeySchema": [
                    ["AttributeName": "pk", "KeyType": "HASH"],
                    ["AttributeName": "sk", "KeyType": "RANGE"],
                ],
                "TimeToLiveSpecification": ["AttributeName": "ttl", "Enabled": true],
            ],
        ]
    }

    static func bucket(_ name: String) -> JSON {
        ["Type": "AWS::S3::Bucket", "Properties": ["BucketName": .string(name)]]
    }
}
