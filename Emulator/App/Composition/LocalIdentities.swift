internal import AWSSignature
internal import Bytes
internal import EmulatorAWS
internal import EmulatorGateway
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
            guard let document = try identity(policy.policy, policy.logicalID, &warnings) else {
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
        var policies = try role.inlinePolicies.compactMap { name, policy in
            try identity(policy, "\(role.logicalID).\(name)", &warnings)
        }
        // AWS managed policies are ignored: they allow logging and similar actions, which are not
        // checked.
        policies += managed.filter { policy in
            role.managedPolicyARNs.contains { $0.isSame(as: policy.arn) }
        }.map(\.policy)
        return IAMRole(
            arn: role.arn, trust: try role.trust.parsed(as: .trust),
            policies: policies, sessionSecondsMax: Int64(role.maxSessionSeconds))
    }

    /// nil for a policy about a resource with an ARN that the emulator does not know.
    private static func identity(
        _ policy: PolicyText, _ name: String, _ warnings: inout [String]
    ) throws -> PolicyDocument? {
        do throws(PolicyFailure) {
            return try PolicyDocument(parsing: policy.document.text, as: .identity)
        } catch {
            guard case .resourceNotARN = error else { throw policy.failure(error, .identity) }
            warnings.append("\(name): the policy is ignored: \(error.message)")
            return nil
        }
    }
}

extension Template {
    /// Throws for the first policy that IAM would reject. The error has the path of the policy.
    func checkPolicies() throws(TemplateFailure) {
        for role in roles {
            _ = try role.trust.parsed(as: .trust)
            for (_, policy) in role.inlinePolicies { try policy.checkAsIdentity() }
        }
        for policy in policies { try policy.policy.checkAsIdentity() }
    }
}

extension PolicyText {
    fileprivate func parsed(
        as kind: PolicyDocument.Kind
    ) throws(TemplateFailure) -> PolicyDocument {
        do throws(PolicyFailure) {
            return try PolicyDocument(parsing: document.text, as: kind)
        } catch {
            throw failure(error, kind)
        }
    }

    fileprivate func checkAsIdentity() throws(TemplateFailure) {
        do throws(PolicyFailure) {
            _ = try PolicyDocument(parsing: document.text, as: .identity)
        } catch {
            // A policy whose resource is not an ARN is ignored.
            if case .resourceNotARN = error { return }
            throw failure(error, .identity)
        }
    }

    /// The position of the failure is the first statement that is rejected for the same reason on
    /// its own, or else the whole policy.
    fileprivate func failure(
        _ failure: PolicyFailure, _ kind: PolicyDocument.Kind
    ) -> TemplateFailure {
        let statements = document["Statement"]?.arrayValue ?? []
        let index = statements.firstIndex { statement in
            var alone = document.objectValue ?? JSONObject()
            alone["Statement"] = .array([statement])
            do throws(PolicyFailure) {
                _ = try PolicyDocument(parsing: JSON.object(alone).text, as: kind)
                return false
            } catch {
                return error == failure
            }
        }
        let place = index.map { "\(path).Statement[\($0)]" } ?? path
        return TemplateFailure(place, .invalid(failure.message))
    }
}
