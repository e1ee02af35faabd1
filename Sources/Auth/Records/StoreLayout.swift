internal import Bytes
internal import Cryptography
package import AuthDomain
package import KeyValueStore

/// Every key of the single table, in one place.
///
/// Whatever comes from outside (subjects, nonces, addresses) goes into a key as a hash: keys have
/// a fixed size, a fixed alphabet, and tell nothing to whoever can list them.
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

    /// Who is behind (issuer, subject).
    package static func identity(issuer: String, subject: String) -> ItemKey {
        ItemKey("IDENTITY#\(digest([issuer, subject]))", "OWNER")
    }

    /// Which family and generation a refresh token belongs to.
    package static func refreshToken(hash: [UInt8]) -> ItemKey {
        ItemKey("REFRESH#\(Base64URL.encode(hash))", "TOKEN")
    }

    /// A nonce that we issued. Its own namespace, as each one-time thing has: a shared one let a
    /// consumed link be replayed (keycloak#47715).
    package static func challenge(nonce: String) -> ItemKey {
        ItemKey("CHALLENGE#\(digest([nonce]))", "NONCE")
    }

    /// An identity token that has been used.
    package static func spentIdentityToken(fingerprint: [UInt8]) -> ItemKey {
        ItemKey("SPENT#\(Base64URL.encode(fingerprint))", "IDTOKEN")
    }

    package static func rate(action: String, subject: String, window: Int64) -> ItemKey {
        ItemKey("RATE#\(action)#\(digest([subject]))", "\(window)")
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
