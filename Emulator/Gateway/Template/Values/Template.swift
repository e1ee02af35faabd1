package import JSON

/// A parsed template: plain values, all references resolved.
package struct Template: Sendable {
    package internal(set) var functions: [FunctionResource] = []
    package internal(set) var apis: [API] = []
    package internal(set) var schedules: [ScheduleResource] = []
    package internal(set) var tables: [TableResource] = []
    package internal(set) var buckets: [BucketResource] = []
    package internal(set) var roles: [RoleResource] = []
    package internal(set) var policies: [ManagedPolicyResource] = []
    package internal(set) var secrets: [SecretResource] = []
    package internal(set) var settings: [ParameterResource] = []
    package internal(set) var outputs: [(name: String, value: String)] = []
    /// The outputs that other stacks can import.
    package internal(set) var exports: [ExportedOutput] = []
    /// The features that the template uses and the emulator does not support.
    package internal(set) var warnings: [TemplateWarning] = []
}

/// A table to create at start.
package struct TableResource: Sendable {
    package var name: String
    package var logicalID: String
    /// The request body of `CreateTable`.
    package var createTable: JSONObject
    package var expiryAttribute: String?
}

package struct BucketResource: Sendable, Equatable {
    package var name: String
    package var logicalID: String
    package var isVersioned: Bool
    /// The bucket policy, for the policy evaluator.
    package var policy: JSON?
    package var cors: [BucketCORS] = []
}

/// One of the `CorsRules` of a bucket.
package struct BucketCORS: Sendable, Equatable {
    package var id: String?
    package var origins: [String]
    package var methods: [String]
    package var headers: [String]
    package var exposedHeaders: [String]
    package var maxAgeSeconds: Int?

    package init(
        id: String? = nil, origins: [String], methods: [String], headers: [String],
        exposedHeaders: [String], maxAgeSeconds: Int? = nil
    ) {
        self.id = id
        self.origins = origins
        self.methods = methods
        self.headers = headers
        self.exposedHeaders = exposedHeaders
        self.maxAgeSeconds = maxAgeSeconds
    }
}

/// A role, for the policy evaluator.
package struct RoleResource: Sendable {
    package var name: String
    package var logicalID: String
    package var arn: String
    /// The trust policy.
    package var trust: PolicyText
    package var maxSessionSeconds: Int
    /// Inline policies, and policies of the template attached to the role.
    package var inlinePolicies: [(name: String, policy: PolicyText)]
    /// The ARNs of managed policies. Policies in the template are in `Template.policies`.
    package var managedPolicyARNs: [String]
}

package struct ManagedPolicyResource: Sendable {
    package var arn: String
    package var logicalID: String
    package var policy: PolicyText
}

/// A policy as written in the template.
package struct PolicyText: Sendable {
    package let document: JSON
    /// The policy's path in the template.
    package let path: String

    /// Numbers and booleans become texts, as in CloudFormation: `Sid: 1`.
    init(_ document: JSON, at path: String) {
        self.document = Self.withTexts(document)
        self.path = path
    }

    private static func withTexts(_ value: JSON) -> JSON {
        switch value {
        case .number, .bool: .string(value.scalarText ?? "")
        case .array(let list): .array(list.map(withTexts))
        case .object(let object):
            .object(JSONObject(object.members.map { ($0.name, withTexts($0.value)) }))
        case .string, .null: value
        }
    }
}

/// A secret of Secrets Manager.
package struct SecretResource: Sendable {
    package enum Value: Sendable, Equatable {
        case text(String)
        /// A random text, generated once and kept, optionally inserted in a JSON object under a
        /// key.
        case generated(length: Int, template: String?, key: String?, excluded: String)
    }

    package var name: String
    package var logicalID: String
    package var arn: String
    package var value: Value
}

/// An output by the name of its `Export`.
package struct ExportedOutput: Sendable, Equatable {
    package var name: String
    package var value: String
    /// The output's name in the template.
    package var output: String
}

/// A parameter of Systems Manager.
package struct ParameterResource: Sendable, Equatable {
    package var name: String
    package var logicalID: String
    package var value: String
    /// `String`, `StringList` or `SecureString`.
    package var type: String
}
