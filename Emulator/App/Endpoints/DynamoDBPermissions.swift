internal import EmulatorAWS
internal import EmulatorDynamoDB

/// Whether a caller has every permission that a request to DynamoDB needs.
enum DynamoDBPermissions {
    /// The error message; nil if the caller has them.
    ///
    /// - Parameter accesses: as `DynamoDBService.accesses` reads them from the request.
    static func denial(
        of identity: CallerIdentity, _ accesses: [DynamoDBAccess], in context: PolicyContext
    ) -> String? {
        for access in accesses {
            var resource =
                "arn:aws:dynamodb:\(AWSAccount.region):\(AWSAccount.id):table/\(access.table)"
            if let index = access.index { resource += "/index/\(index)" }
            let action = "dynamodb:\(access.action)"
            let decision = identity.decision(
                on: action, resource, in: Self.context(context, of: access))
            guard decision == .allowed else {
                return "User: \(identity.arn) is not authorized to perform: \(action) on "
                    + "resource: \(resource) because no identity-based policy allows the "
                    + "\(action) action"
            }
        }
        return nil
    }

    private static func context(
        _ context: PolicyContext, of access: DynamoDBAccess
    ) -> PolicyContext {
        var context = context
        if let keys = access.leadingKeys { context.set("dynamodb:LeadingKeys", all: keys) }
        if let names = access.attributes { context.set("dynamodb:Attributes", all: names) }
        if let select = access.select { context.set("dynamodb:Select", all: [select]) }
        return context
    }
}
