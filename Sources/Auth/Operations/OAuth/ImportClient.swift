internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
package import JSON
internal import KeyValueStore
internal import Time

/// A client of another provider, imported with its ID.
package struct ImportedClient: Sendable {
    package let id: String
    /// The client's description, with the members of RFC 7591.
    package let members: JSONObject
    /// nil if the client has no secret, or the file lacks it. In that case a random secret is
    /// stored.
    package let secret: String?
    package let isDisabled: Bool

    package init(id: String, members: JSONObject, secret: String?, isDisabled: Bool) {
        self.id = id
        self.members = members
        self.secret = secret
        self.isDisabled = isDisabled
    }
}

/// Imports a client of another provider into the store.
package struct ImportClient: Sendable {
    package enum Outcome: Equatable, Sendable {
        case taken
        /// The stored client equals the imported one, even if it was disabled since.
        case unchanged
        /// Another client has the ID, or one of the two descriptions was changed. The stored client
        /// is not changed, because a secret that was replaced here must not come back.
        case differs
        /// A client in the settings has the ID.
        case configured
        case refused(ClientMetadata.Problem)
    }

    let auth: AuthServices

    /// - Parameter isTrial: whether nothing is written.
    package func callAsFunction(
        _ client: ImportedClient, isTrial: Bool, because reason: String?, _ caller: Caller
    ) throws(AuthError) -> Outcome {
        let oauth = try auth.oauth
        guard oauth.client(client.id) == nil else { return .configured }
        let hasSecret: Bool
        do throws(ClientMetadata.Problem) {
            guard oauth.mayStore(client.id) else { throw .noID }
            guard client.members.serialized.count <= ClientMetadata.bytesMax else {
                throw .tooLarge
            }
            let metadata = ClientMetadata(client.members)
            hasSecret = try metadata.needsSecret()
            try auth.check(metadata, as: client.id, hasSecret: hasSecret, oauth)
        } catch {
            return .refused(error)
        }
        let hash = hasSecret ? client.secret.map { SHA256.hash(Array($0.utf8)) } : nil
        let chain = AuditChain.administration
        for _ in auth.attempts {
            if let (known, _) = try auth.storedClient(client.id) {
                let isSame =
                    known.addedBy != nil && known.metadata == client.members.serialized
                    && (hash == nil || known.secretHash == hash)
                return isSame ? .unchanged : .differs
            }
            if isTrial { return .taken }
            let now = auth.clock.now()
            // Sets a new epoch, so that grants of a deleted client with the same ID are not valid
            // for this one.
            var record = ClientRecord(
                id: client.id, metadata: client.members.serialized,
                secretHash: hasSecret ? hash ?? ClientSecret(auth.random).hash : nil,
                registeredAt: now, addedBy: Administrator.operators.name, epoch: now.milliseconds)
            if client.isDisabled { record = record.disabled(at: now) }
            var audit = auth.audit(chain)
            audit.record(
                .clientRegistered, caller, detail: client.id, by: Administrator.operators.name,
                because: reason, at: now)
            if try auth.commit(record.beginning(expiresAt: nil), &audit) { return .taken }
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var importClient: ImportClient { ImportClient(auth: self) }
}
