import BaseTestSupport
import EmulatorGateway

/// Features of public templates: each is read, or reported with its position, and none prevents the
/// emulator from running the rest.
@Suite("Third-party templates") struct ForeignTemplateTests {
    private func parse(_ yaml: String) throws -> Template {
        try Template(parsing: Array(yaml.utf8))
    }

    private static let function = """
          F:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: src/
              Handler: app.handler
              Runtime: python3.12
        """

    @Test(arguments: [
        ("!GetAtt Stream.Arn", "arn:aws:kinesis:us-east-1:123456789012:stream/Stream"),
        ("!Sub '${Stream.Arn}*'", "arn:aws:kinesis:us-east-1:123456789012:stream/Stream*"),
        ("!Ref Machine", "arn:aws:states:us-east-1:123456789012:stateMachine:Machine"),
        ("!GetAtt Machine.Arn", "arn:aws:states:us-east-1:123456789012:stateMachine:Machine"),
        ("!GetAtt MachineRole.Arn", "arn:aws:iam::123456789012:role/MachineRole"),
        ("!GetAtt Bus.Arn", "arn:aws:events:us-east-1:123456789012:eventbus/Bus"),
        ("!Ref Bus", "Bus"), ("!GetAtt Bus.Name", "Bus.Name"),
        ("!Ref F.Alias", "arn:aws:lambda:us-east-1:123456789012:function:F:live"),
        ("!Ref FAliaslive", "arn:aws:lambda:us-east-1:123456789012:function:F:live"),
        ("!Ref F.Version", "arn:aws:lambda:us-east-1:123456789012:function:F:1"),
        ("!Ref Api.Stage", "dev"), ("!Sub '${Api.Stage}/x'", "dev/x"), ("!Ref ApidevStage", "dev"),
        ("!Ref ServerlessRestApiProdStage", "Prod"),
        ("!GetAtt GraphKey.ApiKey", "GraphKey.ApiKey"),
    ])
    func `references to generated resources have AWS's form`(
        value: String, expected: String
    ) throws {
        let template = try parse(
            """
            Resources:
            \(Self.function)
                  AutoPublishAlias: live
              Api: {Type: AWS::Serverless::Api, Properties: {StageName: !Sub dev}}
              Stream: {Type: AWS::Kinesis::Stream}
              Bus: {Type: AWS::Events::EventBus}
              Machine: {Type: AWS::Serverless::StateMachine}
              Graph: {Type: AWS::Serverless::GraphQLApi}
            Outputs:
              O: {Value: \(value)}
            """)
        expectEqual(template.outputs.first?.value, expected)
        expectEqual(template.functions.first?.alias, "live")
    }

