/// Why a request was not signed, or why its signature cannot be read.
package enum SignatureFailure: Error, Sendable, Equatable {
    /// Not `scheme://host…`, or with a user, a password or a fragment.
    case invalidURL
    case alreadyPresigned
    /// A presigned URL lives one second to seven days.
    case expiryOutOfRange
    case malformed
    case unknownAlgorithm
}
