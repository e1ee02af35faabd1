/// Why a request cannot be signed, or why its signature cannot be parsed.
package enum SignatureFailure: Error, Sendable, Equatable {
    /// The URL does not have the form `scheme://host…`, or has a user, password or fragment.
    case invalidURL
    case alreadyPresigned
    /// A presigned URL is valid for one second to seven days.
    case expiryOutOfRange
    case malformed
    case unknownAlgorithm
}
