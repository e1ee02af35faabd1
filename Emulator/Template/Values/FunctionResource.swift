/// A function of the template.
package struct FunctionResource: Sendable {
    package var name: FunctionName
    package var logicalID: String
    package var arn: String
    package var runtime: String
    /// What `_HANDLER` says.
    package var handler: String
    /// Where its code is: absolute, or from where the emulator runs.
    package var codePath: String
    /// Where the executable may be, best first. The first that exists is meant.
    package var executableCandidates: [String]
    package var environment: [(name: String, value: String)]
    package var timeoutSeconds: Int
    package var memoryMB: Int
    /// nil is without a limit of its own; 0 throttles every call.
    package var reservedConcurrency: Int?
    package var roleARN: String
    package var url: FunctionURL?
}

/// An HTTP endpoint of one function alone.
package struct FunctionURL: Sendable, Equatable {
    package enum Authorization: Sendable, Equatable { case none, iam }

    package var authorization: Authorization
    package var cors: CORSRules?
    /// The first label of its host name.
    package var id: String

    package init(authorization: Authorization, cors: CORSRules? = nil, id: String) {
        self.authorization = authorization
        self.cors = cors
        self.id = id
    }
}

/// Where a Function URL is on a laptop, which has no host names to give away.
package enum FunctionURLPath {
    package static let prefix = "/_lambda-url/"
}
