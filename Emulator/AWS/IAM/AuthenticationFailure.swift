internal import AWSSignature
internal import Bytes
internal import Cryptography
package import Time

/// Why authentication failed. The protocols of most services report it as a `CallRefusal`, S3 as an
/// `S3Failure`.
package enum AuthenticationFailure: Error, Sendable, Equatable {
    case missing
    case malformed
    case unknownAlgorithm
    case expiryOutOfRange
    /// The request was signed for another service.
    case wrongService(String)
    case unknownAccessKey(String)
    case invalidToken
    case expiredToken
    case skewed(signedAt: Instant)
    case presignedURLExpired(signedAt: Instant, lifetime: Span)
    case wrongSignature(accessKeyID: String, signature: String)
}

/// The protocols of services, which name the same errors differently.
package enum ServiceProtocol: Sendable {
    /// The query protocol, with answers in XML: STS, and SES of version 1.
    case query
    /// AWS JSON 1.0: DynamoDB.
    case json
    /// JSON with the error's type in a header: SES of version 2, Lambda.
    case rest
}

/// An error of authentication or authorisation in the form of a service's answer.
package struct CallRefusal: Error, Sendable, Equatable {
    package let status: Int
    package let code: String
    package let message: String

    package init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    fileprivate enum Kind {
        case missing, incomplete, signature, accessKey, expired
    }

    fileprivate init(_ kind: Kind, _ message: String, in form: ServiceProtocol) {
        let names: (query: String, other: String) =
            switch kind {
            case .missing: ("MissingAuthenticationToken", "MissingAuthenticationTokenException")
            case .incomplete: ("IncompleteSignature", "IncompleteSignatureException")
            case .signature: ("SignatureDoesNotMatch", "InvalidSignatureException")
            case .accessKey: ("InvalidClientTokenId", "UnrecognizedClientException")
            case .expired: ("ExpiredToken", "ExpiredTokenException")
            }
        switch form {
        case .query: self.init(kind == .incomplete ? 400 : 403, names.query, message)
        case .json: self.init(400, names.other, message)
        case .rest: self.init(403, names.other, message)
        }
    }
}

extension RequestAuthenticator {
    /// Authenticates a call with a fully signed payload. A refusal has the error of the service's
    /// protocol.
    package func authenticate(
        _ call: ServiceCall, in form: ServiceProtocol, at now: Instant
    ) throws(CallRefusal) -> AuthenticatedCall {
        do throws(AuthenticationFailure) {
            return try authenticate(
                call.signable, payloadHash: Hex.encode(SHA256.hash(call.body)), at: now)
        } catch {
            let now = now - authority.ahead()
            // DynamoDB checks the time first.
            if form == .json, error != .missing,
                let signedAt = call.header("x-amz-date").flatMap(Instant.init(compactISO8601:)),
                signedAt < now - skewMax || signedAt > now + skewMax
            {
                throw refusal(of: .skewed(signedAt: signedAt), in: form, at: now)
            }
            throw refusal(of: error, in: form, at: now)
        }
    }

    private func refusal(
        of failure: AuthenticationFailure, in form: ServiceProtocol, at now: Instant
    ) -> CallRefusal {
        let (kind, message): (CallRefusal.Kind, String) =
            switch failure {
            case .missing:
                (
                    .missing,
                    form == .rest
                        ? "Missing Authentication Token"
                        : "Request is missing Authentication Token"
                )
            case .malformed, .expiryOutOfRange:
                (
                    .incomplete,
                    "Authorization header requires 'Credential' parameter. Authorization header "
                        + "requires 'Signature' parameter. Authorization header requires "
                        + "'SignedHeaders' parameter. Authorization header requires existence of "
                        + "either a 'X-Amz-Date' or a 'Date' header."
                )
            case .unknownAlgorithm:
                (.incomplete, "Unsupported AWS 'algorithm' in Authorization")
            case .wrongService(let name):
                (
                    .signature,
                    "Credential should be scoped to correct service: '\(service)', not '\(name)'."
                )
            case .unknownAccessKey, .invalidToken:
                (.accessKey, "The security token included in the request is invalid.")
            case .expiredToken: (.expired, "The security token included in the request is expired")
            case .skewed(let signedAt): (.signature, skew(signedAt, at: now))
            case .presignedURLExpired(let signedAt, let lifetime):
                (
                    .signature,
                    "Signature expired: \((signedAt + lifetime).compactISO8601) is now earlier "
                        + "than \(now.compactISO8601)"
                )
            case .wrongSignature:
                (
                    .signature,
                    "The request signature we calculated does not match the signature you "
                        + "provided. Check your AWS Secret Access Key and signing method. Consult "
                        + "the service documentation for details."
                )
            }
        return CallRefusal(kind, message, in: form)
    }

    private func skew(_ signedAt: Instant, at now: Instant) -> String {
        let isLate = signedAt < now
        let limit = isLate ? now - skewMax : now + skewMax
        return (isLate ? "Signature expired: " : "Signature not yet current: ")
            + signedAt.compactISO8601
            + (isLate ? " is now earlier than " : " is still later than ")
            + "\(limit.compactISO8601) (\(now.compactISO8601) \(isLate ? "-" : "+") "
            + "\(skewMax.seconds / 60) min.)"
    }
}
