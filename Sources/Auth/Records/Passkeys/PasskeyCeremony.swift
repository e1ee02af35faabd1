package import AuthDomain
internal import Bytes
package import Cryptography
package import KeyValueStore
package import Time
package import WebAuthn

/// A pending WebAuthn ceremony: the purpose of its challenge, and the account that it is for.
package struct PasskeyCeremony: Equatable, Sendable {
    package enum Purpose: String, CaseIterable, Sendable {
        case signUp, signIn, add, secondFactor, stepUp
    }

    package let purpose: Purpose
    package let challenge: Challenge
    /// The account, if it is known when the ceremony begins. For `signUp` it is the account that
    /// will be created.
    package var user: UserID?
    package var userHandle: [UInt8]?
    /// The account's epoch. When the account's sessions end, its ceremonies end too.
    package var epoch: Int64 = 0
    /// The address of the new account.
    package var email: EmailAddress?
    package var displayName: String?
    /// Whether the client may create the credential without asking the user (WebAuthn section
    /// 5.1.3, conditional mediation).
    package var isConditional = false

    package init(_ purpose: Purpose, random: RandomSource) {
        self.purpose = purpose
        challenge = .generate(random: random)
    }

    package func item(_ secret: CeremonySecret, expiresAt: Instant) -> Item {
        var attributes: Attributes = [
            "purpose": .text(purpose.rawValue), "challenge": .bytes(challenge.bytes),
            "epoch": .integer(epoch), "isConditional": .flag(isConditional),
        ]
        attributes.set("user", user?.text)
        if let userHandle { attributes["userHandle"] = .bytes(userHandle) }
        attributes.set("email", email?.text)
        attributes.set("displayName", displayName)
        return Item(secret.key, attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let purpose = Purpose(rawValue: try read.text("purpose")) else {
            throw read.unreadable("purpose")
        }
        guard let challenge = Challenge(try read.bytes("challenge")) else {
            throw read.unreadable("challenge")
        }
        self.purpose = purpose
        self.challenge = challenge
        user = try read.optionalText("user").flatMap(UserID.init(parsing:))
        userHandle = try read.optionalBytes("userHandle")
        epoch = try read.integer("epoch")
        email = item.attributes["email"] == nil ? nil : try read.email("email")
        displayName = try read.optionalText("displayName")
        isConditional = try read.flag("isConditional")
    }
}

/// Identifies a ceremony to the client that began it: 32 random bytes; the store has their hash.
/// Only this client can answer the challenge. A page that learns of the challenge cannot answer it
/// in its own session.
package struct CeremonySecret: Sendable {
    private static let byteCount = 32

    package let hash: [UInt8]

    /// - Returns: the text for the client, and the values for the store.
    package static func make(random: RandomSource) -> (String, CeremonySecret) {
        let secret = random.bytes(byteCount)
        return (Base64URL.encode(secret), CeremonySecret(hash: SHA256.hash(secret)))
    }

    package init?(parsing text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else { return nil }
        hash = SHA256.hash(bytes)
    }

    private init(hash: [UInt8]) { self.hash = hash }

    package var key: ItemKey { StoreLayout.ceremony(secretHash: hash) }
}
