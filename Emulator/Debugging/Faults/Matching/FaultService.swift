/// The services with requests that faults can affect.
package enum FaultService: String, Sendable, CaseIterable {
    /// A route of the template, or a Function URL.
    case route
    /// An invocation, by a route, an authorizer, a schedule or the Lambda API.
    case function
    case dynamodb
    case sts
    case s3
    case ses
    /// Secrets Manager and Parameter Store.
    case secrets
    /// An emulated identity provider.
    case provider
    /// The emulator's receiver, which replaces the app's own servers for webhooks and notices.
    case receiver

    /// The properties that select its requests.
    package var fields: [FaultField] {
        switch self {
        case .route: [.method, .path, .contains]
        case .function: [.function, .contains]
        case .dynamodb: [.operation, .table, .contains]
        case .sts, .ses, .secrets: [.operation, .contains]
        case .s3: [.operation, .bucket, .path, .contains]
        case .provider: [.provider, .operation, .contains]
        case .receiver: [.path, .contains]
        }
    }

    /// The effects that are possible for its requests.
    package var effects: [FaultEffect.Kind] {
        switch self {
        // A function has no connection; a crash is the error Runtime.ExitError.
        case .function: [.error, .delay, .hang, .throttle, .lose]
        case .route, .dynamodb, .sts, .s3, .ses, .secrets, .provider, .receiver:
            FaultEffect.Kind.allCases
        }
    }
}

/// A property of a request, by its name in `match`.
package enum FaultField: String, Sendable, CaseIterable {
    case method, path, operation, table, function, bucket, provider
    /// A text in the body or in the request target.
    case contains

    /// The alternatives in a pattern.
    func alternatives(_ text: String) -> [String] {
        switch self {
        case .operation, .method: text.split(separator: "|").map(String.init)
        case .path, .table, .function, .bucket, .provider, .contains: [text]
        }
    }
}
