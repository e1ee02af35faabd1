import AuthDomain
import AuthOperations
import Contracts
import JSON

/// The permissions of each function of a contract: the table's partitions by action, and the
/// secrets that it may read, from `Parts/permissions/<contract>.txt`. Each line there was reviewed.
struct Permissions {
    private(set) var functions: [String: [String: [String]]] = [:]

    /// The actions, in the order of a policy's statements.
    private static let actions = [
        "GetItem", "BatchGetItem", "Query", "Scan", "UpdateItem", "PutItem", "DeleteItem",
        "ConditionCheckItem",
    ]

    init(_ text: String) {
        var function = ""
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix(" ") {
                functions[function]?[words[0]] = Array(words.dropFirst())
            } else {
                function = words[0]
                functions[function] = [:]
            }
        }
    }

    /// The permissions of the functions of `contract` in all other contracts.
    static func union(of reviewed: [String: Permissions], for contract: Contract) -> Permissions {
        var union = Permissions("")
        for function in Set(contract.endpoints.map(\.operation.function)) {
            union.functions[function] = contract.neededSecrets(of: function)
            for (action, values) in reviewed.values.flatMap({ $0.functions[function] ?? [:] })
            where action != "secrets" {
                union.functions[function]?[action, default: []] += values
            }
        }
        return union
    }

    /// The permissions of all functions, combined for the single function `latchkey`.
    var union: Permissions {
        var union = Permissions("")
        let all = functions.values.reduce(into: [String: [String]]()) { all, actions in
            all.merge(actions) { Set($0 + $1).sorted() }
        }
        union.functions["latchkey"] = all
        return union
    }

    /// Whether a policy's statement concerns the table or a secret.
    static func grants(_ statement: JSON) -> Bool {
        let action = statement["Action"]?.stringValue ?? ""
        return action.hasPrefix("dynamodb:") || action == "secretsmanager:GetSecretValue"
    }

    mutating func add(
        _ action: String, _ partition: String, to function: String, of contract: Contract
    ) {
        if functions[function] == nil {
            functions[function] = contract.neededSecrets(of: function)
        }
        functions[function]?[action, default: []].append(partition)
    }

    var text: String {
        functions.sorted { $0.key < $1.key }.map { name, actions in
            "\(name)\n"
                + actions.sorted { $0.key < $1.key }.map { action, values in
                    "  \(action) \(Set(values).sorted().joined(separator: " "))\n"
                }.joined()
        }.joined()
    }

    func secrets(of function: String) -> [String] { functions[function]?["secrets"] ?? [] }

    /// - Parameter extra: further statements, placed before those for secrets.
    func policy(of function: String, _ extra: [JSON] = []) -> JSON {
        let granted = functions[function] ?? [:]
        let table = Self.actions.compactMap { action in
            granted[action].map { Self.statement(action, Set($0).sorted()) }
        }
        let secrets: [JSON] = self.secrets(of: function).map { secret in
            [
                "Effect": "Allow", "Action": "secretsmanager:GetSecretValue",
                "Resource": ["Ref": .string(secret)],
            ]
        }
        return ["Version": "2012-10-17", "Statement": .array(table + extra + secrets)]
    }

    /// Each action is in one statement, because a single statement must allow a whole batch. By
    /// itself, `ForAllValues` is also true for a request without a partition key, such as a scan.
    private static func statement(_ action: String, _ partitions: [String]) -> JSON {
        let patterns = partitions.map { JSON.string("\($0)#*") }
        let condition: JSON =
            action == "Scan"
            ? [
                "ForAllValues:StringEquals": ["dynamodb:Attributes": ["pk", "sk"]],
                "Null": ["dynamodb:Attributes": "false"],
                "StringEquals": ["dynamodb:Select": "SPECIFIC_ATTRIBUTES"],
            ]
            : [
                "ForAllValues:StringLike": ["dynamodb:LeadingKeys": .array(patterns)],
                "Null": ["dynamodb:LeadingKeys": "false"],
            ]
        return [
            "Effect": "Allow", "Action": .string("dynamodb:\(action)"),
            "Resource": ["Fn::GetAtt": ["Table", "Arn"]], "Condition": condition,
        ]
    }
}

extension Contract {
    fileprivate func neededSecrets(of function: String) -> [String: [String]] {
        let names = [
            needsMasterKey(function) ? "Secret" : nil,
            needsAuditKey(function) ? "AuditSecret" : nil,
        ].compactMap(\.self)
        return names.isEmpty ? [:] : ["secrets": names]
    }

    /// The same rule as in `Assembly`: HS256 has no public keys, so a verifier could also sign.
    private func needsMasterKey(_ function: String) -> Bool {
        policy.accessTokens.algorithm == .hs256
            || endpoints(of: function).contains { $0.needs.needMasterKey }
    }

    /// Functions that write events of the audit log and have no master key, and the function that
    /// verifies the log.
    private func needsAuditKey(_ function: String) -> Bool {
        if endpoints(of: function).contains(where: { $0.needs.contains(.auditKeys) }) {
            return endpoints.map(\.operation.function).contains {
                $0 != function && needsAuditKey($0)
            }
        }
        return !needsMasterKey(function)
            && endpoints(of: function).contains { $0.operation.isAudited }
    }
}
