package import AuthDomain
internal import Bytes
package import Cryptography
package import KeyValueStore
package import Time

/// The secret of a link that is mailed to the owner of an account: 16 bytes of the user's ID and 32
/// random bytes, of which the store has the hash.
package struct AccountLink: Sendable {
    /// A link for one purpose is refused for any other.
    package enum Purpose: String, Equatable, Sendable {
        case resetPassword = "RESET"
        /// The ticket of a sign-in that waits for its second factor. It is not mailed.
        case secondFactor = "SECONDFACTOR"
        /// The ticket of a merge. It is not mailed, and its row is with the account that ends.
        case merge = "MERGE"
        /// The code with which an app gets the session of a sign-in on the pages. It is not mailed.
        case signInCode = "SIGNINCODE"
        /// The code that a third-party client exchanges for tokens. It is not mailed.
        case authorizationCode = "OAUTHCODE"
        case addPassword = "PASSWORD"
        /// Confirms the account's address, or the new one that replaces it.
        case confirmEmail = "CONFIRMEMAIL"
        /// Restores an address that was replaced.
        case undoEmail = "UNDOEMAIL"
        /// Removes a way to sign in that was added, or a second factor that was changed.
        case undoChange = "UNDOCHANGE"
    }

    package let user: UserID
    package let secretHash: [UInt8]

    private static let idBytes = 16
    private static let secretBytes = 32

    /// - Returns: the text for the mail, and the value by which the store finds it.
    package static func make(for user: UserID, random: RandomSource) -> (String, AccountLink) {
        let secret = random.bytes(secretBytes)
        return (
            Base64URL.encode(user.uuid.bytes + secret),
            AccountLink(user: user, secretHash: SHA256.hash(secret))
        )
    }

    package init?(parsing text: String) {
        guard let bytes = Base64URL.decode(text),
            bytes.count == Self.idBytes + Self.secretBytes
        else { return nil }
        let uuid = UUIDText(bytes: Array(bytes[..<Self.idBytes]))
        // Reject non-canonical UUID bits.
        guard uuid.bytes.elementsEqual(bytes[..<Self.idBytes]) else { return nil }
        self.init(user: UserID(uuid), secretHash: SHA256.hash(Array(bytes[Self.idBytes...])))
    }

    /// - Parameter place: `place` of the link.
    package init?(of user: UserID, at place: [UInt8]) {
        guard place.count == Self.secretBytes else { return nil }
        self.init(user: user, secretHash: place)
    }

    /// The position of the row among the rows of the account.
    package var place: [UInt8] { secretHash }

    private init(user: UserID, secretHash: [UInt8]) {
        self.user = user
        self.secretHash = secretHash
    }

    package func key(_ purpose: Purpose) -> ItemKey {
        StoreLayout.link(purpose, secretHash: secretHash, of: user)
    }

    /// - Parameters:
    ///   - epoch: the account's epoch. Links become invalid when all sessions end.
    ///   - email: the address that the link is mailed to, if the link is valid only while this is
    ///     the account's login address.
    package func item(
        _ purpose: Purpose, epoch: Int64, to email: EmailAddress? = nil, expiresAt: Instant
    ) -> Item {
        var attributes: Attributes = ["epoch": .integer(epoch)]
        attributes.set("email", email?.folded)
        return Item(key(purpose), attributes, expiresAt: expiresAt)
    }

    /// Whether the address that a link was mailed to is still the login of its account.
    package static func isFor(_ user: User, _ item: Item) throws(StoreFailure) -> Bool {
        guard item.attributes["email"] != nil else { return true }
        return try AttributeReader(item).email("email") == user.loginAddress
    }

    package static func epoch(_ item: Item) throws(StoreFailure) -> Int64 {
        try AttributeReader(item).integer("epoch")
    }
}
