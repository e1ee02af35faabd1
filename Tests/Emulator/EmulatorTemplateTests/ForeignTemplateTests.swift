import EmulatorTemplate
import JSON
import TestSupport
import Testing

/// What public templates have, of any kind: it is read, or said with its place, and refuses nothing
/// that the emulator could run.
@Suite("Templates of others") struct ForeignTemplateTests {
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
    func `references to what SAM and AWS make have their form`(
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
        #expect(template.outputs.first?.value == expected)
        #expect(template.functions.first?.alias == "live")
    }

    @Test func `resources that are not supported are not resolved`() throws {
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
        #expect(
            template.warnings.map(\.path) == [
                "Resources.Subnet", "Outputs.Shared.Value.Fn::ImportValue",
            ])
        #expect(template.outputs.isEmpty)
    }

    @Test func `a route of an API that is not supported is left out`() throws {
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
        #expect(
            template.warnings.map { "\($0)" } == [
                "Resources.F.Properties.Events.Get.Properties.RestApiId: AWS::ApiGateway::RestApi "
                    + "is not supported by the emulator; the route is left out",
                "Resources.Plain: AWS::ApiGateway::RestApi is not supported by the emulator",
            ])
    }

    @Test func `capacities may be texts`() throws {
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
        #expect(
            template.tables.first?.createTable["ProvisionedThroughput"]
                == ["ReadCapacityUnits": 5, "WriteCapacityUnits": 7])
    }

    @Test func `resources that are made of others are left out`() throws {
        let template = try parse(
            """
            Transform: [AWS::LanguageExtensions, AWS::Serverless-2016-10-31]
            Resources:
            \(Self.function)
              Fn::ForEach::Queues: [Name, [A, B], {"${Name}": {Type: AWS::SQS::Queue}}]
            """)
        #expect(template.functions.count == 1)
        #expect(template.warnings.map(\.path) == ["Resources.Fn::ForEach::Queues"])
    }

    @Test func `a function in a container image is said to be none`() throws {
        let template = try parse(
            """
            Resources:
              F: {Type: AWS::Serverless::Function, Properties: {PackageType: Image}}
            """)
        #expect(template.warnings.map(\.path) == ["Resources.F.Properties.PackageType"])
    }
}
