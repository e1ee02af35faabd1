internal import EmulatorTemplate
internal import AWSSignature
internal import Bytes
internal import EmulatorGateway
internal import EmulatorIAM
internal import JSON

/// The IAM identities of the emulator: a developer with well-known keys, and the template's roles.
enum LocalIdentities {
    /// SDKs need credentials; these are valid for the emulator only.
    static let developerKeyID = "latchkey"
    static let developerSecret = "latchkey"

    static func directory(
        of loaded: LoadedTemplate, providers: [OpenIDProvider]
    ) throws -> IAMDirectory {
        let template = loaded.template
        let developer = AccessKey(
            id: developerKeyID, secret: SecretBytes(utf8: developerSecret),
            owner: .named("developer", account: AWSAccount.id, policies: [.everything]))
        let managed = try template.policies.map { policy in
            (arn: policy.arn, policy: try read(policy.document, as: .identity, policy.logicalID))
        }
        return IAMDirectory(
            account: AWSAccount.id, accessKeys: [developer],
            roles: try template.roles.map { try role($0, managed: managed) },
            providers: providers, managedPolicies: managed)
    }

    private static func role(
        _ role: RoleResource, managed: [(arn: String, policy: PolicyDocument)]
    ) throws -> IAMRole {
        var policies = try role.inlinePolicies.map { name, document in
            try read(document, as: .identity, "\(role.logicalID).\(name)")
        }
        // AWS managed policies are ignored: they allow logging and the like, which is not checked.
        policies += managed.filter { policy in
            role.managedPolicyARNs.contains { $0.isSame(as: policy.arn) }
        }.map(\.policy)
        return IAMRole(
            arn: role.arn, trust: try read(role.trust, as: .trust, role.logicalID),
            policies: policies, sessionSecondsMax: Int64(role.maxSessionSeconds))
    }

    private static func read(
        _ document: JSON, as kind: PolicyDocument.Kind, _ place: String
    ) throws -> PolicyDocument {
        do throws(PolicyFailure) {
            return try PolicyDocument(parsing: document.text, as: kind)
        } catch {
            throw CommandFailure("\(place): \(error.message)")
        }
    }
}
