internal import JOSE
internal import JSON

/// Parses a provider's JWKS and requires a usable key.
enum ProviderKeys {
    /// Apple's and Google's sets are 2 to 3 KiB. DynamoDB holds 400 KiB in an item.
    static let jwksBytesMax = 256 << 10

    static func parse(
        _ text: [UInt8], algorithms: [Algorithm]
    ) throws(KeyFetchFailure) -> KeySet {
        guard text.count <= jwksBytesMax else { throw .responseTooLarge }
        guard let json = try? JSON.parse(text, limits: .keySet) else {
            throw .malformedKeySet
        }
        let keys: KeySet
        do throws(KeyFailure) {
            keys = try KeySet(jwks: json)
        } catch {
            switch error {
            case .tooManyKeys: throw .tooManyKeys
            case .noUsableKey: throw .noUsableKey
            case .duplicateKeyID: throw .duplicateKeyID
            case .malformed, .unsupported, .wrongUse, .unusable, .privateKey, .mixedKinds:
                throw .malformedKeySet
            }
        }
        // Keys without an ID are useless, because tokens without kid are refused.
        guard keys.keys.contains(where: { $0.kid != nil && algorithms.contains($0.algorithm) })
        else { throw .noUsableKey }
        return keys
    }
}
