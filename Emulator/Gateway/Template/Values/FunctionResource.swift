/// A function of the template.
package struct FunctionResource: Sendable {
    package var name: FunctionName
    package var logicalID: String
    package var arn: String
    package var runtime: String
    /// The alias of `AutoPublishAlias`, under which the function can also be invoked.
    package var alias: String?
    /// The value of `_HANDLER`.
    package var handler: String
    /// Whether its code is a container image, which the emulator cannot run.
    package var isImage = false
    /// The code itself, where the template has it.
    package var inlineCode: String?
    /// The directory of its code: absolute, or relative to the emulator's working directory.
    package var codePath: String
    /// The possible paths of the executable, in order of preference; the first that exists is used.
    package var executableCandidates: [String]
    package var environment: [(name: String, value: String)]
    package var timeoutSeconds: Int
    package var memoryMB: Int
    /// nil means no limit; 0 throttles every call.
    package var reservedConcurrency: Int?
    package var roleARN: String
    package var url: FunctionURL?
}

/// `FunctionUrlConfig` of a function, and the ID of the URL.
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

/// The path of a Function URL in the emulator, used instead of a host name.
package enum FunctionURLPath {
    package static let prefix = "/_lambda-url/"
}
