package import AuthDomain
internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
package import Time

/// Makes and reads our own access tokens.
package struct AccessTokens: Sendable {
    /// A token ends when it says so.
    package static let leeway = Span.zero
    /// It may begin on a machine whose clock is ahead of ours: else a person who has just signed
    /// in would be refused by the next function.
    package static let issueLeeway = Span.minutes(1)

    private let ground: Ground
    private let ring: KeyRing
    private let issuer: String

    package init(_ ground: Ground, ring: KeyRing, issuer: String) {
        self.ground = ground
        self.ring = ring
        self.issuer = issuer
    }

    package func signer(at now: Instant) throws(Problem) -> Signer {
        Signer(tokens: self, key: try ring.signingKey(at: now))
    }

    /// Holds a key that is ready: an operation takes one before it changes anything, so that a
    /// missing key costs nobody their session.
    package struct Signer: Sendable {
        fileprivate let tokens: AccessTokens
        fileprivate let key: SigningKey

        package func issue(
            to user: User, session: SessionID, at now: Instant
        ) throws(Problem) -> AccessToken {
            let form = tokens.ground.policy.accessToken
            let lifetime = tokens.ground.policy.accessTokenLifetime
            let expiresAt = Instant(seconds: now.seconds) + lifetime
            var claims: JSONObject = [
                "iss": .string(tokens.issuer),
                "aud": .string(form.audience),
                "sub": .string(user.id.text),
                "iat": .number(JSONNumber(now.seconds)),
                "exp": .number(JSONNumber(expiresAt.seconds)),
                "jti": .string(Base64URL.encode(tokens.ground.random.bytes(16))),
                "client_id": .string(form.audience),
                "sid": .string(session.text),
                "epoch": .number(JSONNumber(user.epoch)),
            ]
            if form.carriesEmail { claims["email"] = user.email.map { .string($0) } }
            // A secret's thumbprint would be a hash of the secret in public.
            let includesKeyID = form.algorithm != .hs256
            guard
                let text = try? JWT.sign(
                    claims, with: key, type: form.type, includesKeyID: includesKeyID)
            else { throw .fault(.signingFailed) }
            return AccessToken(text: text, expiresAt: expiresAt, lifetime: lifetime)
        }
    }

    /// Everything that can be said of a token without asking whether its session lives.
    package func verify(_ text: String, at now: Instant) throws(Problem) -> AccessClaims {
        let form = ground.policy.accessToken
        var expectations = TokenExpectations(
            issuers: [issuer], audiences: [form.audience], types: [form.type], now: now,
            leeway: Self.leeway)
        expectations.issueLeeway = Self.issueLeeway
        let token: VerifiedToken
        do {
            token = try verify(text, expectations)
        } catch let failure as TokenFailure {
            switch failure {
            case .expired: throw .accessTokenRejected(.expired)
            case .tooLarge, .malformed: throw .accessTokenRejected(.malformed)
            case .missingKeyID, .unknownKeyID, .algorithmMismatch, .criticalHeader,
                .badSignature, .wrongType, .malformedClaims, .missingClaim, .wrongIssuer,
                .wrongAudience, .notYetValid, .issuedInFuture, .tooOld:
                throw .accessTokenRejected(.invalid)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .accessTokenRejected(.invalid)
        }
        guard let subject = token.subject, let user = UserID(parsing: subject),
            let sid = token.claims["sid"]?.stringValue, let session = SessionID(parsing: sid),
            let epoch = token.claims["epoch"]?.int64Value
        else { throw .accessTokenRejected(.invalid) }
        return AccessClaims(user: user, session: session, epoch: epoch)
    }

    private func verify(
        _ text: String, _ expectations: TokenExpectations
    ) throws -> VerifiedToken {
        // Junk dies before the store is asked for keys.
        _ = try JWT.keyID(of: text)
        do {
            return try JWT.verify(text, keys: try keySet(expectations.now), expecting: expectations)
        } catch TokenFailure.unknownKeyID {
            ring.forget()
            return try JWT.verify(text, keys: try keySet(expectations.now), expecting: expectations)
        }
    }

    private func keySet(_ now: Instant) throws(Problem) -> KeySet {
        var keys = try ring.verificationKeys(at: now)
        // Their tokens name no key, and a named key answers to its name alone.
        if ground.policy.accessToken.algorithm == .hs256 { keys = keys.map(\.nameless) }
        guard let set = try? KeySet(keys) else { throw .fault(.storedDataUnreadable) }
        return set
    }
}

package struct AccessToken: Sendable {
    private let text: String
    package let expiresAt: Instant
    package let lifetime: Span

    init(text: String, expiresAt: Instant, lifetime: Span) {
        self.text = text
        self.expiresAt = expiresAt
        self.lifetime = lifetime
    }

    /// The one way out: into a response body.
    package func reveal() -> String { text }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "<access token>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whom a verified access token speaks of.
package struct AccessClaims: Equatable, Sendable {
    package let user: UserID
    package let session: SessionID
    package let epoch: Int64
}
