import BaseTestSupport
import EmulatorGateway

@Suite("DataResources") struct DataResourceTests {
    @Test func `data resources are resolved`() throws {
        let template = try Template(
            parsing: JSON.object([
                "Resources": [
                    "Simple": [
                        "Type": "AWS::Serverless::SimpleTable",
                        "Properties": [
                            "TableName": "things", "PrimaryKey": ["Name": "k", "Type": "Number"],
                        ],
                    ],
                    "Bare": ["Type": "AWS::Serverless::SimpleTable"],
                    "Files": [
                        "Type": "AWS::S3::Bucket",
                        "Properties": ["VersioningConfiguration": ["Status": "Enabled"]],
                    ],
                    "Open": [
                        "Type": "AWS::S3::BucketPolicy",
                        "Properties": [
                            "Bucket": ["Ref": "Files"], "PolicyDocument": ["Statement": []],
                        ],
                    ],
                    "Secret": [
                        "Type": "AWS::SecretsManager::Secret",
                        "Properties": ["Name": "n", "SecretString": "s"],
                    ],
                    "Setting": [
                        "Type": "AWS::SSM::Parameter", "Properties": ["Name": "/a/b", "Value": 3],
                    ],
                    "Plain": [
                        "Type": "AWS::Lambda::Function",
                        "Properties": ["Code": "/opt/f", "Handler": "run", "Role": "arn:r"],
                    ],
                ]
            ]).serialized)
        expectEqual(template.tables.map(\.name), ["things", "Bare"])
        expectEqual(
            template.tables[0].createTable["AttributeDefinitions"],
            [
                ["AttributeName": "k", "AttributeType": "N"]
            ])
        expectEqual(
            template.tables[1].createTable["KeySchema"]?.arrayValue?[0]["AttributeName"], "id")
        expectEqual(template.buckets[0].name, "files")
        #expect(template.buckets[0].isVersioned)
        expectEqual(template.buckets[0].policy, ["Statement": []])
        expectEqual(template.secrets[0].value, .text("s"))
        expectEqual(template.settings[0].value, "3")
        expectEqual(
            template.functions[0].executableCandidates,
            ["/opt/f/bootstrap", "/opt/f/run", "/opt/f"])
        expectEqual(template.functions[0].roleARN, "arn:r")
    }

    private func buckets(_ properties: JSONObject) throws -> Template {
        try Template(
            parsing: JSON.object([
                "Resources": [
                    "Files": ["Type": "AWS::S3::Bucket", "Properties": .object(properties)]
                ]
            ]).serialized)
    }

    @Test func `a bucket's CORS rules are read`() throws {
        let template = try buckets([
            "CorsConfiguration": [
                "CorsRules": [
                    [
                        "Id": "app", "AllowedOrigins": ["https://*.example.com"],
                        "AllowedMethods": ["GET", "PUT"], "AllowedHeaders": ["*"],
                        "ExposedHeaders": ["ETag"], "MaxAge": 60,
                    ], ["AllowedOrigins": ["*"], "AllowedMethods": ["GET"], "Color": "red"],
                ]
            ]
        ])
        expectEqual(
            template.buckets[0].cors,
            [
                BucketCORS(
                    id: "app", origins: ["https://*.example.com"], methods: ["GET", "PUT"],
                    headers: ["*"], exposedHeaders: ["ETag"], maxAgeSeconds: 60),
                BucketCORS(origins: ["*"], methods: ["GET"], headers: [], exposedHeaders: []),
            ])
        expectEqual(
            template.warnings.map(\.path),
            [
                "Resources.Files.Properties.CorsConfiguration.CorsRules[1].Color"
            ])
        #expect(throws: TemplateFailure.self) {
            try buckets(["CorsConfiguration": ["CorsRules": ["GET"]]])
        }
    }

    @Test(
        arguments: [
            (["AccessControl": "Private"], nil),
            (["AccessControl": "PublicRead"], "AccessControl"),
            (["OwnershipControls": ["Rules": [["ObjectOwnership": "BucketOwnerEnforced"]]]], nil),
            (
                ["OwnershipControls": ["Rules": [["ObjectOwnership": "ObjectWriter"]]]],
                "OwnershipControls"
            ),
        ] as [(JSONObject, String?)])
    func `a bucket with ACLs is a warning`(properties: JSONObject, name: String?) throws {
        let template = try buckets(properties)
        expectEqual(
            template.warnings.map(\.path), name.map { ["Resources.Files.Properties.\($0)"] } ?? []
        )
    }
}
