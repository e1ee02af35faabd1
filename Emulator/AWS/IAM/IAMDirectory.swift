package import Bytes
internal import Cryptography

/// A tag of a session or a user; conditions use it as `aws:PrincipalTag/KEY`.
package struct SessionTag: Sendable, Equatable {
    package let key: String
    package let value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

/// A role.
package struct IAMRole: Sendable {
    /// `arn:aws:iam::123456789012:role/path/name`
    package let arn: String
    package let id: String
    package let trust: PolicyDocument
    package let policies: [PolicyDocument]
    package let sessionSecondsMax: Int64
    package let tags: [SessionTag]

    package init(
        arn: String, trust: PolicyDocument, policies: [PolicyDocument],
        sessionSecondsMax: Int64 = 3600, tags: [SessionTag] = []
    ) {
        self.arn = arn
        id = "AROA" + IAMUniqueID.of(arn)
        self.trust = trust
        self.policies = policies
        self.sessionSecondsMax = sessionSecondsMax
        self.tags = tags
    }

    /// The last component of the ARN, without the path.
    package var name: String { arn.split(separator: "/").last.map { String($0) } ?? arn }
}

/// The root user of the account, or an IAM user.
package struct IAMUser: Sendable {
    package let arn: String
    package let id: String
    /// nil for the root user, who has all permissions.
    package let policies: [PolicyDocument]?
    package let tags: [SessionTag]

    package static func root(account: String) -> IAMUser {
        IAMUser(arn: "arn:aws:iam::\(account):root", id: account, policies: nil, tags: [])
    }

    package static func named(
        _ name: String, account: String, policies: [PolicyDocument], tags: [SessionTag] = []
    ) -> IAMUser {
        let arn = "arn:aws:iam::\(account):user/\(name)"
        return IAMUser(arn: arn, id: "AIDA" + IAMUniqueID.of(arn), policies: policies, tags: tags)
    }
}

/// A long-term key pair.
package struct AccessKey: Sendable {
    package let id: String
    package let secret: SecretBytes
    package let owner: IAMUser

    package init(id: String, secret: SecretBytes, owner: IAMUser) {
        self.id = id
        self.secret = secret
        self.owner = owner
    }
}

/// An identity provider that issues tokens which the account accepts.
package struct OpenIDProvider: Sendable {
    /// The issuer as in the `iss` of tokens.
    package let issuer: String
    /// The accepted audiences; empty for a provider built into AWS, because the trust policy checks
    /// its audiences.
    package let audiences: [String]
    /// The prefix of its condition keys: `accounts.google.com` in `accounts.google.com:sub`. By
    /// default it is the issuer without its scheme. An emulated Google keeps the name of the real
    /// one.
    package let name: String
    private let isBuiltIn: Bool

    /// `name` is needed for an emulated provider, because its issuer differs from the real one.
    package init(issuer: String, audiences: [String], name: String? = nil) {
        self.issuer = issuer
        self.audiences = audiences
        let scheme = ["https://", "http://"].first { issuer.utf8.starts(with: $0.utf8) } ?? ""
        self.name = name ?? String(issuer.dropFirst(scheme.utf8.count))
        isBuiltIn = false
    }

    package init(builtIn name: String, issuer: String) {
        self.issuer = issuer
        audiences = []
        self.name = name
        isBuiltIn = true
    }

    /// The provider in a trust policy's `Federated`.
    package func principal(account: String) -> String {
        isBuiltIn ? name : "arn:aws:iam::\(account):oidc-provider/\(name)"
    }
}

/// The users, roles, keys, policies and identity providers of the account.
package struct IAMDirectory: Sendable {
    package var account: String
    package var accessKeys: [AccessKey]
    package var roles: [IAMRole]
    package var providers: [OpenIDProvider]
    /// The managed policies by ARN.
    package var managedPolicies: [(arn: String, policy: PolicyDocument)]
    /// Whether undefined roles may be assumed by anyone and allow everything, for tools that use
    /// their own roles. If false, they are rejected as on AWS.
    package var inventsRoles: Bool

    package init(
        account: String, accessKeys: [AccessKey], roles: [IAMRole] = [],
        providers: [OpenIDProvider] = [],
        managedPolicies: [(arn: String, policy: PolicyDocument)] = [], inventsRoles: Bool = false
    ) {
        self.account = account
        self.accessKeys = accessKeys
        self.roles = roles
        self.providers = providers
        self.managedPolicies = managedPolicies
        self.inventsRoles = inventsRoles
    }

    package func role(_ arn: String) -> IAMRole? {
        if let role = roles.first(where: { $0.arn.isSame(as: arn) }) { return role }
        return inventsRoles
            ? IAMRole(
                arn: arn, trust: .trustingAll, policies: [.everything], sessionSecondsMax: 43_200)
            : nil
    }

    package func managedPolicy(_ arn: String) -> PolicyDocument? {
        managedPolicies.first { $0.arn.isSame(as: arn) }?.policy
    }

    func accessKey(_ id: String) -> AccessKey? { accessKeys.first { $0.id.isSame(as: id) } }
}

extension PolicyDocument {
    fileprivate static let trustingAll = PolicyDocument(statements: [
        PolicyStatement(
            id: nil, effect: .allow, principals: .among([.everyone]),
            actions: .among([PolicyPattern("sts:*", hasVariables: false)]), resources: nil,
            conditions: [])
    ])
}

/// The random-looking part of an ID, derived from the name.
enum IAMUniqueID {
    private static let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func of(_ name: String) -> String { text(SHA256.hash(utf8: name).prefix(17)) }

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { symbols[Int($0 & 31)] }, as: UTF8.self)
    }
}