    @Test func `a misspelt section is reported, but references to it are not`() throws {
        let failure = #expect(throws: TemplateFailure.self) {
            _ = try parse(
                """
                Globals: {Function: {Environment: {Variables: {TABLE: !Ref Notes}}}}
                Resource:
                  Notes: {Type: AWS::Serverless::SimpleTable}
                """)
        }
        expectEqual(
            failure.map { "\($0)" },
            "Resource: a template has no such section; did you mean Resources?")
    }

    @Test func `the warning for a misspelt runtime suggests the nearest one`() throws {
        let yaml = Self.function.replacing("python3.12", with: "pyton3.12")
        let template = try parse("Resources:\n\(yaml)")
        #expect(
            template.warnings.contains { "\($0)".contains("; did you mean python3.12?") },
            "\(template.warnings)")
    }

    @Test func `an API of separate resources has its routes and a reachable address`()
        throws
    {
        let template = try parse(
            """
            Resources:
              Api: {Type: AWS::ApiGatewayV2::Api, Properties: {Name: a, ProtocolType: HTTP}}
              Stage:
                Type: AWS::ApiGatewayV2::Stage
                Properties:
                  ApiId: !Ref Api
                  StageName: $default
                  DefaultRouteSettings: {ThrottlingBurstLimit: 7, ThrottlingRateLimit: 3}
              Integration:
                Type: AWS::ApiGatewayV2::Integration
                Properties:
                  ApiId: !Ref Api
                  IntegrationType: AWS_PROXY
                  IntegrationUri: !GetAtt F.Arn
                  PayloadFormatVersion: "2.0"
              Default:
                Type: AWS::ApiGatewayV2::Route
                Properties:
                  {ApiId: !Ref Api, RouteKey: $default, Target: !Sub "integrations/${Integration}"}
              Item:
                Type: AWS::ApiGatewayV2::Route
                Properties:
                  ApiId: !Ref Api
                  RouteKey: GET /items/{id}
                  AuthorizationType: AWS_IAM
                  Target: !Sub integrations/${Integration}
            \(Self.function)
                  Environment:
                    Variables:
                      ISSUER: !Sub "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/x"
            """)
        let routes = try #require(template.apis.first).routes
        expectEqual(routes.map(\.key), ["$default", "GET /items/{id}"])
        expectEqual(routes.map(\.function.text), ["F", "F"])
        expectEqual(routes.map(\.throttle?.burst), [7, 7])
        expectEqual(routes.map { $0.authorization == .iam }, [false, true])
        expectEqual(
            template.functions.first?.environment.map(\.value), ["http://127.0.0.1:8000/x"])
        expectEqual(template.warnings.map { "\($0)" }, [])
    }

    @Test func `of duplicate keys the last one is used, with a warning`() throws {
        let template = try parse(
            """
            Resources:
              F:
                Type: AWS::Serverless::Function
                Properties:
                  Handler: old.handler
                  CodeUri: src/
                  Handler: app.handler
                  Runtime: python3.12
            """)
        expectEqual(template.functions.map(\.handler), ["app.handler"])
        let warning = try #require(template.warnings.first)
        expectEqual(template.warnings.count, 1)
        expectEqual(warning.description, "Handler: this key is in line 5 too; the last one counts")
        expectEqual("\(try #require(warning.place))", "7:7")
    }

    @Test(arguments: [
        (
            "Handlr: app.handler",
            "Handlr: the emulator does not know this property; "
                + "did you mean Handler?"
        ),
        ("timeout: 3", "timeout: the emulator does not know this property; did you mean Timeout?"),
        ("Wings: 2", "Wings: the emulator does not know this property"),
    ])
    func `the warning for an unknown property suggests the nearest one`(
        property: String, warning: String
    ) throws {
        let template = try parse(
            """
            Resources:
              F:
                Type: AWS::Serverless::Function
                Properties:
                  CodeUri: src/
                  Runtime: provided.al2023
                  \(property)
            """)
        expectEqual(template.warnings.map(\.description), ["Resources.F.Properties.\(warning)"])
    }

    @Test(arguments: [
        ("AWS::Serverless::Functon", "; did you mean AWS::Serverless::Function?"),
        ("AWS::S3::bucket", "; did you mean AWS::S3::Bucket?"), ("AWS::SQS::Queue", ""),
        ("AWS::DynamoDB::GlobalTable", ""), ("AWS::IAM::User", ""), ("AWS::IAM::Group", ""),
        ("AWS::Lambda::Version", ""),
    ])
    func `the warning for an unknown type suggests the nearest one`(
        type: String, hint: String
    ) throws {
        let template = try parse("Resources: {R: {Type: '\(type)'}}")
        expectEqual(
            template.warnings.map(\.description),
            ["Resources.R: \(type) is not supported by the emulator\(hint)"])
    }

    @Test func `the warning for an unknown event type suggests the nearest one`() throws {
        let template = try parse(
            """
            Resources:
            \(Self.function)
                  Events: {E: {Type: HttpAPI, Properties: {Path: /a, Method: get}}}
            """)
        expectEqual(
            template.warnings.map(\.reason),
            [
                "the emulator has no events of the kind HttpAPI; did you mean HttpApi?"
            ])
    }

    @Test func `a function without Handler is a warning`() throws {
        let template = try parse(
            """
            Resources:
              F: {Type: AWS::Serverless::Function, Properties: {Runtime: python3.12}}
              G: {Type: AWS::Serverless::Function, Properties: {Runtime: provided.al2023}}
              H: {Type: AWS::Serverless::Function, Properties: {PackageType: Image}}
            """)
        expectEqual(
            template.warnings.filter { $0.reason.contains("Handler") }.map(\.description),
            ["Resources.F: the function has no Handler, such as app.handler"])
    }

    @Test func `the error for an invalid value lists the valid ones`() throws {
        #expect(
            throws: TemplateFailure(
                "Parameters.P",
                .valueNotAllowed("it is not one of AllowedValues, small, large"))
        ) {
            try parse(
                """
                Parameters: {P: {Type: String, Default: big, AllowedValues: [small, large]}}
                Resources: {T: {Type: AWS::Serverless::SimpleTable}}
                """)
        }
    }

    @Test func `unsupported resources are not resolved`() throws {
        let template = try parse(
            """
            Resources:
            \(Self.function)
              Subnet:
                Type: AWS::EC2::Subnet
                Properties: {CidrBlock: !Select [0, !Cidr [!GetAtt V.CidrBlock, 2, 8]]}
            Outputs:
              Shared: {Value: !ImportValue x}
            """)
        expectEqual(
            template.warnings.map(\.path),
            [
                "Resources.Subnet", "Outputs.Shared.Value.Fn::ImportValue",
            ])
        #expect(template.outputs.isEmpty)
    }

    @Test func `a route of an unsupported API is omitted`() throws {
        let template = try parse(
            """
            Resources:
            \(Self.function)
                  Events:
                    Get:
                      Type: Api
                      Properties: {RestApiId: !Ref Plain, Path: /x, Method: get}
              Plain: {Type: AWS::ApiGateway::RestApi}
            """)
        #expect(template.apis.isEmpty)
        expectEqual(
            template.warnings.map { "\($0)" },
            [
                "Resources.F.Properties.Events.Get.Properties.RestApiId: AWS::ApiGateway::RestApi "
                    + "is not supported by the emulator; the route is omitted",
                "Resources.Plain: AWS::ApiGateway::RestApi is not supported by the emulator",
            ])
    }

    @Test func `capacities may be strings`() throws {
        let template = try parse(
            """
            Parameters:
              Units: {Type: Number, Default: 5}
            Resources:
              T:
                Type: AWS::DynamoDB::Table
                Properties:
                  AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
                  KeySchema: [{AttributeName: id, KeyType: HASH}]
                  ProvisionedThroughput: {ReadCapacityUnits: !Ref Units, WriteCapacityUnits: "7"}
            """)
        expectEqual(
            template.tables.first?.createTable["ProvisionedThroughput"],
            ["ReadCapacityUnits": 5, "WriteCapacityUnits": 7])
    }

    @Test func `generated resources are omitted`() throws {
        let template = try parse(
            """
            Transform: [AWS::LanguageExtensions, AWS::Serverless-2016-10-31]
            Resources:
            \(Self.function)
              Fn::ForEach::Queues: [Name, [A, B], {"${Name}": {Type: AWS::SQS::Queue}}]
            """)
        expectEqual(template.functions.count, 1)
        expectEqual(template.warnings.map(\.path), ["Resources.Fn::ForEach::Queues"])
    }

    @Test func `a function in a container image is a warning`() throws {
        let template = try parse(
            """
            Resources:
              F: {Type: AWS::Serverless::Function, Properties: {PackageType: Image}}
            """)
        expectEqual(template.warnings.map(\.path), ["Resources.F.Properties.PackageType"])
    }
}
