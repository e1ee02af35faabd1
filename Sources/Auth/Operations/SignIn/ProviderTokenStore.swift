package import AuthDomain
internal import AuthRecords
package import Bytes
package import Cryptography
package import KeyValueStore

/// Stores a provider's own refresh tokens, encrypted: when an account is deleted, its tokens must
/// be revoked at Apple too (TN3194).
package struct ProviderTokenStore: Sendable {
    let rows: RowSealing

    package init(_ master: MasterKey, random: RandomSource) throws(CryptoFailure) {
        rows = try RowSealing("latchkey provider grant", master, { $0.grants }, random: random)
    }

    package func keep(
        _ grant: SecretBytes, provider: String, clientID: String, of user: UserID
    ) throws(AuthError) -> [Write] {
        let key = StoreLayout.grant(provider: provider, clientID: clientID, of: user)
        // The client ID is not secret, and revoking needs it.
        let item = Item(
            key,
            [
                "sealed": .bytes(try rows.seal(grant, in: key)), "provider": .text(provider),
                "clientID": .text(clientID),
            ])
        return [.put(item, when: []), rows.entry(of: key)]
    }

    package func open(_ item: Item) throws(AuthError) -> (clientID: String, token: SecretBytes) {
        guard case .bytes(let sealed)? = item.attributes["sealed"],
            case .text(let clientID)? = item.attributes["clientID"]
        else { throw .fault(.sealedDataUnreadable) }
        return (clientID, try rows.open(sealed, in: item.key))
    }
}
