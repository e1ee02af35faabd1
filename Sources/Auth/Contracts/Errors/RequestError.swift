package import AuthOperations

/// What is wrong with a request itself, whatever it asks for.
package enum RequestError: Error, Equatable, Sendable {
    // Before routing.
    case insecureScheme
    case undecodablePath
    case tooManyFields
    // Routing.
    case notFound
    case methodNotAllowed(allowed: [String])
    // The body.
    case bodyTooLarge(bytesMax: Int)
    case unsupportedMediaType
    /// A form that does not come from a page of ours.
    case foreignForm
    case bodyNotJSON
    case bodyNotAnObject
    case bodyNotAForm
    // A member of it.
    case missingField(String)
    case invalidField(String, FieldDefect)
}

/// Why a field is invalid.
package enum FieldDefect: Equatable, Sendable {
    case notText, notInteger, notObject
    case tooLong(bytesMax: Int)
    case notOneOf([String])
    case outOfRange(ClosedRange<Int64>)
}

/// Everything that an endpoint can answer instead of its result.
package enum APIError: Error, Equatable, Sendable {
    case request(RequestError)
    case auth(AuthError)

    /// What an endpoint has thrown. Anything else than our own errors is a fault of ours.
    init(_ error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as RequestError: self = .request(error)
        case let error as AuthError: self = .auth(error)
        default: self = .auth(.fault(.unexpectedError))
        }
    }
}
