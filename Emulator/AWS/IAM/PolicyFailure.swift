/// Why a document is not a valid policy, with IAM's messages, which are part of its interface.
package enum PolicyFailure: Error, Sendable, Equatable {
    case notJSON
    case syntax
    case version
    case noStatement
    case noAction
    case noResource
    /// An action without a service prefix, or with more than one colon.
    case unprefixedAction
    case resourceNotARN(String)
    case prohibitedField(String)
    case missingField(String)
    case invalidPrincipal
    case duplicateStatementID(String)

    package var message: String {
        switch self {
        case .notJSON: "The policy is not in the valid JSON format."
        case .syntax, .noStatement: "Syntax errors in policy."
        case .version: "Policy document must be version 2012-10-17 or greater."
        case .noAction: "Policy statement must contain actions."
        case .noResource: "Policy statement must contain resources."
        case .unprefixedAction:
            "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."
        case .resourceNotARN(let text): "Resource \(text) must be in ARN format or \"*\"."
        case .prohibitedField(let name): "Has prohibited field \(name)"
        case .missingField(let name): "Missing required field \(name)"
        case .invalidPrincipal: "Invalid principal in policy"
        case .duplicateStatementID(let id):
            "Statement IDs (SID) in a single policy must be unique: \(id)"
        }
    }
}
