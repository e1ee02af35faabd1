import BaseTestSupport
import EmulatorGateway

/// References and functions, evaluated through an output.
@Suite("Intrinsics") struct IntrinsicTests {
    private func template(_ value: JSON) -> JSON {
        [
            "Parameters": [
                "Name": ["Type": "String", "Default": "n"],
                "List": ["Type": "CommaDelimitedList", "Default": "a, b,c"],
            ],
            "Mappings": ["M": ["us-east-1": ["k": "mapped"]]],
            "Conditions": [
                "Yes": ["Fn::Equals": [["Ref": "Name"], "n"]],
                "No": ["Fn::Not": [["Condition": "Yes"]]],
                "Both": ["Fn::And": [["Condition": "Yes"], ["Condition": "No"]]],
                "Either": ["Fn::Or": [["Condition": "Yes"], ["Condition": "No"]]],
                "Loop": ["Fn::Not": [["Condition": "Loop"]]],
                "Bad": ["Fn::Equals": ["a"]],
            ],
            "Resources": [
                "F": SAMTemplates.function([:], ["FunctionUrlConfig": ["AuthType": "NONE"]]),
                "T": [
                    "Type": "AWS::DynamoDB::Table",
                    "Properties": [
                        "TableName": ["Fn::Sub": "${AWS::StackName}-t"], "KeySchema": [],
                    ],
                ],
                "R": [
                    "Type": "AWS::IAM::Role", "Properties": ["AssumeRolePolicyDocument": [:]],
                ],
                "B": ["Type": "AWS::S3::Bucket", "Properties": ["BucketName": "my-bucket"]],
                "Gone": ["Type": "AWS::S3::Bucket", "Condition": "No"],
                "Api": ["Type": "AWS::Serverless::HttpApi"],
                "Other": ["Type": "Custom::Thing"],
            ],
            "Outputs": ["O": ["Value": value]],
        ]
    }

    private func output(_ value: JSON) throws -> String {
        let parsed = try Template(parsing: template(value).serialized, settings: TemplateSettings())
        return try #require(parsed.outputs.first).value
    }

