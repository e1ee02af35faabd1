internal import Bytes
internal import Time

/// The common parameters of AssumeRole and AssumeRoleWithWebIdentity.
struct SessionRequest {
    /// The limit for policies and tags as text. AWS's packed format is not documented.
    static let packedBytesMax = 4096

    var session: RoleSession
    let durationSeconds: Int64?

    /// The caller throws the errors in `parameters` after it has parsed its own.
    init(_ parameters: inout STSParameters) throws(STSError) {
        let arn = parameters.text("RoleArn", length: 20...2048, isRequired: true) ?? ""
        let name = parameters.text(
            "RoleSessionName", length: 2...64, of: .name, isRequired: true)
        durationSeconds = try parameters.seconds("DurationSeconds", in: 900...43_200)
        session = RoleSession(roleARN: arn, name: name ?? "")
        session.policies = parameters.text("Policy", length: 1...2048).map { [$0] } ?? []
        session.policyARNs = parameters.list("PolicyArns", "arn", countMax: 10)
    }

    /// The role, if the parameters of this request are valid.
    func role(
        in directory: IAMDirectory, orElse refusal: STSError
    ) throws(STSError) -> IAMRole {
        let parts = session.roleARN.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "arn", parts[2] == "iam", parts[3].isEmpty,
            parts[4].utf8.count == 12, parts[4].utf8.allSatisfy(\.isDigit),
            parts[5].hasPrefix("role/"), parts[5].utf8.count > 5
        else { throw .validation("\(session.roleARN) is invalid") }
        for text in session.policies {
            do throws(PolicyFailure) {
                _ = try PolicyDocument(parsing: text, as: .identity)
            } catch {
                throw .malformedPolicy(error)
            }
        }
        for arn in session.policyARNs where directory.managedPolicy(arn) == nil {
            throw .validation("PolicyArn \(arn) is invalid or not attachable")
        }
        guard packedPercent ?? 0 <= 100 else {
            throw .packedPolicyTooLarge(percent: packedPercent ?? 0)
        }
        guard let role = directory.role(session.roleARN) else { throw refusal }
        return role
    }

    /// The used percentage of the limit for policies and tags; nil without policies and tags.
    var packedPercent: Int? {
        let texts =
            session.policies + session.policyARNs + session.tags.flatMap { [$0.key, $0.value] }
        let bytes = texts.reduce(0) { $0 + $1.utf8.count }
        guard bytes > 0 else { return nil }
        return (bytes * 100 + Self.packedBytesMax - 1) / Self.packedBytesMax
    }

    /// The lifetime of a session of `role`.
    func lifetime(of role: IAMRole, isChained: Bool) throws(STSError) -> Span {
        let seconds = durationSeconds ?? min(3600, role.sessionSecondsMax)
        if isChained, seconds > 3600 {
            throw .validation(
                "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed "
                    + "by role chaining")
        }
        guard seconds <= role.sessionSecondsMax else {
            throw .validation(
                "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
        }
        return .seconds(seconds)
    }

    /// Adds the condition keys for the trust policy.
    func describe(in context: inout PolicyContext) {
        context.set("sts:RoleSessionName", session.name)
        for tag in session.tags { context.set("aws:RequestTag/\(tag.key)", tag.value) }
        context.set("aws:TagKeys", all: session.tags.map(\.key))
        context.set("sts:TransitiveTagKeys", all: session.transitiveTagKeys)
        context.set("sts:SourceIdentity", session.sourceIdentity)
    }

    /// The elements that both responses have.
    func user(of role: IAMRole, account: String) -> STSAnswer.Element {
        .group(
            "AssumedRoleUser",
            [
                .text(
                    "Arn",
                    "arn:aws:sts::\(account):assumed-role/\(role.name)/\(session.name)"),
                .text("AssumedRoleId", "\(role.id):\(session.name)"),
            ])
    }

    var trailer: [STSAnswer.Element] {
        (session.sourceIdentity.map { [.text("SourceIdentity", $0)] } ?? [])
            + (packedPercent.map { [.text("PackedPolicySize", String($0))] } ?? [])
    }
}
