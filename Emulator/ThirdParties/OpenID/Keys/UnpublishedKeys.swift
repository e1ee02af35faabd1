internal import JOSE
internal import Synchronization

/// Keys that no issuer publishes, for tokens that must be rejected. Generated at first use.
final class UnpublishedKeys: Sendable {
    private let ports: IdentityPorts
    private let keys = Mutex<[SigningKey]>([])

    init(ports: IdentityPorts) { self.ports = ports }

    func key(_ algorithm: Algorithm) throws(OAuthError) -> SigningKey {
        try keys.withLock { keys throws(OAuthError) in
            if let known = keys.first(where: { $0.algorithm == algorithm }) { return known }
            let key = try ports.newKey("unpublished-\(algorithm.rawValue)", algorithm)
            keys.append(key)
            return key
        }
    }
}
