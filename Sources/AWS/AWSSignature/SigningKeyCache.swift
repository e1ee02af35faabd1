package import Bytes
internal import Synchronization

/// Caches the last derived key, which is valid for all requests of a day to one service.
package final class SigningKeyCache: Sendable {
    private struct Entry {
        let scope: SigningScope
        let secret: SecretBytes
        let key: SecretBytes
    }

    private let kept = Mutex<Entry?>(nil)

    package init() {}

    package func key(of scope: SigningScope, from secret: SecretBytes) -> SecretBytes {
        kept.withLock { kept in
            if let kept, kept.scope == scope, kept.secret == secret { return kept.key }
            let key = scope.key(from: secret)
            kept = Entry(scope: scope, secret: secret, key: key)
            return key
        }
    }
}