    @Test(
        arguments: [
            (["Ref": "Name"], "n"), (["Ref": "AWS::Region"], "us-east-1"),
            (["Ref": "AWS::AccountId"], "123456789012"), (["Ref": "F"], "F"),
            (["Ref": "T"], "latchkey-t"), (["Ref": "B"], "my-bucket"), (["Ref": "R"], "R"),
            (["Ref": "Other"], "Other"),
            (["Fn::GetAtt": ["F", "Arn"]], "arn:aws:lambda:us-east-1:123456789012:function:F"),
            (["Fn::GetAtt": "T.Arn"], "arn:aws:dynamodb:us-east-1:123456789012:table/latchkey-t"),
            (["Fn::GetAtt": ["B", "Arn"]], "arn:aws:s3:::my-bucket"),
            (["Fn::GetAtt": ["R", "Arn"]], "arn:aws:iam::123456789012:role/R"),
            (["Fn::GetAtt": ["FRole", "Arn"]], "arn:aws:iam::123456789012:role/FRole"),
            (["Fn::GetAtt": ["FUrl", "FunctionUrl"]], "http://127.0.0.1:8000/_lambda-url/F/"),
            (
                ["Fn::Sub": "a-${Name}-${T.Arn}-${!Name}-$x"],
                "a-n-arn:aws:dynamodb:us-east-1:123456789012:table/latchkey-t-${Name}-$x"
            ),
            (["Fn::Sub": ["${X}/${Name}", ["X": ["Ref": "B"]]]], "my-bucket/n"),
            (["Fn::Join": ["-", ["a", ["Ref": "Name"], 3]]], "a-n-3"),
            (["Fn::Join": ["/", ["Ref": "List"]]], "a/b/c"),
            (["Fn::Select": [1, ["Ref": "List"]]], "b"),
            (["Fn::Select": ["0", ["Fn::Split": ["::", "x::y"]]]], "x"),
            (["Fn::If": ["Yes", "y", "n"]], "y"), (["Fn::If": ["No", "y", "n"]], "n"),
            (["Fn::If": ["Both", "y", "n"]], "n"), (["Fn::If": ["Either", "y", "n"]], "y"),
            (["Fn::FindInMap": ["M", ["Ref": "AWS::Region"], "k"]], "mapped"),
            (["Fn::Base64": "hi"], "aGk="), (["Fn::Length": [1, 2]], "2"),
            (["Fn::ToJsonString": ["a": ["Ref": "Name"]]], #"{"a":"n"}"#),
            (true, "true"), (5, "5"),
        ] as [(JSON, String)])
    func `valid functions are evaluated`(value: JSON, text: String) throws {
        try expectEqual(output(value), text)
    }

    @Test(
        arguments: [
            (["Ref": "Nobody"], .unknownReference("Nobody")),
            (["Ref": "Gone"], .unknownReference("Gone (omitted by No)")),
            (["Ref": ["a"]], .malformedIntrinsic("Ref")),
            (["Fn::GetAtt": ["T", "Nothing"]], .unknownAttribute("T.Nothing")),
            (["Fn::GetAtt": "T"], .malformedIntrinsic("GetAtt")),
            (["Fn::GetAtt": ["Nobody", "Arn"]], .unknownReference("Nobody")),
            (["Fn::Sub": "${Nobody}"], .unknownReference("Nobody")),
            (["Fn::Sub": "${"], .malformedIntrinsic("Fn::Sub")),
            (["Fn::Join": ["-"]], .malformedIntrinsic("Fn::Join")),
            (["Fn::Join": ["-", [["a"]]]], .malformedIntrinsic("Fn::Join")),
            (["Fn::Select": [9, ["a"]]], .malformedIntrinsic("Fn::Select")),
            (["Fn::Select": [-1, ["a"]]], .malformedIntrinsic("Fn::Select")),
            (["Fn::If": ["Nobody", 1, 2]], .unknownCondition("Nobody")),
            (["Fn::If": ["Loop", 1, 2]], .tooDeep),
            (["Fn::If": ["Yes", 1]], .malformedIntrinsic("Fn::If")),
            (["Fn::If": ["Bad", 1, 2]], .malformedIntrinsic("Fn::Equals")),
            (["Fn::FindInMap": ["M", "x", "k"]], .unknownReference("M.x.k")),
            (.object(["a": "b"]), .wrongType(expected: "a string")),
            (["Ref": "AWS::NoValue"], .wrongType(expected: "a string")),
        ] as [(JSON, TemplateFailure.Problem)])
    func `invalid functions are refused`(value: JSON, problem: TemplateFailure.Problem) throws {
        do {
            _ = try output(value)
            Issue.record("\(value.text) came to something")
        } catch let failure as TemplateFailure {
            expectEqual(failure.problem, problem)
            #expect(
                failure.path.hasPrefix("Outputs.O.Value") || failure.path.hasPrefix("Conditions."))
        }
    }

    @Test func `AWS::NoValue removes its property`() throws {
        let parsed = try Template(
            parsing: JSON.object([
                "Resources": [
                    "F": SAMTemplates.function(
                        [:],
                        [
                            "Timeout": ["Ref": "AWS::NoValue"],
                            "Environment": [
                                "Variables": ["A": ["Ref": "AWS::NoValue"], "B": "b"]
                            ],
                        ])
                ]
            ]).serialized, settings: TemplateSettings())
        expectEqual(parsed.functions[0].timeoutSeconds, 3)
        expectEqual(parsed.functions[0].environment.map(\.name), ["B"])
    }

    @Test func `circular references are refused`() throws {
        let circle: JSON = [
            "Resources": [
                "A": ["Type": "AWS::S3::Bucket", "Properties": ["BucketName": ["Ref": "B"]]],
                "B": ["Type": "AWS::S3::Bucket", "Properties": ["BucketName": ["Ref": "A"]]],
            ]
        ]
        #expect(throws: TemplateFailure.self) {
            try Template(parsing: circle.serialized, settings: TemplateSettings())
        }
    }

    @Test func `an unknown intrinsic function is reported and omitted`() throws {
        let parsed = try Template(
            parsing: JSON.object([
                "Resources": [
                    "F": SAMTemplates.function(
                        [:],
                        ["Environment": ["Variables": ["A": ["Fn::ImportValue": "x"]]]])
                ]
            ]).serialized, settings: TemplateSettings())
        #expect(parsed.functions[0].environment.isEmpty)
        expectEqual(
            parsed.warnings.map(\.path),
            [
                "Resources.F.Properties.Environment.Variables.A.Fn::ImportValue"
            ])
    }
}
