package import AuthDomain
internal import AuthRecords
internal import Bytes
package import Cryptography
internal import KeyValueStore
internal import Time
package import WebAuthn

/// The relying party and trust settings for verifying passkeys.
package struct PasskeyServices: Sendable {
    package let relyingParty: RelyingParty
    /// The providers of passkeys, by AAGUID.
    package let providers: ProviderNames
    package let documents: WellKnownDocuments
    /// Does the same work as for a wrong signature if a passkey is not known.
    package var spendWork: @Sendable (Assertion, AssertionResponse) -> Void = {
        assertion, response in
        assertion.spendWork(on: response)
    }

    package init(
        _ relyingParty: RelyingParty, providers: ProviderNames, documents: WellKnownDocuments
    ) {
        self.relyingParty = relyingParty
        self.providers = providers
        self.documents = documents
    }
}

/// Seals passkeys, each bound to its row and so to its account: if someone moves a row with its
/// public key to another account in the store, it is refused.
package struct PasskeySealing: Sendable {
    let rows: RowSealing

    package init(_ master: MasterKey, random: RandomSource) throws(CryptoFailure) {
        rows = try RowSealing("latchkey passkey", master, { $0.passkeys }, random: random)
    }
}

/// A passkey and the row that it was read from.
struct StoredPasskey {
    let item: Item
    var passkey: Passkey

    var id: String { PasskeyRecord.id(of: item.key) }
}

extension AuthServices {
    var passkeyPolicy: PasskeyPolicy {
        get throws(AuthError) {
            guard let policy = policy.passkeys else { throw .fault(.serviceNotConfigured) }
            return policy
        }
    }

    /// nil if no master key of the deployment has sealed the row for this account.
    func passkey(_ item: Item) throws(AuthError) -> StoredPasskey? {
        let sealed = try decoded(PasskeyRecord.sealed(item))
        do throws(AuthError) {
            let secret = try passkeySealing.rows.open(sealed, in: item.key)
            guard let credential = PasskeyCredential(decoding: secret) else { return nil }
            return StoredPasskey(
                item: item, passkey: try decoded(PasskeyRecord.passkey(item, credential)))
        } catch .fault(.sealedDataUnreadable) {
            return nil
        }
    }

    /// The passkeys of an account; rows that are not sealed for it are left out.
    func passkeys(_ page: Page?) throws(AuthError) -> [StoredPasskey] {
        var passkeys: [StoredPasskey] = []
        for item in page?.items ?? [] where StoreLayout.isPasskey(item.key) {
            if let passkey = try passkey(item) { passkeys.append(passkey) }
        }
        return passkeys
    }

    /// Whether an account has the passkey.
    package func hasAccount(with id: CredentialID) throws(AuthError) -> Bool {
        let identity = LinkedIdentity.passkey(id, at: try passkeys.relyingParty.id)
        return try store.get(
            StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)) != nil
    }

    /// The writes of a new passkey: its row, and the row that assigns its credential ID to the
    /// account.
    func writes(
        of passkey: Passkey, _ identity: LinkedIdentity, for user: UserID
    ) throws(AuthError) -> [Write] {
        let rows = try passkeySealing.rows
        let key = StoreLayout.passkey(identity.subject, of: user)
        let sealed = try rows.seal(passkey.credential.encoded, in: key)
        let owner = Item(
            StoreLayout.identity(issuer: identity.issuer, subject: identity.subject),
            ["user": .text(user.text)])
        return [
            .put(owner, when: [.absent]),
            .put(
                PasskeyRecord.item(passkey, id: identity.subject, of: user, sealed: sealed),
                when: [.absent]),
            rows.entry(of: key),
        ]
    }

    /// The row of a passkey that has changed. The update also re-encrypts it with the current
    /// master key.
    func replacing(
        _ stored: StoredPasskey, of user: UserID, with passkey: Passkey
    ) throws(AuthError) -> Write {
        let sealed = try decoded(PasskeyRecord.sealed(stored.item))
        let renewed = try passkeySealing.rows.renewed(sealed, in: stored.item.key)
        return try decoded(
            PasskeyRecord.replacing(
                stored.item, of: user, with: passkey, sealed: renewed ?? sealed))
    }
}
