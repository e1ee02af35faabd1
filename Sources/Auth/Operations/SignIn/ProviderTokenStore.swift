package import AuthDomain
internal import AuthRecords
package import Bytes
package import Cryptography
package import KeyValueStore

/// Stores a provider's own refresh tokens, encrypted: when an account is deleted, its tokens must
/// be revoked at Apple too (TN3194).
package struct ProviderTokenStore: Sendable {
    private let sealing: AESGCMKey
    private let random: RandomSource

    package init(sealing: AESGCMKey, random: RandomSource) {
        self.sealing = sealing
        self.random = random
    }

    package func keep(
        _ grant: SecretBytes, provider: String, clientID: String, of user: UserID
    ) throws(AuthError) -> Write {
        let key = StoreLayout.grant(provider: provider, clientID: clientID, of: user)
        guard
            let sealed = try? sealing.seal(
                grant.reveal(), additional: context(key), random: random)
        else { throw .fault(.signingFailed) }
        // The client ID is not secret, and revoking needs it.
        return .put(
            Item(
                key,
                [
                    "sealed": .bytes(sealed), "provider": .text(provider),
                    "clientID": .text(clientID),
                ]), when: [])
    }

    package func open(_ item: Item) throws(AuthError) -> (clientID: String, token: SecretBytes) {
        guard case .bytes(let sealed)? = item.attributes["sealed"],
            case .text(let clientID)? = item.attributes["clientID"],
            let token = try? sealing.open(sealed, additional: context(item.key))
        else { throw .fault(.sealedDataUnreadable) }
        return (clientID, token)
    }

    /// Binds a grant to its row, and so to its user.
    private func context(_ key: ItemKey) -> [UInt8] {
        Array("latchkey provider grant\0\(key.partition)\0\(key.sort)".utf8)
    }
}
