package import AWSSignature
package import Bytes
package import Time

/// A request with a verified signature.
package struct AuthenticatedCall: Sendable {
    package let accessKeyID: String
    package let identity: CallerIdentity
    package let signature: PresentedSignature
    /// The secret for verifying the signatures of a chunked body.
    package let secret: SecretBytes
}

/// Verifies Signature Version 4 for one service, in headers or in the query.
package struct RequestAuthenticator: Sendable {
    package let authority: CredentialAuthority
    let service: String
    let skewMax: Span
    private let path: PathRule

    package init(_ authority: CredentialAuthority, service: String, skewMax: Span) {
        self.authority = authority
        self.service = service
        self.skewMax = skewMax
        path = .of(service: service)
    }

    package func authenticate(
        _ request: SignableRequest, payloadHash: String, at now: Instant
    ) throws(AuthenticationFailure) -> AuthenticatedCall {
        let presented = try find(in: request)
        guard presented.scope.service.isSame(as: service) else {
            throw .wrongService(presented.scope.service)
        }
        let (secret, identity) = try identify(presented, at: now)
        try checkTime(presented, at: now - authority.ahead())
        let key = authority.signingKey(of: presented, secret: secret)
        guard presented.isValid(for: request, payloadHash: payloadHash, path: path, key: key)
        else {
            throw .wrongSignature(
                accessKeyID: presented.accessKeyID, signature: presented.signature)
        }
        return AuthenticatedCall(
            accessKeyID: presented.accessKeyID, identity: identity, signature: presented,
            secret: secret)
    }

    private func find(
        in request: SignableRequest
    ) throws(AuthenticationFailure) -> PresentedSignature {
        let found: PresentedSignature?
        do throws(SignatureFailure) {
            found = try PresentedSignature.find(in: request)
        } catch {
            switch error {
            case .unknownAlgorithm: throw .unknownAlgorithm
            case .expiryOutOfRange: throw .expiryOutOfRange
            case .malformed, .invalidURL, .alreadyPresigned: throw .malformed
            }
        }
        guard let found else { throw .missing }
        return found
    }

    private func identify(
        _ presented: PresentedSignature, at now: Instant
    ) throws(AuthenticationFailure) -> (SecretBytes, CallerIdentity) {
        do throws(CredentialFailure) {
            return try authority.identify(
                presented.accessKeyID, token: presented.sessionToken, at: now)
        } catch {
            switch error {
            case .unknownAccessKey: throw .unknownAccessKey(presented.accessKeyID)
            case .invalidToken: throw .invalidToken
            case .expired: throw .expiredToken
            }
        }
    }

    private func checkTime(
        _ presented: PresentedSignature, at now: Instant
    ) throws(AuthenticationFailure) {
        let signedAt = presented.signedAt
        guard signedAt <= now + skewMax else { throw .skewed(signedAt: signedAt) }
        if let lifetime = presented.expiresIn {
            guard now < signedAt + lifetime else {
                throw .presignedURLExpired(signedAt: signedAt, lifetime: lifetime)
            }
        } else {
            guard now <= signedAt + skewMax else { throw .skewed(signedAt: signedAt) }
        }
    }
}
