import AuthTestSupport
import Contracts
import TestSupport

/// Least privilege: the permissions of each function for the table and for secrets.
@Suite("Template permissions") struct TemplatePermissionTests {
    @Test(arguments: Template.documented)
    func `each function has exactly the reviewed permissions for the table`(name: String) throws {
        let found = try TemplatePermissions(Template(named: name)).functions
        let reviewed = try TemplatePermissions.reviewed(name).functions
        for function in Set(found.keys).union(reviewed.keys).sorted() {
            expectEqual(found[function], reviewed[function], "\(function): make templates")
        }
    }

    /// Also the limit for a contract without a reviewed file.
    @Test(arguments: Template.names)
    func `no function has permissions that it lacks in every reviewed contract`(name: String) throws
    {
        let reviewed = try TemplatePermissions.allReviewed()
        for (function, actions) in try TemplatePermissions(Template(named: name)).functions {
            for (action, partitions) in actions {
                let most = reviewed.compactMap { $0.functions[function]?[action] }
                    .reduce(into: Set()) { $0.formUnion($1) }
                #expect(partitions.isSubset(of: most), "\(function): \(action)")
            }
        }
    }

    @Test func `the partitions in policies match the store's layout`() throws {
        let user = UserID(random: .system)
        let layout =
            [
                StoreLayout.profile(user), StoreLayout.identity(issuer: "i", subject: "s"),
                StoreLayout.challenge(nonce: "n"), StoreLayout.notification(issuer: "i", id: "j"),
                StoreLayout.usedIdentityToken(fingerprint: []),
                StoreLayout.rate("l", "i", window: 0), AuditChain.account(user).headKey,
                StoreLayout.emailClaim(addressDigest: []), StoreLayout.refreshToken(hash: []),
                StoreLayout.publicID(1), StoreLayout.publicIDCounter,
                StoreLayout.adminSession(hash: []),
                StoreLayout.password(of: user),
                StoreLayout.registration(addressDigest: [], secretHash: []), StoreLayout.masterKey,
                SealedRowEntry(keyID: [], row: StoreLayout.password(of: user)).key,
                StoreLayout.magicLink(addressDigest: [], secretHash: []),
                StoreLayout.importedHashes, StoreLayout.ceremony(secretHash: []),
                StoreLayout.lastHousekeeping, StoreLayout.firstAdministratorLink,
            ].map(\.partition) + [
                try #require(SearchTerm(typed: "ada")).partition, StoreLayout.roleHoldersPartition,
                StoreLayout.directoryPartition, StoreLayout.signingKeys("ES256"),
                StoreLayout.outboxPartition(0), StoreLayout.deletionPartition,
                StoreLayout.guestPartition, StoreLayout.mergePartition,
                StoreLayout.deadWebhooksPartition, StoreLayout.logoutNotices(shard: 0),
                StoreLayout.endedPartition(0),
                StoreLayout.client("a").partition,
                StoreLayout.clientListPartition, StoreLayout.clientUsers("a"),
                StoreLayout.clientDocument("a").partition,
                StoreLayout.waitingAuthorization(secretHash: []).partition,
                StoreLayout.deviceRequest(UserCode(random: .seeded(1))).partition,
                AuditChain.account(user).partition,
            ]
        let known = Set(layout.map { String($0.prefix { $0 != "#" }) })
        let used = Set(
            try TemplatePermissions.allReviewed().flatMap(\.functions.values).flatMap { actions in
                actions.filter { $0.key != "secrets" }.values.flatMap(\.self)
            })
        // The rows of providers' key sets are defined in IdentityProviders. A Scan has none.
        expectEqual(used, known.union(["jwks", "*"]))
    }

    /// Their secrets are in Secrets Manager, under the key of AWS, which needs no permission.
    /// Settings with `kms:` or `ssm:` need their own, for one key and one parameter
    /// (docs/configuration.md).
    @Test(arguments: Template.names)
    func `no function may call KMS or the Parameter Store`(name: String) throws {
        let template = try Template(named: name)
        for function in template.functions {
            for action in try template.statements(of: function).compactMap({ $0["Action"] }) {
                let isOther = action.texts.contains {
                    $0.hasPrefix("kms:") || $0.hasPrefix("ssm:") || $0 == "*"
                }
                #expect(!isOther, "\(function.logicalName)")
            }
        }
    }

