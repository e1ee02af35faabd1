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
        of loaded: LoadedTemplate, providers: [OpenIDProvider], _ warnings: inout [String]
    ) throws -> IAMDirectory {
        let template = loaded.template
        let developer = AccessKey(
            id: developerKeyID, secret: SecretBytes(utf8: developerSecret),
            owner: .named("developer", account: AWSAccount.id, policies: [.everything]))
        var managed: [(arn: String, policy: PolicyDocument)] = []
        for policy in template.policies {
            guard let document = try identity(policy.document, policy.logicalID, &warnings) else {
                continue
            }
            managed.append((policy.arn, document))
        }
        return IAMDirectory(
            account: AWSAccount.id, accessKeys: [developer],
            roles: try template.roles.map { try role($0, managed: managed, &warnings) },
            providers: providers, managedPolicies: managed)
    }

    private static func role(
        _ role: RoleResource, managed: [(arn: String, policy: PolicyDocument)],
        _ warnings: inout [String]
    ) throws -> IAMRole {
        var policies = try role.inlinePolicies.compactMap { name, document in
            try identity(document, "\(role.logicalID).\(name)", &warnings)
        }
        // AWS managed policies are ignored: they allow logging and the like, which is not checked.
        policies += managed.filter { policy in
            role.managedPolicyARNs.contains { $0.isSame(as: policy.arn) }
        }.map(\.policy)
        return IAMRole(
            arn: role.arn, trust: try read(role.trust, as: .trust, role.logicalID),
            policies: policies, sessionSecondsMax: Int64(role.maxSessionSeconds))
    }

    /// nil for a policy about a resource whose ARN the emulator does not know.
    private static func identity(
        _ document: JSON, _ place: String, _ warnings: inout [String]
    ) throws -> PolicyDocument? {
        do throws(PolicyFailure) {
            return try PolicyDocument(parsing: document.text, as: .identity)
        } catch {
            guard case .resourceNotARN = error else {
                throw CommandFailure("\(place): \(error.message)")
            }
            warnings.append("\(place): the policy is left out: \(error.message)")
            return nil
        }
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
