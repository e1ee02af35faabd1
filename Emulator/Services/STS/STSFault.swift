internal import Bytes
package import Cryptography
package import HTTP

/// A failure that is asked for, for tests of what a caller does then.
package enum STSFault: Sendable {
    case accessDenied
    case packedPolicyTooLarge
    case expiredToken
    case invalidIdentityToken
    case internalFailure

    /// As the service answers it to any call.
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
