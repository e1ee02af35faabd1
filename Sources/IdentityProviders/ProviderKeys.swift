internal import JOSE
internal import JSON

/// Reads a provider's JWKS and judges whether it is of any use.
enum ProviderKeys {
    /// Apple's and Google's sets are 2 to 3 KiB. DynamoDB holds 400 KiB in an item.
    static let jwksBytesMax = 256 << 10
    private static let keysMax = 100

    static func parse(
        _ text: [UInt8], algorithms: [Algorithm]
    ) throws(KeysUnavailable) -> KeySet {
        guard text.count <= jwksBytesMax else { throw .tooLarge }
        let keys: KeySet
        do {
            let json = try JSON.parse(text, limits: .keySet)
            guard (json["keys"]?.arrayValue?.count ?? 0) <= keysMax else {
                throw KeysUnavailable.tooLarge
            }
            keys = try KeySet(jwks: json)
        } catch let failure as KeysUnavailable {
            throw failure
        } catch {
            throw .malformed
        }
        guard keys.keys.contains(where: { $0.kid != nil && algorithms.contains($0.algorithm) })
        else { throw .noUsableKey }
        return keys
    }
}
