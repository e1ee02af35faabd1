internal import Bytes
internal import Cryptography
package import AuthDomain
package import KeyValueStore

/// Every key of the single table, in one place.
///
/// Values from outside (subjects, nonces, addresses) go into a key as a hash: keys have a fixed size
/// and a fixed alphabet, and listing them tells nothing.
package enum StoreLayout {
    /// `USER#<id>`: the profile and the sessions of one person, read together.
    package static func profile(_ user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", "PROFILE")
    }

    package static func session(_ session: SessionID, of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", sessionPrefix + session.text)
    }

    package static let sessionPrefix = "SESSION#"

    /// A provider's own refresh token, encrypted: kept to be revoked when the account goes.
    package static func grant(
        provider: String, clientID: String, of user: UserID
    ) -> ItemKey {
        ItemKey("USER#\(user.text)", "GRANT#\(provider)#\(digest([clientID]))")
    }

    /// The account that belongs to (issuer, subject).
    package static func identity(issuer: String, subject: String) -> ItemKey {
        ItemKey("IDENTITY#\(digest([issuer, subject]))", "OWNER")
    }

    /// The account that has claimed an e-mail address, in contracts where it is unique.
    package static func emailClaim(_ address: String) -> ItemKey {
        ItemKey("EMAIL#\(digest([address.lowercased()]))", "OWNER")
    }

    package static func emailClaim(addressDigest: [UInt8]) -> ItemKey {
        ItemKey("EMAIL#\(Base64URL.encode(addressDigest))", "OWNER")
    }

    /// What keys hold of an address.
    package static func addressDigest(_ address: EmailAddress) -> [UInt8] {
        digestBytes([address.folded])
    }

    /// The hash of the account's password.
    package static func password(of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", "PASSWORD")
    }

    /// An account that waits for its address to be proven, and every other one of that address.
    package static func registration(addressDigest: [UInt8], secretHash: [UInt8]) -> ItemKey {
        ItemKey(
            "REGISTRATION#\(Base64URL.encode(addressDigest))", Base64URL.encode(secretHash))
    }

    package static func registrations(_ address: EmailAddress) -> String {
        "REGISTRATION#\(Base64URL.encode(addressDigest(address)))"
    }

    /// A link that was mailed to the owner of an account. Each purpose has a namespace of its own.
    package static func link(
        _ purpose: LinkPurpose, secretHash: [UInt8], of user: UserID
    ) -> ItemKey {
        ItemKey("USER#\(user.text)", "LINK#\(purpose.rawValue)#\(Base64URL.encode(secretHash))")
    }

    /// The account behind an integer id, in contracts that show those.
    package static func publicID(_ id: Int64) -> ItemKey { ItemKey("PUBLICID#\(id)", "OWNER") }

    /// Counts the integer ids that were given out.
    package static let publicIDCounter = ItemKey("PUBLICID#COUNTER", "COUNTER")

    /// Where a refresh token belongs, in contracts whose tokens do not say so themselves.
    package static func refreshToken(hash: [UInt8]) -> ItemKey {
        ItemKey("REFRESH#\(Base64URL.encode(hash))", "TOKEN")
    }

    /// A nonce that we issued. Each kind of one-time value has a namespace of its own: a shared one
    /// let a consumed link be replayed (Keycloak issue 47715).
    package static func challenge(nonce: String) -> ItemKey {
        ItemKey("CHALLENGE#\(digest([nonce]))", "NONCE")
    }

    /// An identity token that has been used.
    package static func usedIdentityToken(fingerprint: [UInt8]) -> ItemKey {
        ItemKey("SPENT#\(Base64URL.encode(fingerprint))", "IDTOKEN")
    }

    /// A row that nobody reads, written so that an answer costs the same with and without an account.
    package static func decoy(_ id: [UInt8]) -> ItemKey {
        ItemKey("DECOY#\(Base64URL.encode(id))", "ROW")
    }

    package static func rate(_ limit: String, _ identifier: String, window: Int64) -> ItemKey {
        ItemKey("RATE#\(limit)#\(digest([identifier]))", "\(window)")
    }

    package static func audit(of user: UserID, at instant: String, tie: String) -> ItemKey {
        ItemKey("AUDIT#\(user.text)", "\(instant)#\(tie)")
    }

    /// A message that waits to be sent. The rows of a shard are in the order in which they are due.
    package static func outbox(shard: Int, due: String, id: String) -> ItemKey {
        ItemKey(outboxPartition(shard), "\(due)#\(id)")
    }

    package static func outboxPartition(_ shard: Int) -> String { "OUTBOX#\(shard)" }

    /// What was tried with an address that has no account.
    package static func audit(
        ofAddress address: EmailAddress, at instant: String, tie: String
    ) -> ItemKey {
        ItemKey("AUDIT#EMAIL#\(digest([address.folded]))", "\(instant)#\(tie)")
    }

    package static func signingKeys(_ algorithm: String) -> String { "SIGNINGKEYS#\(algorithm)" }

    private static func digest(_ parts: [String]) -> String {
        Base64URL.encode(digestBytes(parts))
    }

    /// Length-prefixed, so that ("a", "bc") and ("ab", "c") differ.
    private static func digestBytes(_ parts: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Array("\(part.utf8.count):".utf8) + Array(part.utf8)
        }
        return SHA256.hash(bytes)
    }
}
