internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
package import JSON
internal import KeyValueStore
internal import Time

/// A client of another provider, under the ID that it has there.
package struct ImportedClient: Sendable {
    package let id: String
    /// Its description, with the members of RFC 7591.
    package let members: JSONObject
    /// nil if the client has none, or if the file lacks it: then a random secret is stored.
    package let secret: String?
    package let isDisabled: Bool

    package init(id: String, members: JSONObject, secret: String?, isDisabled: Bool) {
        self.id = id
        self.members = members
        self.secret = secret
        self.isDisabled = isDisabled
    }
}

/// Adds a client of another provider to those in the store.
package struct ImportClient: Sendable {
    package enum Outcome: Equatable, Sendable {
        case taken
        /// It is here as it would be imported now. Whether it was disabled since does not matter.
        case unchanged
        /// Another client has the ID, or this one was changed here or there. It is left as it is:
        /// a secret that was replaced here must not come back.
        case differs
        /// One of the settings has the ID.
        case configured
        case refused(ClientMetadata.Problem)
    }

    let auth: AuthServices

    /// - Parameter isTrial: nothing is written.
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
            // With an epoch of its own: what users had granted to one that was deleted since is of
            // no use to it.
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
