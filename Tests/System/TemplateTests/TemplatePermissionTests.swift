import AuthDomain
import AuthOperations
import AuthRecords
import Contracts
import Cryptography
import JSON
import KeyValueStore
import Testing

/// Least privilege: the permissions of each function for the table and for secrets.
@Suite("Template permissions") struct TemplatePermissionTests {
    /// Partitions by action, as used by each function's code. A change here changes what a
    /// compromised function could access, so review it.
    static let table: [String: [String: [String: String]]] = [
        "latchkey": [
            "challenge": ["GetItem": "RATE", "UpdateItem": "RATE", "PutItem": "CHALLENGE RATE"],
            "signin": [
                "GetItem": "AUDITHEAD RATE",
                "BatchGetItem": "AUDITHEAD CHALLENGE EMAIL IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem":
                    "AUDIT AUDITHEAD EMAIL IDENTITY RATE SIGNINGKEYS SPENT USER USERS jwks",
                "DeleteItem": "CHALLENGE EMAIL USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": refresh, "signout": signOut, "me": verification,
            "sessions": [
                "GetItem": "AUDITHEAD", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS USER", "PutItem": "AUDIT AUDITHEAD", "DeleteItem": "USER",
            ],
            "credentials": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD RATE",
            ],
            "keys": ["Query": "SIGNINGKEYS", "PutItem": "SIGNINGKEYS"],
            "authorizer": verification, "register": register, "verify-email": listed(verifyEmail),
            "resend-verification": resendVerification, "login": logIn,
            "forgot-password": forgotPassword, "reset-password": resetPassword,
            "change-password": changePassword, "magic-link": magicLink,
            "link": link.merging([
                "BatchGetItem": "AUDITHEAD CHALLENGE IDENTITY SPENT USER jwks",
                "DeleteItem": "CHALLENGE OUTBOX jwks",
            ]) { $1 }, "methods": methods, "add-password": addPassword,
            "redeem-magic-link": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL MAGICLINK USER",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD EMAIL OUTBOX RATE SIGNINGKEYS USER USERS",
                "DeleteItem": "IDENTITY MAGICLINK OUTBOX USER", "ConditionCheckItem": "USER",
            ],
            "admin-login": adminLogin, "admin-logout": adminLogout, "housekeeping": housekeeping,
            "audit": [
                "GetItem": "ADMINSESSION AUDITHEAD", "BatchGetItem": "AUDITHEAD USER",
                "Query": "AUDIT AUDITHEAD SIGNINGKEYS USERS", "PutItem": "ADMINSESSION",
            ],
            "import-users": listed(importUsers),
            "users": [
                "GetItem": "ADMINSESSION AUDITHEAD USER", "BatchGetItem": "AUDITHEAD USER",
                "Query": "EMAIL SIGNINGKEYS USERS",
                "PutItem": "ADMINSESSION AUDIT AUDITHEAD USER",
                "ConditionCheckItem": "USER",
            ],
        ],
        "shell": [
            "register": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL",
                "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD EMAIL RATE USER",
            ],
            "login": withRefreshRows(logIn),
            "refresh": [
                "GetItem": "AUDITHEAD RATE REFRESH", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE REFRESH SIGNINGKEYS USER",
                "DeleteItem": "USER",
            ],
            "signout": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD REFRESH USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE USER", "DeleteItem": "USER",
            ],
            "forgot-password": forgotPassword, "reset-password": resetPassword,
            "change-password": withRefreshRows(changePassword), "housekeeping": housekeeping,
            "magic-link": magicLink,
            // A link makes no account.
            "redeem-magic-link": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL MAGICLINK USER",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD OUTBOX RATE REFRESH SIGNINGKEYS USER",
                "DeleteItem": "IDENTITY MAGICLINK OUTBOX USER", "ConditionCheckItem": "USER",
            ],
            "audit": [
                "GetItem": "AUDITHEAD", "BatchGetItem": "USER",
                "Query": "AUDIT AUDITHEAD SIGNINGKEYS",
            ],
            "import-users": importUsers,
            "authorizer": verification,
        ],
        "whateat": [
            "signin": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD IDENTITY RATE SIGNINGKEYS SPENT USER jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": refresh, "signout": signOut, "authorizer": verification,
        ],
        // No sessions, so no signing keys, and only leases of key sets are deleted.
        "photolala": [
            "signin": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD IDENTITY SPENT USER jwks",
                "Query": "USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD IDENTITY RATE SPENT USER jwks",
                "DeleteItem": "jwks", "ConditionCheckItem": "USER",
            ]
        ],
        // Refresh tokens are found by their hash, and addresses are claimed.
        "livlogios": [
            "signin": [
                "GetItem": "AUDITHEAD RATE",
                "BatchGetItem": "AUDITHEAD EMAIL IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem":
                    "AUDIT AUDITHEAD EMAIL IDENTITY RATE REFRESH SIGNINGKEYS SPENT USER jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": [
                "GetItem": "AUDITHEAD RATE REFRESH", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE REFRESH SIGNINGKEYS USER",
                "DeleteItem": "USER",
            ],
            "signout": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD REFRESH USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE", "DeleteItem": "USER",
            ],
            "me": verification, "register": register,
            "verify-email": withRefreshRows(verifyEmail),
            "resend-verification": resendVerification, "login": withRefreshRows(logIn),
            "forgot-password": forgotPassword, "reset-password": resetPassword,
            "change-password": withRefreshRows(changePassword), "housekeeping": housekeeping,
            "link": link, "methods": withRefreshRows(methods), "add-password": addPassword,
        ],
        // Integer ids are counted, and refresh tokens are not replaced.
        "news_app": [
            "signin": [
                "GetItem": "AUDITHEAD PUBLICID RATE",
                "BatchGetItem": "AUDITHEAD EMAIL IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "PUBLICID RATE",
                "PutItem":
                    "AUDIT AUDITHEAD EMAIL IDENTITY PUBLICID RATE SIGNINGKEYS SPENT USER USERS "
                    + "jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE SIGNINGKEYS USER",
            ],
            "me": verification, "admin-login": adminLogin, "admin-logout": adminLogout,
            "users": [
                "GetItem": "ADMINSESSION AUDITHEAD PUBLICID USER",
                "BatchGetItem": "AUDITHEAD USER", "Query": "EMAIL USERS",
                "PutItem": "ADMINSESSION AUDIT AUDITHEAD USER",
            ],
        ],
    ]

    private static let register = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD OUTBOX RATE REGISTRATION", "DeleteItem": "OUTBOX",
    ]
    private static let verifyEmail = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "EMAIL REGISTRATION", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD EMAIL RATE SIGNINGKEYS USER",
        "DeleteItem": "REGISTRATION",
    ]
    private static let resendVerification = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL", "Query": "REGISTRATION",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD DECOY OUTBOX RATE REGISTRATION",
        "DeleteItem": "OUTBOX",
    ]
    private static let logIn = [
        "GetItem": "AUDITHEAD EMAIL RATE", "BatchGetItem": "AUDITHEAD USER",
        "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD RATE SIGNINGKEYS USER", "DeleteItem": "USER",
        "ConditionCheckItem": "USER",
    ]
    private static let forgotPassword = [
        "GetItem": "AUDITHEAD EMAIL RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "USER",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD DECOY OUTBOX RATE USER",
        "DeleteItem": "OUTBOX",
    ]
    private static let resetPassword = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD OUTBOX RATE USER", "DeleteItem": "IDENTITY OUTBOX USER",
    ]
    private static let changePassword = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD OUTBOX RATE SIGNINGKEYS USER",
        "DeleteItem": "OUTBOX USER",
    ]
    private static let link = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD IDENTITY SPENT USER jwks",
        "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD IDENTITY OUTBOX RATE SPENT USER jwks",
        "DeleteItem": "OUTBOX jwks", "ConditionCheckItem": "USER",
    ]
    private static let methods = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD OUTBOX RATE SIGNINGKEYS USER",
        "DeleteItem": "IDENTITY OUTBOX USER",
    ]
    private static let addPassword = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL USER",
        "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD DECOY EMAIL OUTBOX RATE USER",
        "DeleteItem": "EMAIL OUTBOX USER", "ConditionCheckItem": "EMAIL USER",
    ]
    private static let magicLink = [
        "GetItem": "AUDITHEAD EMAIL RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "USER",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD DECOY MAGICLINK OUTBOX RATE",
        "DeleteItem": "OUTBOX",
    ]
    private static let housekeeping = [
        "GetItem": "AUDITHEAD", "Query": "OUTBOX", "PutItem": "AUDIT AUDITHEAD OUTBOX",
        "DeleteItem": "OUTBOX",
    ]

    private static let importUsers = [
        "GetItem": "AUDITHEAD", "PutItem": "AUDIT AUDITHEAD EMAIL USER",
    ]

    /// Where refresh tokens are found by a row of theirs.
    private static func withRefreshRows(_ actions: [String: String]) -> [String: String] {
        var actions = actions
        actions["PutItem"] = actions["PutItem"].map { partitions in
            (partitions.split(separator: " ") + ["REFRESH"]).sorted().joined(separator: " ")
        }
        return actions
    }

    /// Where administrators can list the accounts.
    private static func listed(_ actions: [String: String]) -> [String: String] {
        var actions = actions
        actions["PutItem"]? += " USERS"
        return actions
    }

    private static let verification = ["BatchGetItem": "USER", "Query": "SIGNINGKEYS"]
    private static let refresh = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD RATE SIGNINGKEYS USER",
        "DeleteItem": "USER",
    ]
    private static let adminLogin = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD", "UpdateItem": "RATE",
        "PutItem": "ADMINSESSION AUDIT AUDITHEAD RATE",
        "DeleteItem": "ADMINSESSION",
    ]
    private static let adminLogout = [
        "GetItem": "AUDITHEAD", "PutItem": "AUDIT AUDITHEAD", "DeleteItem": "ADMINSESSION",
    ]
    private static let signOut = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER",
        "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD RATE USER",
        "DeleteItem": "USER",
    ]

    @Test(arguments: Template.names)
    func `each function has exactly the table permissions that its code needs`(
        name: String
    ) throws {
        let template = try Template(named: name)
        let expected = try #require(
            Self.table[name], "TemplatePermissionTests.table has no contract \(name)")
        let differing = Set(template.functions.compactMap(\.executable))
            .symmetricDifference(expected.keys)
        #expect(
            differing.isEmpty, "in \(name).json or in TemplatePermissionTests.table, but not both")
        for function in template.functions {
            let executable = try #require(function.executable)
            var found: [String: String] = [:]
            for statement in try template.statements(of: function) {
                let actions = statement["Action"]?.texts ?? []
                guard actions.contains(where: { $0.hasPrefix("dynamodb:") }) else { continue }
                let partitions = try Self.partitions(statement)
                for action in actions {
                    let name = String(action.dropFirst("dynamodb:".count))
                    // A batch must be allowed by a single statement.
                    #expect(found[name] == nil, "\(executable): \(name) is in two statements")
                    found[name] = partitions.sorted().joined(separator: " ")
                }
            }
            #expect(
                found == expected[executable],
                "\(executable): \(name).json, and what TemplatePermissionTests.table says")
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

    @Test func `the partitions in policies match the store's layout`() {
        let user = UserID(random: .system)
        let layout =
            [
                StoreLayout.profile(user), StoreLayout.identity(issuer: "i", subject: "s"),
                StoreLayout.challenge(nonce: "n"), StoreLayout.usedIdentityToken(fingerprint: []),
                StoreLayout.rate("l", "i", window: 0), AuditChain.account(user).headKey,
                StoreLayout.emailClaim("a"), StoreLayout.refreshToken(hash: []),
                StoreLayout.publicID(1), StoreLayout.publicIDCounter,
                StoreLayout.adminSession(hash: []),
                StoreLayout.password(of: user), StoreLayout.decoy([]),
                StoreLayout.registration(addressDigest: [], secretHash: []),
                StoreLayout.magicLink(addressDigest: [], secretHash: []),
            ].map(\.partition) + [
                StoreLayout.directoryPartition, StoreLayout.signingKeys("ES256"),
                StoreLayout.outboxPartition(0), AuditChain.account(user).partition,
            ]
        let known = Set(layout.map { String($0.prefix { $0 != "#" }) })
        let used = Set(
            Self.table.values.flatMap(\.values).flatMap(\.values).flatMap {
                $0.split(separator: " ").map(String.init)
            })
        // The rows of providers' key sets are defined in IdentityProviders.
        #expect(used == known.union(["jwks"]))
    }

    @Test func `every call of the store has an IAM action`() throws {
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

    // Transactions need the permissions of their parts.
    private static let parts = [
        "TransactWriteItems": ["PutItem", "DeleteItem", "ConditionCheckItem"],
        // Only used to create the table.
        "CreateTable": [], "DescribeTable": [], "DescribeTimeToLive": [], "UpdateTimeToLive": [],
    ]

    // MARK: Secrets

    /// The same rule as in `Assembly`.
    private static func needsMasterKey(_ contract: Contract, _ function: String) -> Bool {
        contract.endpoints(of: function).contains {
            !$0.needs.isDisjoint(with: [.sessions, .mail, .auditKeys])
        }
            || contract.policy.accessTokens.algorithm == .hs256
    }

    /// The key of the audit log: for functions that add to it and have no master key, and for the
    /// one that verifies what they add.
    private static func needsAuditKey(_ contract: Contract, _ function: String) -> Bool {
        if contract.endpoints(of: function).contains(where: { $0.needs.contains(.auditKeys) }) {
            return contract.endpoints.map(\.operation.function).contains {
                $0 != function && needsAuditKey(contract, $0)
            }
        }
        return !needsMasterKey(contract, function)
            && contract.endpoints(of: function).contains { $0.operation.isAudited }
    }

    @Test(arguments: Template.names)
    func `only the functions that need the master key can read it`(
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
            let isAudited = Self.needsAuditKey(contract, executable)
            #expect(
                function.environment["AUDIT_KEY"]
                    == (isAudited ? ["Fn::Sub": "secretsmanager:${AuditSecret}"] : nil),
                "\(executable)")
            if isAudited { secrets.append("AuditSecret") }
            if name == "latchkey", ["signin", "link"].contains(executable) {
                secrets.append("AppleKeySecret")
            }
            #expect(try template.secrets(of: function) == secrets, "\(executable)")
        }
    }

    @Test func `in latchkey a function that only verifies has no secret`() throws {
        let template = try Template(named: "latchkey")
        let without = try template.functions.filter { try template.secrets(of: $0).isEmpty }
        #expect(
            Set(without.compactMap(\.executable))
                == ["challenge", "me", "authorizer"],
            "who can read a secret has changed: review, then change the list here")
    }

    /// IAM's limit: 10,240 characters for all inline policies of a role, without white space.
    @Test(arguments: Template.names)
    func `no role's policies exceed IAM's limit`(name: String) throws {
        let template = try Template(named: name)
        for function in template.functions {
            let characters = try template.statements(of: function)
                .reduce(0) { $0 + JSON.object($1).text.utf8.count }
            // Each reference becomes an ARN of about a hundred characters at most.
            #expect(characters < 7_000, "\(function.logicalName)")
        }
    }
}

extension Template {
    /// The statements of a function's own policies and those of its role.
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

    /// The logical IDs of the secrets that a function may read.
    func secrets(of function: Function) throws -> [String] {
        try statements(of: function)
            .filter { $0["Action"]?.texts == ["secretsmanager:GetSecretValue"] }
            .map { try #require($0["Resource"]?["Ref"]?.stringValue) }
    }
}
