internal import Bytes
package import Cryptography
package import HTTP

/// An injected failure, for testing callers.
package enum STSFault: Sendable {
    case accessDenied
    case packedPolicyTooLarge
    case expiredToken
    case invalidIdentityToken
    case internalFailure

    /// The error response, the same for every operation.
    package func response(_ random: RandomSource) -> HTTPResponse {
        error.response(requestID: RandomUUID.text(random.bytes(16)))
    }

    private var error: STSError {
        switch self {
        case .accessDenied: .accessDenied("Not authorized to perform sts:AssumeRole")
        case .packedPolicyTooLarge: .packedPolicyTooLarge(percent: 112)
        case .expiredToken: .expiredToken
        case .invalidIdentityToken: .unretrievableKey
        case .internalFailure:
            STSError(500, "InternalFailure", "The request processing has failed")
        }
    }
}
