import BaseTestSupport
import EmulatorGateway
import Foundation

@Suite("Templates") struct TemplateTests {
    private func parse(
        _ template: JSON, _ settings: TemplateSettings = TemplateSettings()
    ) throws -> Template {
        try Template(parsing: template.serialized, settings: settings)
    }

    private static let folder = RepositoryRoot.url.appending(path: "Functions/Templates")

    private func own(
        _ name: String, _ more: [(name: String, value: String)] = []
    ) throws -> Template {
        let bytes = try Data(contentsOf: Self.folder.appending(path: "\(name).json"))
        let names = try JSON.parse(Array(bytes), limits: .keySet)["Parameters"]?.objectValue
        let values = [
            ("Issuer", "http://127.0.0.1:8000"), ("MailFrom", "no-reply@example.com"),
            ("LinkBase", "myapp://auth"),
        ]
        return try Template(
            parsing: Array(bytes),
            settings: TemplateSettings(
                directory: "/t",
                parameters: values.filter { names?[$0.0] != nil } + more))
    }

    @Test(arguments: [
        "latchkey", "photolala", "whateat", "livlogios", "news_app", "shell", "latchkey-single",
        "whateat-single",
    ])
    func `Latchkey's templates are fully supported`(name: String) throws {
        let template = try own(name)
        expectEqual(template.warnings, [])
        expectEqual(template.tables.count, 1)
        // The secrets of Apple, Google, webhooks and apps of others, and the audit log's key, are
        // additional.
        let secrets = ["latchkey": 6, "latchkey-single": 6]
        expectEqual(template.secrets.count, secrets[name, default: 1])
        #expect(!template.functions.isEmpty)
        for function in template.functions {
            expectEqual(function.executableCandidates.first?.hasSuffix("/bootstrap"), true)
            #expect(
                template.roles.contains { $0.arn == function.roleARN })
        }
    }

    @Test func `a managed policy is attached by reference`() throws {
        let policy: JSON = [
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": ["PolicyDocument": ["Statement": []]],
        ]
        let function = SAMTemplates.function([:], ["Policies": [["Ref": "Reading"]]])
        let template = try parse(["Resources": ["F": function, "Reading": policy]])
        let arn = "arn:aws:iam::123456789012:policy/Reading"
        expectEqual(template.policies.map(\.arn), [arn])
        let role = try #require(template.roles.first { $0.arn == template.functions[0].roleARN })
        #expect(role.managedPolicyARNs.contains(arn))
    }

    @Test func `a parameter needs an allowed value`() throws {
        func template(_ parameter: JSONObject) -> JSON {
            [
                "Parameters": ["P": .object(parameter)],
                "Resources": ["F": SAMTemplates.function([:], ["Description": ["Ref": "P"]])],
            ]
        }
        func failure(_ parameter: JSONObject, _ value: String?) -> TemplateFailure? {
            do {
                _ = try parse(
                    template(parameter),
                    TemplateSettings(parameters: value.map { [("P", $0)] } ?? []))
                return nil
            } catch { return error as? TemplateFailure }
        }
        expectEqual(failure(["Type": "String"], nil), TemplateFailure("Parameters.P", .noValue))
        expectEqual(failure(["Type": "String", "Default": ""], nil), nil)
        expectEqual(failure(["Type": "String"], "x"), nil)
        for (parameter, good, bad): (JSONObject, String, String) in [
            (["AllowedValues": ["a", "b"]], "a", "c"), (["AllowedPattern": "^[a-z]+$"], "x", "X"),
            (["MinLength": 2], "xx", "x"), (["MaxLength": "2"], "xx", "xxx"),
            (["Type": "Number", "MinValue": 2], "2", "1"), (["MaxValue": 2], "2", "two"),
        ] {
            expectEqual(failure(parameter, good), nil)
            guard case .valueNotAllowed? = failure(parameter, bad)?.problem else {
                Issue.record("\(parameter) took \(bad)")
                continue
            }
        }
    }

    @Test func `globals are merged as in SAM`() throws {
        let template = try parse([
            "Globals": [
                "Function": [
                    "Timeout": 7, "MemorySize": 512,
                    "Environment": ["Variables": ["A": "1", "B": "1"]],
                    "Policies": ["AWSXrayWriteOnlyAccess"],
                ]
            ],
            "Resources": [
                "F": SAMTemplates.function(
                    [:],
                    [
                        "Timeout": 9, "Environment": ["Variables": ["B": 2, "C": true]],
                        "Policies": [["DynamoDBReadPolicy": ["TableName": "t"]]],
                        "ReservedConcurrentExecutions": 0,
                    ])
            ],
        ])
        let function = try #require(template.functions.first)
        expectEqual(function.timeoutSeconds, 9)
        expectEqual(function.memoryMB, 512)
        expectEqual(function.reservedConcurrency, 0)
        expectEqual(
            function.environment.map { "\($0.name)=\($0.value)" }, ["A=1", "B=2", "C=true"])
        let role = try #require(template.roles.first)
        expectEqual(function.roleARN, role.arn)
        #expect(
            role.managedPolicyARNs.contains("arn:aws:iam::aws:policy/AWSXrayWriteOnlyAccess"))
        expectEqual(
            role.inlinePolicies[0].policy.document["Statement"]?.arrayValue?[0]["Resource"],
            [
                "arn:aws:dynamodb:us-east-1:123456789012:table/t",
                "arn:aws:dynamodb:us-east-1:123456789012:table/t/index/*",
            ])
    }

    @Test func `alarms and dashboards are accepted and do nothing`() throws {
        let template = try own(
            "latchkey",
            [
                ("AlarmTopicArn", "arn:aws:sns:eu-central-1:123456789012:alarms"),
                ("MetricsNamespace", "Latchkey/test"),
            ])
        expectEqual(template.warnings, [])
        expectEqual(template.functions.count, (try own("latchkey")).functions.count)
    }

    @Test func `undeclared APIs are implicit`() throws {
        let template = try parse([
            "Globals": ["HttpApi": ["CorsConfiguration": true]],
            "Resources": [
                "F": SAMTemplates.function([
                    "A": ["Type": "HttpApi"],
                    "B": ["Type": "Api", "Properties": ["Path": "/x", "Method": "get"]],
                    "C": ["Type": "HttpApi", "Properties": ["Path": "/y", "Method": "any"]],
                ])
            ],
        ])
        expectEqual(template.apis.map(\.logicalID), ["ServerlessHttpApi", "ServerlessRestApi"])
        expectEqual(template.apis[0].routes.map(\.key), ["$default", "ANY /y"])
        expectEqual(template.apis[0].cors?.origins, ["*"])
        expectEqual(template.apis[1].stage, "Prod")
        expectEqual(template.apis[1].routes.map(\.key), ["GET /x"])
        expectEqual(template.warnings, [])
    }

    @Test func `unsupported features are reported`() throws {
        let template = try parse([
            "Resources": [
                "Queue": ["Type": "AWS::SQS::Queue"],
                "Api": [
                    "Type": "AWS::Serverless::Api",
                    "Properties": [
                        "StageName": "p", "CacheClusterEnabled": true, "TracingEnabled": true,
                        "Auth": ["Authorizers": ["C": ["UserPoolArn": "arn:x"]]],
                    ],
                ],
                "F": SAMTemplates.function(
                    [
                        "Q": ["Type": "SQS", "Properties": ["Queue": "x"]],
                        "A": SAMTemplates.restEvent(
                            "GET", "/a", ["Auth": ["ApiKeyRequired": true]]),
                        "B": SAMTemplates.restEvent("GET", "/b", ["RequestModel": ["Model": "M"]]),
                    ],
                    [
                        "Runtime": "java21", "Layers": ["arn:x"], "Unheard": 1,
                        "Tracing": "Active",
                        "VpcConfig": ["SubnetIds": ["s"]],
                        "FunctionUrlConfig": ["AuthType": "NONE", "InvokeMode": "RESPONSE_STREAM"],
                    ]),
                "T": [
                    "Type": "AWS::DynamoDB::Table",
                    "Properties": [
                        "KeySchema": [], "StreamSpecification": ["StreamViewType": "NEW_IMAGE"],
                    ],
                ],
            ]
        ])
        let paths = template.warnings.map(\.path)
        for path in [
            "Resources.Queue", "Resources.Api.Properties.CacheClusterEnabled",
            "Resources.Api.Properties.TracingEnabled", "Resources.F.Properties.Tracing",
            "Resources.Api.Properties.Auth.Authorizers.C.UserPoolArn",
            "Resources.F.Properties.Runtime", "Resources.F.Properties.Layers",
            "Resources.F.Properties.Unheard", "Resources.F.Properties.VpcConfig",
            "Resources.F.Properties.FunctionUrlConfig.InvokeMode",
            "Resources.F.Properties.Events.Q.Type",
            "Resources.F.Properties.Events.A.Properties.Auth.ApiKeyRequired",
            "Resources.F.Properties.Events.B.Properties.RequestModel",
            "Resources.T.Properties.StreamSpecification",
        ] {
            #expect(paths.contains(path), "\(path)")
        }
        #expect(template.warnings.allSatisfy { !$0.reason.isEmpty })
    }

    @Test(arguments: ["PassThrough", "Disabled"])
    func `tracing that is not enabled is not reported`(_ mode: String) throws {
        let template = try parse([
            "Resources": ["F": SAMTemplates.function([:], ["Tracing": .string(mode)])]
        ])
        expectEqual(template.warnings, [])
    }

    @Test(arguments: [
        ("[]", ""), ("{", ""), ("{}", "Resources"), (#"{"Resources":{}}"#, "Resources"),
        (#"{"Resources":{"A":1}}"#, "Resources.A"),
        (#"{"Resources":{"A":{}}}"#, "Resources.A.Type"),
        (#"{"Resources":[]}"#, "Resources"),
        (#"{"Parameters":1,"Resources":{"A":1}}"#, "Parameters"),
        (
            #"{"Resources":{"A":{"Type":"AWS::Serverless::Api","Properties":{}}}}"#,
            "Resources.A.Properties.StageName"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Timeout":901}}}}"#,
            "Resources.F.Properties.Timeout"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Timeout":"x"}}}}"#,
            "Resources.F.Properties.Timeout"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Environment":{"Variables":{"A":[1]}}}}}}"#,
            "Resources.F.Properties.Environment.Variables.A"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Events":{"E":{"Type":"HttpApi","Properties":{"Path":"/x{y}","Method":"GET"}}}}}}}"#,
            "Resources.F.Properties.Events.E.Properties.Path"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Events":{"E":{"Type":"HttpApi","Properties":{"Path":"/x","Method":"FETCH"}}}}}}}"#,
            "Resources.F.Properties.Events.E.Properties.Method"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Events":{"E":{"Type":"HttpApi","Properties":{"Path":"/x","Method":"GET","ApiId":"zzz"}}}}}}}"#,
            "Resources.F.Properties.Events.E.Properties.ApiId"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Events":{"A":{"Type":"HttpApi"},"B":{"Type":"HttpApi"}}}}}}"#,
            "Resources.F.Properties.Events.B"
        ),
        (
            #"""
            {"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Events":{
            "E":{"Type":"Schedule","Properties":{"Schedule":"rate(1 minutes)"}}}}}}}
            """#,
            "Resources.F.Properties.Events.E.Properties.Schedule"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"FunctionUrlConfig":{}}}}}"#,
            "Resources.F.Properties.FunctionUrlConfig.AuthType"
        ),
    ])
    func `an invalid template is reported with its path`(text: String, path: String) throws {
        #expect(
            throws: TemplateFailure.self
        ) { try Template(parsing: Array(text.utf8), settings: TemplateSettings()) }
        do {
            _ = try Template(parsing: Array(text.utf8), settings: TemplateSettings())
        } catch {
            expectEqual(error.path, path)
            #expect(path.isEmpty || error.description.hasPrefix("\(path): "))
        }
    }
}
