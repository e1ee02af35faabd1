package import AuthOperations

/// Errors of a request, independent of its operation.
package enum RequestError: Error, Equatable, Sendable {
    // These errors occur before routing.
    case insecureScheme
    case undecodablePath
    case tooManyFields
    // These errors occur in routing.
    case notFound
    case methodNotAllowed(allowed: [String])
    /// A page was requested under a foreign host name (`PageHosts`).
    case foreignHost
    // The body.
    case bodyTooLarge(bytesMax: Int)
    case unsupportedMediaType
    /// A cross-site form.
    case foreignForm
    case bodyNotJSON
    case bodyNotAnObject
    case bodyNotAForm
    // A member of the body.
    case missingField(String)
    case invalidField(String, FieldDefect)
}

/// Why a field is invalid.
package enum FieldDefect: Equatable, Sendable {
    case notText, notInteger, notObject, notFlag
    case notList(itemsMax: Int)
    case tooLong(bytesMax: Int)
    case notOneOf([String])
    case notEmailAddress
    /// A value that must be repeated differs from the other field.
    case differsFrom(String)
    case outOfRange(ClosedRange<Int64>)
    /// `member` of a credential does not have the form of WebAuthn section 5.1.
    case malformedCredential(member: String)
    /// The member is not one of `known`.
    case unknown(known: [String])
}

/// All errors of an endpoint.
package enum APIError: Error, Equatable, Sendable {
    case request(RequestError)
    case auth(AuthError)

    /// Maps an error thrown by an endpoint. Any other error type is an internal error.
    package init(_ error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let failure as PageFailure: self = failure.error
        case let error as RequestError: self = .request(error)
        case let error as AuthError: self = .auth(error)
        default: self = .auth(.fault(.unexpectedError))
        }
    }
}
