internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import Cryptography
internal import FunctionRuntime
internal import JOSE
internal import KeyValueStore
internal import Time

/// The configured secrets of a deployment: the master key, the key of the audit log, and the keys
/// that sign access tokens.
struct KeyMaterial: Sendable {
    let master: MasterKeySettings.Source?
    let previous: [MasterKey]
    let audit: SecretBytes?
    /// nil: the functions generate, store and rotate their own keys.
    let configuredSigningKeys: SigningKeys?
    let rotationAge: Span

    /// Values derived from the master key; nil without one.
    struct Derived {
        var secrets: AuthServices.Secrets?
        var audit: AuditKeys?
        var signingKeys: AESGCMKey?
        var mail: AESGCMKey?
    }

    /// Without a master key a function can verify access tokens with the public keys in the store.
    /// An embedded store always has a key file beside it, which is created before the database.
    static func read(
        _ reader: inout SettingsReader, for endpoints: [Endpoint], _ needs: ServiceNeeds,
        _ store: StoreSettings, _ algorithm: Algorithm, _ signingKeys: SigningKeys?,
        signsForStorage: Bool, sealsMail: Bool
    ) -> KeyMaterial {
        var needsMasterKey =
            needs.needMasterKey || sealsMail || signsForStorage
            || store.sharedName == nil
            || (algorithm == .hs256 && signingKeys == nil)
        // Functions that need no other secret use a separate key for the audit log.
        let audits = endpoints.contains { $0.operation.isAudited }
        let audit = audits || needs.contains(.auditKeys) ? AuditSettings.read(&reader) : nil
        if audits, audit == nil, reader.text("AUDIT_KEY") == nil, !needsMasterKey {
            if reader.text("MASTER_KEY") == nil {
                reader.refuse("AUDIT_KEY is required, or MASTER_KEY")
            } else {
                needsMasterKey = true
            }
        }
        return KeyMaterial(
            master: needsMasterKey ? MasterKeySettings.read(&reader, store: store) : nil,
            previous: needsMasterKey ? MasterKeySettings.previous(&reader) : [], audit: audit,
            configuredSigningKeys: signingKeys, rotationAge: KeySettings.rotation(&reader))
    }

    /// Creates the file of the master key if necessary.
    func derived(for policy: Policy, random: RandomSource) throws(StartFailure) -> Derived {
        guard let source = master else {
            return Derived(audit: AuditSettings.keys(nil, audit))
        }
        var master = try MasterKeySettings.resolve(source, random: random)
        master.previous = previous
        guard let signingKeys = try? master.sealing({ $0.signingKeys }),
            let mail = try? master.sealing({ $0.mail }),
            let secrets = try? AuthServices.Secrets(
                master, policy.sessions.refreshTokens,
                signingKey: policy.accessTokens.algorithm == .hs256
                    ? configuredSigningKeys?.configuredKey : nil, random: random)
        else { throw StartFailure(problems: ["MASTER_KEY cannot be used"]) }
        return Derived(
            secrets: secrets, audit: AuditSettings.keys(master, audit), signingKeys: signingKeys,
            mail: mail)
    }

    func signingKeys(
        _ store: any KeyValueStore, _ policy: Policy, sealing: AESGCMKey?, random: RandomSource
    ) -> SigningKeys {
        configuredSigningKeys
            ?? storedKeys(
                store, Algorithm(policy.accessTokens.algorithm), sealing: sealing, random: random)
    }

    /// Keys that the functions generate, store and rotate.
    func storedKeys(
        _ store: any KeyValueStore, _ algorithm: Algorithm, sealing: AESGCMKey?,
        random: RandomSource
    ) -> SigningKeys {
        SigningKeys(
            stored: StoredSigningKeys(
                store: store, random: random, algorithm: algorithm, sealing: sealing,
                rotationAge: rotationAge))
    }
}
