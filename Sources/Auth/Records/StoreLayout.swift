internal import Bytes
internal import Cryptography
package import AuthDomain
package import KeyValueStore

/// All keys of the single table.
///
/// External values (subjects, nonces, addresses) are hashed: keys then have a fixed size and
/// alphabet, and contain no personal data.
package enum StoreLayout {
    /// `USER#<id>`: the profile and the sessions of one user, read together.
    package static func profile(_ user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", "PROFILE")
    }

    package static func session(_ session: SessionID, of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", sessionPrefix + session.text)
    }

    package static let sessionPrefix = "SESSION#"

    /// A provider's own refresh token, encrypted: to be revoked when the account is deleted.
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

    /// The account of an integer ID, in contracts that use those.
    package static func publicID(_ id: Int64) -> ItemKey { ItemKey("PUBLICID#\(id)", "OWNER") }

    /// The counter of integer IDs.
    package static let publicIDCounter = ItemKey("PUBLICIDS", "COUNTER")

    /// The session of a refresh token that does not contain it.
    package static func refreshToken(hash: [UInt8]) -> ItemKey {
        ItemKey("REFRESH#\(Base64URL.encode(hash))", "TOKEN")
    }

    /// A nonce that we issued. Each kind of one-time value has a separate namespace: a shared one
    /// allowed replaying a consumed link (Keycloak issue 47715).
    package static func challenge(nonce: String) -> ItemKey {
        ItemKey("CHALLENGE#\(digest([nonce]))", "NONCE")
    }

    /// A used identity token.
    package static func usedIdentityToken(fingerprint: [UInt8]) -> ItemKey {
        ItemKey("SPENT#\(Base64URL.encode(fingerprint))", "IDTOKEN")
    }

    package static func rate(_ limit: String, _ identifier: String, window: Int64) -> ItemKey {
        ItemKey("RATE#\(limit)#\(digest([identifier]))", "\(window)")
    }

    package static func audit(of user: UserID, at instant: String, tie: String) -> ItemKey {
        ItemKey("AUDIT#\(user.text)", "\(instant)#\(tie)")
    }

    package static func signingKeys(_ algorithm: String) -> String { "SIGNINGKEYS#\(algorithm)" }

    /// Length-prefixed, so that ("a", "bc") and ("ab", "c") differ.
    private static func digest(_ parts: [String]) -> String {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Array("\(part.utf8.count):".utf8) + Array(part.utf8)
        }
        return Base64URL.encode(SHA256.hash(bytes))
    }
}
