package import Bytes
internal import Cryptography

/// A key and a value on a session or a user; conditions see it as `aws:PrincipalTag/KEY`.
package struct SessionTag: Sendable, Equatable {
    package let key: String
    package let value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

/// Something that can be assumed.
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

    /// The last part of the ARN, without the path.
    package var name: String { arn.split(separator: "/").last.map { String($0) } ?? arn }
}

/// The root of the account, or one of its users.
package struct IAMUser: Sendable {
    package let arn: String
    package let id: String
    /// nil for the root, whom no policy limits.
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

/// A key pair without an end.
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

/// An identity provider whose tokens the account accepts.
package struct OpenIDProvider: Sendable {
    /// As in the tokens' `iss`.
    package let issuer: String
    /// Empty for a provider that AWS knows by itself, whose audiences are the trust policy's
    /// matter.
    package let audiences: [String]
    /// The beginning of its condition keys: `accounts.google.com` in `accounts.google.com:sub`.
    /// By default the issuer without its scheme, which on a laptop may be http; a stub of Google
    /// there keeps Google's.
    package let name: String
    private let isBuiltIn: Bool

    /// `name` is for an emulated provider, which has another issuer than the real one.
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

    /// What a trust policy's `Federated` says.
    package func principal(account: String) -> String {
        isBuiltIn ? name : "arn:aws:iam::\(account):oidc-provider/\(name)"
    }
}

/// Who and what exists in the one account.
package struct IAMDirectory: Sendable {
    package var account: String
    package var accessKeys: [AccessKey]
    package var roles: [IAMRole]
    package var providers: [OpenIDProvider]
    /// By ARN.
    package var managedPolicies: [(arn: String, policy: PolicyDocument)]
    /// Whether undefined roles may be assumed by anyone and allow everything, for tools that use
    /// roles of their own. Off, they are rejected as on AWS.
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

/// The random-looking part of an id, the same for the same name in every run.
enum IAMUniqueID {
    private static let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func of(_ name: String) -> String { text(SHA256.hash(utf8: name).prefix(17)) }

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { symbols[Int($0 & 31)] }, as: UTF8.self)
    }
}
