import AWSSignature
import Bytes
import HTTP
import HTTPClient
import JSON
import TestSupport
import Testing
import Time

/// `dynamodb:LeadingKeys`: a role whose policy restricts it to some partitions of a table.
@Suite("Leading keys", .serialized, .hangLimit)
struct LeadingKeyTests {
    private static let table = "people"
    private static let role = "arn:aws:iam::123456789012:role/Confined"

    /// Every operation with a partition key; the role's policy does not name operations.
    private static func resources(_ condition: JSON) -> JSONObject {
        [
            "People": JSONObject.indexedTable(table),
            "Confined": [
                "Type": "AWS::IAM::Role",
                "Properties": [
                    "RoleName": "Confined",
                    "AssumeRolePolicyDocument": [
                        "Statement": [
                            "Effect": "Allow", "Principal": ["AWS": "123456789012"],
                            "Action": "sts:AssumeRole",
                        ]
                    ],
                    "Policies": [
                        [
                            "PolicyName": "Confined",
                            "PolicyDocument": [
                                "Statement": [
                                    "Effect": "Allow", "Action": "dynamodb:*", "Resource": "*",
                                    "Condition": condition,
                                ]
                            ],
                        ]
                    ],
                ],
            ],
        ]
    }

    /// Only keys, but of all partitions: the policy of the function `audit`.
    @Test func `a caller restricted to some attributes cannot scan for others`() throws {
        let condition: JSON = [
            "ForAllValues:StringEquals": ["dynamodb:Attributes": ["pk", "sk"]],
            "Null": ["dynamodb:Attributes": "false"],
            "StringEquals": ["dynamodb:Select": "SPECIFIC_ATTRIBUTES"],
        ]
        let project = try EmulatorProject(Self.resources(condition), ["--strict"])
        let client = EmulatorClient(try project.start())
        let confined = try client.assume(Self.role)
        func scan(_ members: JSONObject) throws -> Int {
            var request: JSONObject = ["TableName": .string(Self.table)]
            for (name, value) in members.members { request[name] = value }
            return try confined.table("Scan", .object(request)).status
        }
        let keys: JSONObject = ["Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "pk, sk"]
        try expectEqual(scan(keys), 200)
        var filtered = keys
        filtered["FilterExpression"] = "begins_with(pk, :p)"
        filtered["ExpressionAttributeValues"] = [":p": ["S": "USER#"]]
        try expectEqual(scan(filtered), 200)
        // An attribute used only in a condition could be inferred by repeated requests.
        filtered["FilterExpression"] = "begins_with(team, :p)"
        let refused: [JSONObject] = [
            [:], filtered, ["ProjectionExpression": "pk, sk"], ["Select": "ALL_ATTRIBUTES"],
            ["Select": "COUNT"],
            ["Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "pk, team"],
            ["Select": "SPECIFIC_ATTRIBUTES", "AttributesToGet": ["team"]],
        ]
        for members in refused { try expectEqual(scan(members), 400, "\(members)") }
        try expectEqual(confined.table("GetItem", Self.key("USER#1", of: Self.table)).status, 400)
    }

    @Test func `a caller restricted to one partition cannot access others by any operation`() throws
    {
        let condition: JSON = [
            "ForAllValues:StringLike": ["dynamodb:LeadingKeys": ["USER#1", "OWN#*"]],
            "Null": ["dynamodb:LeadingKeys": "false"],
        ]
        let project = try EmulatorProject(Self.resources(condition), ["--strict"])
        let emulator = try project.start()
        let client = EmulatorClient(emulator)
        let confined = try client.assume(Self.role)
        for (name, operation, request) in Self.requests("USER#1") + Self.requests("OWN#a") {
            let answer = try confined.table(operation, request)
            expectEqual(answer.status, 200, "\(name): \(answer.text)")
        }
        for (name, operation, request) in Self.requests("USER#2") + Self.unconfined {
            let answer = try confined.table(operation, request)
            expectEqual(answer.status, 400, "\(name): \(answer.text)")
            #expect(answer.text.contains("#AccessDeniedException"), "\(name): \(answer.text)")
        }
        // Refused requests have no effect, and the error names the refused action.
        let developer = AWSCaller(client, EmulatorClient.developer)
        let found = try developer.table("GetItem", Self.key("USER#2", of: Self.table))
        expectEqual(found.text, "{}")
        #expect(emulator.log.contains("is not authorized to perform: dynamodb:Scan"))
    }

    private static func attributes(_ key: String) -> JSON {
        ["pk": ["S": .string(key)], "sk": ["S": "x"], "team": ["S": .string(key)]]
    }

    private static func identity(_ key: String) -> JSON {
        ["pk": ["S": .string(key)], "sk": ["S": "x"]]
    }

    private static func key(_ key: String, of table: String) -> JSON {
        ["TableName": .string(table), "Key": identity(key)]
    }

    private static func item(_ key: String) -> JSON {
        ["TableName": .string(table), "Item": attributes(key)]
    }

    private static func query(_ key: String, _ more: JSONObject) -> JSON {
        var request: JSONObject = [
            "TableName": .string(table),
            "ExpressionAttributeValues": [":k": ["S": .string(key)]],
        ]
        for (name, value) in more.members { request[name] = value }
        return .object(request)
    }

    /// Each operation on an item of one partition; those on two items also use `USER#1`, which is
    /// allowed.
    private static func requests(_ key: String) -> [(String, String, JSON)] {
        return [
            ("write", "PutItem", item(key)),
            ("read", "GetItem", self.key(key, of: table)),
            (
                "update", "UpdateItem",
                [
                    "TableName": .string(table), "Key": identity(key),
                    "UpdateExpression": "ADD n :k",
                    "ExpressionAttributeValues": [":k": ["N": "1"]],
                ]
            ),
            ("query", "Query", query(key, ["KeyConditionExpression": "pk = :k"])),
            (
                "query, the value first", "Query",
                query(key, ["KeyConditionExpression": ":k = pk"])
            ),
            (
                "query by a name", "Query",
                query(
                    key,
                    [
                        "KeyConditionExpression": "#p = :k",
                        "ExpressionAttributeNames": ["#p": "pk"],
                    ])
            ),
            (
                "query of an index", "Query",
                query(key, ["IndexName": "byTeam", "KeyConditionExpression": "team = :k"])
            ),
            ("deletion", "DeleteItem", self.key(key, of: table)),
        ] + batches(key) + transactions(key)
    }

    private static func pair(_ key: String) -> [JSON] {
        let own = identity("USER#1")
        return key == "USER#1" ? [own] : [own, identity(key)]
    }

    private static func batches(_ key: String) -> [(String, String, JSON)] {
        [
            (
                "batch of reads", "BatchGetItem",
                ["RequestItems": .object([table: ["Keys": .array(pair(key))]])]
            ),
            (
                "batch of writes", "BatchWriteItem",
                ["RequestItems": .object([table: [["PutRequest": ["Item": attributes(key)]]]])]
            ),
            (
                "batch of deletions", "BatchWriteItem",
                ["RequestItems": .object([table: [["DeleteRequest": ["Key": identity(key)]]]])]
            ),
        ]
    }

    private static func transactions(_ key: String) -> [(String, String, JSON)] {
        let check: JSON = [
            "TableName": .string(table), "Key": identity(key),
            "ConditionExpression": "attribute_not_exists(colour)",
        ]
        return [
            (
                "transaction of reads", "TransactGetItems",
                [
                    "TransactItems": .array(
                        pair(key).map { ["Get": ["TableName": .string(table), "Key": $0]] })
                ]
            ),
            ("check", "TransactWriteItems", ["TransactItems": [["ConditionCheck": check]]]),
            ("transaction of puts", "TransactWriteItems", ["TransactItems": [["Put": item(key)]]]),
            (
                "transaction of updates", "TransactWriteItems",
                [
                    "TransactItems": [
                        [
                            "Update": [
                                "TableName": .string(table), "Key": identity(key),
                                "UpdateExpression": "REMOVE n",
                            ]
                        ]
                    ]
                ]
            ),
            (
                "transaction of deletions", "TransactWriteItems",
                ["TransactItems": [["Delete": self.key(key, of: table)]]]
            ),
        ]
    }

    /// Requests that name no partition, or another one in addition.
    private static let unconfined: [(String, String, JSON)] = [
        ("scan", "Scan", ["TableName": .string(table)]),
        ("description", "DescribeTable", ["TableName": .string(table)]),
        (
            "an expression that is none", "Query",
            query("USER#1", ["KeyConditionExpression": "pk = :k OR pk = :k"])
        ),
        (
            "a transaction of which one part is another's", "TransactWriteItems",
            ["TransactItems": [["Put": item("USER#1")], ["Put": item("USER#2")]]]
        ),
        (
            "a batch in which a key is missing", "BatchGetItem",
            ["RequestItems": .object([table: ["Keys": [identity("USER#1"), [:]]]])]
        ),
        (
            "a key of a wrong name", "GetItem",
            ["TableName": .string(table), "Key": ["id": ["S": "USER#1"]]]
        ),
    ]
}

/// Signs with its own keys.
struct AWSCaller {
    private let client: EmulatorClient
    private let credentials: AWSCredentials

    init(_ client: EmulatorClient, _ credentials: AWSCredentials) {
        self.client = client
        self.credentials = credentials
    }

    func table(_ operation: String, _ request: JSON) throws -> HTTPResponse {
        let request = HTTPRequest(
            .post, client.emulator.awsURL + "/",
            headers: [
                HTTPHeader("Content-Type", "application/x-amz-json-1.0"),
                HTTPHeader("X-Amz-Target", "DynamoDB_20120810.\(operation)"),
            ], body: request.serialized, limits: EmulatorClient.limits)
        return try client.sendSigned(request, service: "dynamodb", credentials)
    }
}

extension EmulatorClient {
    /// A session of a role in the template.
    func assume(_ role: String) throws -> AWSCaller {
        let form =
            "Action=AssumeRole&Version=2011-06-15&RoleSessionName=test&RoleArn="
            + PercentEncoding.encode(role)
        let request = HTTPRequest(
            .post, emulator.awsURL + "/",
            headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(form.utf8), limits: Self.limits)
        let answer = try sendSigned(request, service: "sts").text
        func element(_ name: String) throws -> String {
            let start = try #require(answer.firstRange(of: "<\(name)>"), "\(answer)").upperBound
            return String(answer[start...].prefix { $0 != "<" })
        }
        let credentials = AWSCredentials(
            accessKeyID: try element("AccessKeyId"),
            secretAccessKey: SecretBytes(utf8: try element("SecretAccessKey")),
            sessionToken: SecretBytes(utf8: try element("SessionToken")))
        return AWSCaller(self, credentials)
    }
}

extension JSONObject {
    /// `table` with an index by `team`.
    fileprivate static func indexedTable(_ name: String) -> JSON {
        var table = JSONObject.table(name).objectValue ?? [:]
        var properties = table["Properties"]?.objectValue ?? [:]
        properties["AttributeDefinitions"] = .array(
            ["pk", "sk", "team"].map {
                ["AttributeName": .string($0), "AttributeType": "S"]
            })
        properties["GlobalSecondaryIndexes"] = [
            [
                "IndexName": "byTeam", "Projection": ["ProjectionType": "ALL"],
                "KeySchema": [["AttributeName": "team", "KeyType": "HASH"]],
            ]
        ]
        table["Properties"] = .object(properties)
        return .object(table)
    }
}
