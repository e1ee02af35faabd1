import EmulatorAWS
import Testing

/// A policy with one statement, given by its members.
func policy(_ members: String, as kind: PolicyDocument.Kind = .identity) throws -> PolicyDocument {
    try PolicyDocument(parsing: #"{"Version":"2012-10-17","Statement":[{\#(members)}]}"#, as: kind)
}

/// The policy's decision on reading `resource`.
func decide(
    _ policy: PolicyDocument, _ action: String = "s3:GetObject",
    _ resource: String = "arn:aws:s3:::b/k", by names: PrincipalNames = .anonymous,
    _ fill: (inout PolicyContext) -> Void = { _ in }
) -> AccessDecision {
    var context = PolicyContext()
    fill(&context)
    return policy.decision(
        on: AccessRequest(action: action, resource: resource, principal: names, context: context))
}

/// Whether one condition holds.
func holds(_ condition: String, _ fill: (inout PolicyContext) -> Void) throws -> Bool {
    let policy = try policy(
        #""Effect":"Allow","Action":"*","Resource":"*","Condition":{\#(condition)}"#)
    return decide(policy, fill) == .allowed
}

func decide(_ policy: PolicyDocument, _ fill: (inout PolicyContext) -> Void) -> AccessDecision {
    decide(policy, "s3:GetObject", "arn:aws:s3:::b/k", by: .anonymous, fill)
}
