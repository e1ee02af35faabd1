package import AuthOperations
import Bytes
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
        var grants: [String: Grant] = [:]
        var refusal: AuthError?
    }

    /// A code that a browser brings back.
    private struct Grant {
        let provider: String
        let returnAddress: String
        let challenge: String
        let token: String
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
            providers: ["apple", "google"], redirects: redirects,
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

// Sign-ins on the pages.
extension FakeIdentityProviders {
    package struct NotAnAddress: Error {}

    /// Why codes are refused.
    package func refuseCodes(_ error: AuthError?) { state.withLock { $0.refusal = error } }

    /// The answer of a person who agrees, at the address to which the browser was sent.
    package func approve(
        _ address: String, _ change: (inout FakeIdentity) -> Void = { _ in }
    ) throws -> (code: String, state: String) {
        let query = address.split(separator: "?").last.map(String.init) ?? ""
        let pairs = PercentEncoding.parseForm(query, pairsMax: 16) ?? []
        func value(_ name: String) throws -> String {
            guard let pair = pairs.first(where: { $0.0 == name }) else { throw NotAnAddress() }
            return pair.1
        }
        let provider = address.hasPrefix("https://apple.") ? "apple" : "google"
        let token = "token of \(try value("state"))"
        var identity = FakeIdentity { $0.provider = provider }
        change(&identity)
        identity.nonce = try value("nonce")
        add(token, identity)
        let grant = Grant(
            provider: provider, returnAddress: try value("redirect_uri"),
            challenge: try value("code_challenge"), token: token)
        return state.withLock { state in
            let code = "code\(state.grants.count)"
            state.grants[code] = grant
            return (code, String(token.dropFirst("token of ".count)))
        }
    }

    fileprivate var redirects: ProviderRedirects {
        ProviderRedirects(
            providers: ["apple", "google"],
            address: { begun, returnAddress, challenge throws(AuthError) in
                let query = PercentEncoding.form([
                    ("state", begun.state), ("nonce", begun.nonce),
                    ("redirect_uri", returnAddress), ("code_challenge", challenge),
                    ("code_challenge_method", "S256"),
                ])
                return "https://\(begun.provider).example.com/authorize?\(query)"
            },
            redeem: { code, begun, returnAddress, _ throws(AuthError) in
                let (grant, refusal) = self.state.withLock { state in
                    (state.grants[code], state.refusal)
                }
                if let refusal { throw refusal }
                let challenge = Base64URL.encode(SHA256.hash(Array(begun.verifier.utf8)))
                guard let grant, grant.provider == begun.provider,
                    grant.returnAddress == returnAddress, grant.challenge == challenge,
                    self.state.withLock({ $0.grants.removeValue(forKey: code) }) != nil
                else { throw .signIn(.identityRejected(.invalidIDToken)) }
                return RedeemedCode(idToken: grant.token, exchange: .notConfigured)
            })
    }
}
