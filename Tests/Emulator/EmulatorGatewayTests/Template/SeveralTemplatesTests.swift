import BaseTestSupport
import EmulatorGateway

/// Templates that are deployed together, as stacks of one account.
@Suite("Several templates") struct SeveralTemplatesTests {
    private static func template(_ resources: JSONObject, _ outputs: JSONObject = [:]) -> JSON {
        [
            "Transform": "AWS::Serverless-2016-10-31", "Resources": .object(resources),
            "Outputs": .object(outputs),
        ]
    }

    private static func function(_ more: JSONObject = [:]) -> JSON {
        var properties: JSONObject = ["CodeUri": "code/", "Runtime": "provided.al2023"]
        for (name, value) in more.members { properties[name] = value }
        return ["Type": "AWS::Serverless::Function", "Properties": .object(properties)]
    }

    private static let first = template(
        ["Check": function(), "Table": ["Type": "AWS::Serverless::SimpleTable"]],
        [
            "CheckArn": [
                "Value": ["Fn::GetAtt": ["Check", "Arn"]],
                "Export": ["Name": ["Fn::Sub": "${AWS::StackName}-CheckArn"]],
            ],
            "TableName": ["Value": ["Ref": "Table"]],
        ])

    /// Read after `first`.
    private static func second(_ template: JSON) throws -> Template {
        let earlier = try Template(parsing: first.serialized)
        var settings = TemplateSettings(stackName: "app")
        settings.earlier.functions = earlier.functions.map(\.name)
        settings.earlier.exports = earlier.exports.map { ($0.name, $0.value) }
        return try Template(parsing: template.serialized, settings: settings)
    }

    private static func api(_ authorizer: JSON) -> JSON {
        [
            "Type": "AWS::Serverless::HttpApi",
            "Properties": [
                "Auth": [
                    "DefaultAuthorizer": "Guard",
                    "Authorizers": [
                        "Guard": [
                            "AuthorizerPayloadFormatVersion": "2.0", "FunctionArn": authorizer,
                        ]
                    ],
                ]
            ],
        ]
    }

    @Test func `an output with an export can be imported by a later template`() throws {
        let exports = try Template(parsing: Self.first.serialized).exports
        expectEqual(exports.map(\.name), ["latchkey-CheckArn"])
        let imported = try Self.second(
            Self.template([
                "Api": Self.api(["Fn::ImportValue": ["Fn::Sub": "latchkey-CheckArn"]])
            ]))
        expectEqual(imported.warnings, [])
        guard case .lambda(let lambda) = try #require(imported.apis.first?.authorizers.first).kind
        else { return #expect(Bool(false), "no Lambda authorizer") }
        expectEqual(lambda.function, FunctionName("Check"))
    }

    @Test func `an import without an export is a warning`() throws {
        let template = try Self.second(
            Self.template([
                "F": Self.function([
                    "Environment": [
                        "Variables": ["A": ["Fn::ImportValue": "latchkey-TableName"], "B": "b"]
                    ]
                ])
            ]))
        expectEqual(template.functions.first?.environment.map(\.name), ["B"])
        #expect(template.warnings.map(\.reason).contains { $0.contains("latchkey-TableName") })
    }

    @Test func `an import without an export within a text is an error`() throws {
        let text: JSON = ["Fn::Sub": ["a${B}", ["B": ["Fn::ImportValue": "latchkey-Nothing"]]]]
        let template = Self.template([
            "F": Self.function(["Environment": ["Variables": ["A": text]]])
        ])
        let failure = try #require(throws: TemplateFailure.self) { try Self.second(template) }
        expectEqual(
            failure.problem, .invalid("no template before this one exports latchkey-Nothing"))
    }

    @Test func `an authorizer must be a function of this or an earlier template`() throws {
        func warnings(_ name: String) throws -> [String] {
            let arn = "arn:aws:lambda:us-east-1:123456789012:function:\(name)"
            return try Self.second(Self.template(["Api": Self.api(.string(arn))])).warnings
                .map(\.reason)
        }
        try expectEqual(warnings("Check"), [])
        try expectEqual(warnings("Other").count, 1)
    }

    /// A template does not name the roles that SAM creates. In AWS their names begin with the
    /// stack's.
    @Test func `functions with the same logical ID have different roles`() throws {
        let first = try Template(parsing: Self.first.serialized)
        let second = try Self.second(
            Self.template(["Check": Self.function(["FunctionName": "app-check"])]))
        #expect(first.functions[0].roleARN.hasSuffix(":role/CheckRole"))
        #expect(second.functions[0].roleARN.hasSuffix(":role/app-CheckRole"))
        expectEqual(second.conflict(with: first), nil)
        let joined = Template(joining: [first, second])
        expectEqual(joined.functions.map(\.name.text), ["Check", "app-check"])
        expectEqual(Set(joined.roles.map(\.arn)), Set(joined.functions.map(\.roleARN)))
    }

    @Test(
        arguments: [
            ("Check", function(), .function),
            ("Other", function(["FunctionName": "Check"]), .function),
            ("Table", ["Type": "AWS::Serverless::SimpleTable"], .table),
            (
                "Other",
                [
                    "Type": "AWS::IAM::Role",
                    "Properties": ["RoleName": "CheckRole", "AssumeRolePolicyDocument": [:]],
                ], .role
            ),
        ] as [(String, JSON, NameConflict.Kind)])
    func `a name of an earlier template is a conflict`(
        id: String, resource: JSON, kind: NameConflict.Kind
    ) throws {
        let first = try Template(parsing: Self.first.serialized)
        let second = try Self.second(Self.template([id: resource]))
        let conflict = try #require(second.conflict(with: first))
        expectEqual(conflict.kind, kind)
        expectEqual(conflict.path, "Resources.\(id)")
        expectEqual(
            first.conflict(with: try Self.second(Self.template(["F": Self.function()]))), nil)
    }
}
