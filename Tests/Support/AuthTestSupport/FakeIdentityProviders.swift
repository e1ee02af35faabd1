package import AuthOperations
import Cryptography
package import IdentityProviders
import Synchronization
import Time

/// The identity in a fake token.
package struct FakeIdentity: Sendable {
    package var provider = "apple"
    package var issuer: String?
    package var subject = "001"
    package var email: String? = "ada@example.com"
    package var isEmailVerified = true
    package var displayName: String?
    package var nonce: String?

    package init(_ change: (inout FakeIdentity) -> Void = { _ in }) { change(&self) }
}

/// Identity providers whose tokens are keys of a table. Signatures are tested separately.
package final class FakeIdentityProviders: Sendable {
    private struct State {
        var identities: [String: FakeIdentity] = [:]
        var failure: IdentityFailure?
        var exchange: CodeExchange = .notConfigured
        var codes: [String] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func add(_ token: String, _ identity: FakeIdentity = FakeIdentity()) {
        state.withLock { $0.identities[token] = identity }
    }

    package func fail(_ failure: IdentityFailure?) { state.withLock { $0.failure = failure } }
    package func answerCodes(_ exchange: CodeExchange) { state.withLock { $0.exchange = exchange } }
    package var codes: [String] { state.withLock { $0.codes } }

    package var gateway: IdentityProviderGateway {
        IdentityProviderGateway(
            providers: ["apple", "google"],
            verify: { provider, token, nonce, now throws(IdentityFailure) in
                let (known, failure) = self.state.withLock { ($0.identities[token], $0.failure) }
                if let failure { throw failure }
                guard let known, known.provider == provider else { throw .invalidIDToken }
                if case .exactly(let asked) = nonce, asked != known.nonce { throw .nonceMismatch }
                return VerifiedIdentity(
                    provider: provider, issuer: known.issuer ?? "https://\(provider).example.com",
                    subject: known.subject, email: known.email,
                    isEmailVerified: known.isEmailVerified, isPrivateEmail: false,
                    displayName: known.displayName, realUserStatus: nil, transferSubject: nil,
                    audience: "com.example.app",
                    tokenFingerprint: SHA256.hash(Array(token.utf8)), tokenIssuedAt: now,
                    tokenExpiresAt: now + .minutes(10), nonceWasChecked: known.nonce != nil)
            },
            exchange: { code, _, _ in
                self.state.withLock { state in
                    state.codes.append(code)
                    return state.exchange
                }
            })
    }
}