    @Test(arguments: Template.names)
    func `only functions with hooks may invoke others, and only the named ones`(
        name: String
    ) throws {
        let template = try Template(named: name)
        let contract = try #require(Contract.named(name))
        for function in template.functions {
            let executable = try #require(function.executable)
            let asks =
                contract.policy.asksHooks
                && contract.endpoints(of: executable).contains {
                    !$0.needs.isDisjoint(with: [.hooks, .mail, .notices])
                }
            expectEqual(function.environment["HOOKS"], asks ? ["Ref": "Hooks"] : nil)
            let arn =
                "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:"
                + "${HookFunctions}"
            let invoking = try template.statements(of: function).filter { statement in
                statement["Action"]?.texts.contains { $0.hasPrefix("lambda:") } ?? false
            }
            expectEqual(
                invoking.map(JSON.object),
                asks
                    ? [
                        [
                            "Effect": "Allow", "Action": "lambda:InvokeFunction",
                            "Resource": ["Fn::Sub": .string(arn)],
                        ]
                    ] : [], "\(executable)")
        }
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
        let granted = Set(
            try TemplatePermissions.allReviewed().flatMap(\.functions.values).flatMap(\.keys)
        ).subtracting(["secrets"])
        expectEqual(used, granted)
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
            !$0.needs.isDisjoint(with: [.sessions, .passkeys, .mail, .auditKeys])
        }
            || contract.policy.accessTokens.algorithm == .hs256
    }

    /// The key of the audit log: for functions that add to it and have no master key, and for those
    /// that verify it.
    private static func needsAuditKey(_ contract: Contract, _ function: String) -> Bool {
        func verifies(_ function: String) -> Bool {
            contract.endpoints(of: function).contains { $0.needs.contains(.auditKeys) }
        }
        if verifies(function) {
            return contract.endpoints.map(\.operation.function).contains {
                !verifies($0) && needsAuditKey(contract, $0)
            }
        }
        return !needsMasterKey(contract, function)
            && contract.endpoints(of: function).contains { $0.operation.isAudited }
    }

    @Test(arguments: Template.names)
    func `only the functions that need the master key can read it`(name: String) throws {
        let template = try Template(named: name)
        let contract = try #require(Contract.named(name))
        for function in template.functions {
            let executable = try #require(function.executable)
            let isNeeded = Self.needsMasterKey(contract, executable)
            expectEqual(
                function.environment["MASTER_KEY"],
                isNeeded ? ["Fn::Sub": "secretsmanager:${Secret}#masterKey"] : nil,
                "\(executable)")
            let isAudited = Self.needsAuditKey(contract, executable)
            expectEqual(
                function.environment["AUDIT_KEY"],
                isAudited ? ["Fn::Sub": "secretsmanager:${AuditSecret}"] : nil, "\(executable)")
            // Only secrets that the environment refers to.
            var named = function.environment.values.compactMap { value in
                value["Fn::Sub"]?.stringValue?
                    .firstMatch(of: /^secretsmanager:\$\{([A-Za-z]+)\}/).map { String($0.1) }
            }
            // Those that the operator puts there, if they are needed.
            named += function.environment.values.compactMap { value in
                value["Fn::If"]?.arrayValue?[1]["Fn::Sub"]?.stringValue?
                    .firstMatch(of: /^secretsmanager:\$\{([A-Za-z]+)\}/).map { String($0.1) }
            }
            expectEqual(Set(try template.secrets(of: function)), Set(named), "\(executable)")
        }
    }

    /// It finds chains of the audit log by their events, and sees no attribute of any item.
    @Test(arguments: Template.names)
    func `only the audit function may scan, and only for keys`(name: String) throws {
        let functions = try TemplatePermissions(Template(named: name)).functions
        expectEqual(
            functions.filter { $0.value["Scan"] != nil }.map(\.key),
            functions["audit"] == nil ? [] : ["audit"])
    }

    /// IAM's limit: 10,240 characters for all inline policies of a role, without white space.
    @Test(arguments: Template.names + Template.singles)
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
    /// The statements of a function's own policies and of its role.
    func statements(of function: Function) throws -> [JSONObject] {
        var policies = function.property("Policies")?.arrayValue ?? []
        if let role = function.property("Role")?["Fn::GetAtt"]?.texts.first {
            let properties = try #require(resources.first { $0.name == role }?.value["Properties"])
            policies += (properties["Policies"]?.arrayValue ?? []).compactMap {
                $0["PolicyDocument"]
            }
        }
        return try policies.flatMap { policy in
            try #require(policy["Statement"]?.arrayValue, "\(function.logicalName)")
                .compactMap(\.objectValue)
        }
    }

    /// `ForAllValues` alone is true for a request without a partition key, such as a Scan.
    func partitions(of statement: JSONObject) throws -> [String] {
        expectEqual(statement["Resource"], ["Fn::GetAtt": ["Table", "Arn"]])
        let condition = try #require(statement["Condition"]?.objectValue)
        if statement["Action"]?.texts == ["dynamodb:Scan"] {
            // Keys have no secret and no personal data in clear (`StoreLayout`).
            expectEqual(
                condition,
                [
                    "ForAllValues:StringEquals": ["dynamodb:Attributes": ["pk", "sk"]],
                    "Null": ["dynamodb:Attributes": "false"],
                    "StringEquals": ["dynamodb:Select": "SPECIFIC_ATTRIBUTES"],
                ])
            return ["*"]
        }
        expectEqual(condition.members.map(\.name).sorted(), ["ForAllValues:StringLike", "Null"])
        expectEqual(condition["Null"], ["dynamodb:LeadingKeys": "false"])
        let patterns = try #require(
            condition["ForAllValues:StringLike"]?["dynamodb:LeadingKeys"]?.texts)
        return try patterns.map { pattern in
            try #require(pattern.hasSuffix("#*"), "\(pattern)")
            return String(pattern.dropLast(2))
        }
    }

    /// The logical IDs of the secrets that a function may read.
    func secrets(of function: Function) throws -> [String] {
        try statements(of: function)
            .filter { $0["Action"]?.texts == ["secretsmanager:GetSecretValue"] }
            .map { try #require($0["Resource"]?["Ref"]?.stringValue) }
    }
}
