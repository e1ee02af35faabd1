import AuthDomain
import AuthOperations
import AuthRecords
import Contracts
import Cryptography
import JSON
import KeyValueStore
import Testing

/// Least privilege: what each function may do to the table, and which secrets it may read.
@Suite("Template permissions") struct TemplatePermissionTests {
    /// Partitions by action, as each function's code uses them. A change here is a change of what a
    /// stolen function can reach: make it because the code needs it, and see it in the review.
    static let table: [String: [String: [String: String]]] = [
        "latchkey": [
            "challenge": ["GetItem": "RATE", "UpdateItem": "RATE", "PutItem": "CHALLENGE RATE"],
            "signin": [
                "GetItem": "RATE USER", "BatchGetItem": "CHALLENGE IDENTITY SPENT jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT EMAIL IDENTITY RATE SIGNINGKEYS SPENT USER USERS jwks",
                "DeleteItem": "CHALLENGE EMAIL USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": refresh, "signout": signOut, "me": verification,
            "sessions": [
                "BatchGetItem": "USER", "Query": "SIGNINGKEYS USER", "PutItem": "AUDIT",
                "DeleteItem": "USER",
            ],
            "credentials": [
                "GetItem": "RATE", "BatchGetItem": "USER", "Query": "SIGNINGKEYS",
                "UpdateItem": "RATE", "PutItem": "AUDIT RATE",
            ],
            "keys": ["Query": "SIGNINGKEYS", "PutItem": "SIGNINGKEYS"],
            "authorizer": verification,
            "adminlogin": adminLogin, "adminlogout": adminLogout,
            "users": [
                "GetItem": "ADMINSESSION USER", "BatchGetItem": "USER",
                "Query": "EMAIL SIGNINGKEYS USERS", "PutItem": "ADMINSESSION AUDIT USER",
                "ConditionCheckItem": "USER",
            ],
        ],
        "whateat": [
            "signin": [
                "GetItem": "RATE USER", "BatchGetItem": "IDENTITY SPENT jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT IDENTITY RATE SIGNINGKEYS SPENT USER jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": refresh, "signout": signOut, "authorizer": verification,
        ],
        // No sessions, so no signing keys and nothing to delete but leases of key sets.
        "photolala": [
            "signin": [
                "GetItem": "RATE USER", "BatchGetItem": "IDENTITY SPENT jwks", "Query": "USER",
                "UpdateItem": "RATE", "PutItem": "AUDIT IDENTITY RATE SPENT USER jwks",
                "DeleteItem": "jwks", "ConditionCheckItem": "USER",
            ]
        ],
        // Refresh tokens are found by their hash, and addresses are claimed.
        "livlogios": [
            "signin": [
                "GetItem": "RATE USER", "BatchGetItem": "EMAIL IDENTITY SPENT jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT EMAIL IDENTITY RATE REFRESH SIGNINGKEYS SPENT USER jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": [
                "GetItem": "RATE REFRESH", "BatchGetItem": "USER", "Query": "SIGNINGKEYS",
                "UpdateItem": "RATE", "PutItem": "AUDIT RATE REFRESH SIGNINGKEYS USER",
                "DeleteItem": "USER",
            ],
            "signout": [
                "GetItem": "RATE", "BatchGetItem": "REFRESH USER", "Query": "SIGNINGKEYS",
                "UpdateItem": "RATE", "PutItem": "AUDIT RATE", "DeleteItem": "USER",
            ],
            "me": verification,
        ],
        // Integer ids are counted, and refresh tokens are not replaced.
        "news_app": [
            "signin": [
                "GetItem": "PUBLICID RATE USER", "BatchGetItem": "EMAIL IDENTITY SPENT jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "PUBLICID RATE",
                "PutItem": "AUDIT EMAIL IDENTITY PUBLICID RATE SIGNINGKEYS SPENT USER USERS jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": [
                "GetItem": "RATE", "BatchGetItem": "USER", "Query": "SIGNINGKEYS",
                "UpdateItem": "RATE", "PutItem": "RATE SIGNINGKEYS USER",
            ],
            "me": verification, "adminlogin": adminLogin, "adminlogout": adminLogout,
            "users": [
                "GetItem": "ADMINSESSION PUBLICID USER", "BatchGetItem": "USER",
                "Query": "EMAIL USERS", "PutItem": "ADMINSESSION AUDIT USER",
            ],
        ],
    ]

    private static let verification = ["BatchGetItem": "USER", "Query": "SIGNINGKEYS"]
    private static let refresh = [
        "GetItem": "RATE", "BatchGetItem": "USER", "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
        "PutItem": "AUDIT RATE SIGNINGKEYS USER", "DeleteItem": "USER",
    ]
    private static let adminLogin = [
        "GetItem": "RATE", "UpdateItem": "RATE", "PutItem": "ADMINSESSION AUDIT RATE",
        "DeleteItem": "ADMINSESSION",
    ]
    private static let adminLogout = ["PutItem": "AUDIT", "DeleteItem": "ADMINSESSION"]
    private static let signOut = [
        "GetItem": "RATE", "BatchGetItem": "USER", "Query": "SIGNINGKEYS USER",
        "UpdateItem": "RATE", "PutItem": "AUDIT RATE USER", "DeleteItem": "USER",
    ]

    @Test(arguments: Template.names)
    func `each function may do to the table what its code does, and nothing else`(
        name: String
    ) throws {
        let template = try Template(named: name)
        let expected = try #require(Self.table[name])
        #expect(Set(template.functions.compactMap(\.executable)) == Set(expected.keys))
        for function in template.functions {
            let executable = try #require(function.executable)
            var found: [String: String] = [:]
            for statement in try template.statements(of: function) {
                let actions = statement["Action"]?.texts ?? []
                guard actions.contains(where: { $0.hasPrefix("dynamodb:") }) else { continue }
                let partitions = try Self.partitions(statement)
                for action in actions {
                    let name = String(action.dropFirst("dynamodb:".count))
                    // A batch is allowed by one statement or not at all.
                    #expect(found[name] == nil, "\(executable): \(name) is in two statements")
                    found[name] = partitions.sorted().joined(separator: " ")
                }
            }
            #expect(found == expected[executable], "\(executable)")
        }
    }

    /// `ForAllValues` alone is true for a request without a partition key, such as a Scan.
    private static func partitions(_ statement: JSONObject) throws -> [String] {
        #expect(statement["Resource"] == ["Fn::GetAtt": ["Table", "Arn"]])
        let condition = try #require(statement["Condition"]?.objectValue)
        #expect(condition.members.map(\.name).sorted() == ["ForAllValues:StringLike", "Null"])
        #expect(condition["Null"] == ["dynamodb:LeadingKeys": "false"])
        let patterns = try #require(
            condition["ForAllValues:StringLike"]?["dynamodb:LeadingKeys"]?.texts)
        return try patterns.map { pattern in
            try #require(pattern.hasSuffix("#*"), "\(pattern)")
            return String(pattern.dropLast(2))
        }
    }

    @Test func `the table's partitions are the ones of the store's layout`() {
        let user = UserID(random: .system)
        let layout =
            [
                StoreLayout.profile(user), StoreLayout.identity(issuer: "i", subject: "s"),
                StoreLayout.challenge(nonce: "n"), StoreLayout.usedIdentityToken(fingerprint: []),
                StoreLayout.rate("l", "i", window: 0), StoreLayout.audit(of: user, at: "", tie: ""),
                StoreLayout.emailClaim("a"), StoreLayout.refreshToken(hash: []),
                StoreLayout.publicID(1), StoreLayout.publicIDCounter,
                StoreLayout.adminSession(hash: []),
            ].map(\.partition) + [StoreLayout.directoryPartition, StoreLayout.signingKeys("ES256")]
        let known = Set(layout.map { String($0.prefix { $0 != "#" }) })
        let used = Set(
            Self.table.values.flatMap(\.values).flatMap(\.values).flatMap {
                $0.split(separator: " ").map(String.init)
            })
        // The rows of providers' key sets are the identity providers' own.
        #expect(used == known.union(["jwks"]))
    }

    @Test func `every call of the store has an action in the policies`() throws {
        var used: Set<String> = []
        let call = /(?:perform|AWSCall|conditional)\(\s*"([A-Za-z]+)"/
        for file in try Repository.swiftFiles("Sources/Stores/DynamoDBStore") {
            for match in try Repository.text(file).matches(of: call) {
                let operation = String(match.1)
                used.formUnion(Self.parts[operation] ?? [operation])
            }
        }
        let granted = Set(Self.table.values.flatMap(\.values).flatMap(\.keys))
        #expect(used == granted)
    }

    // Transactions have no action of their own: their parts have.
    private static let parts = [
        "TransactWriteItems": ["PutItem", "DeleteItem", "ConditionCheckItem"],
        // The table itself is the template's affair.
        "CreateTable": [], "DescribeTable": [], "DescribeTimeToLive": [], "UpdateTimeToLive": [],
    ]

    // MARK: Secrets

    /// As `Assembly` decides it.
    private static func needsMasterKey(_ contract: Contract, _ function: String) -> Bool {
        contract.endpoints(of: function).contains { $0.needs.contains(.sessions) }
            || contract.policy.accessTokens.algorithm == .hs256
    }

    @Test(arguments: Template.names)
    func `the master key is given to the functions that need it, and to no other`(
        name: String
    ) throws {
        let template = try Template(named: name)
        let contract = try #require(Contract.named(name))
        for function in template.functions {
            let executable = try #require(function.executable)
            let isNeeded = Self.needsMasterKey(contract, executable)
            #expect(
                function.environment["MASTER_KEY"]
                    == (isNeeded ? ["Fn::Sub": "secretsmanager:${Secret}#masterKey"] : nil),
                "\(executable)")
            var secrets = isNeeded ? ["Secret"] : []
            if name == "latchkey", executable == "signin" { secrets.append("AppleKeySecret") }
            #expect(try template.secrets(of: function) == secrets, "\(executable)")
        }
    }

    @Test func `in latchkey a function that only verifies has no secret`() throws {
        let template = try Template(named: "latchkey")
        let without = try template.functions.filter { try template.secrets(of: $0).isEmpty }
        #expect(
            Set(without.compactMap(\.executable))
                == [
                    "challenge", "me", "sessions", "credentials", "authorizer", "adminlogin",
                    "adminlogout", "users",
                ])
    }

    /// IAM: 10,240 characters for all inline policies of a role, without white space.
    @Test(arguments: Template.names)
    func `no role's policies are larger than IAM takes`(name: String) throws {
        let template = try Template(named: name)
        for function in template.functions {
            let characters = try template.statements(of: function)
                .reduce(0) { $0 + JSON.object($1).text.utf8.count }
            // References become ARNs of at most some hundred characters each.
            #expect(characters < 7_000, "\(function.logicalName)")
        }
    }
}

extension Template {
    /// What a function's own policies and those of its role say.
    func statements(of function: Function) throws -> [JSONObject] {
        var policies = function.property("Policies")?.arrayValue ?? []
        if let role = function.property("Role")?["Fn::GetAtt"]?.texts.first {
            let properties = try #require(
                resources.first { $0.name == role }?.value["Properties"])
            policies += (properties["Policies"]?.arrayValue ?? []).compactMap {
                $0["PolicyDocument"]
            }
        }
        return try policies.flatMap { policy in
            try #require(policy["Statement"]?.arrayValue, "\(function.logicalName)")
                .compactMap(\.objectValue)
        }
    }

    /// The logical ids of the secrets that a function may read.
    func secrets(of function: Function) throws -> [String] {
        try statements(of: function)
            .filter { $0["Action"]?.texts == ["secretsmanager:GetSecretValue"] }
            .map { try #require($0["Resource"]?["Ref"]?.stringValue) }
    }
}
