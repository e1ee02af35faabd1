package import AuthDomain
internal import Bytes
internal import Cryptography
package import KeyValueStore
package import Time

/// A code that a client exchanges for tokens, found by its hash under the user. It is kept after
/// its use, so that a second use is noticed, and ends the grant of the first use (OAuth 2.1 section
/// 4.1.3).
package struct AuthorizationCode: Equatable, Sendable {
    package let client: String
    package let redirectURI: String
    /// The hash of the client's verifier (RFC 7636 section 4.2).
    package let challenge: [UInt8]
    package let nonce: String?
    /// The thumbprint of the key that must be proven with the code.
    package let proofKey: String?
    /// The digest of a self-described client's document when the user decided
    /// (`Client.description`).
    package let description: [UInt8]?
    package let scope: [String]
    package let resources: [String]
    package let claims: AskedClaims
    package let epoch: Int64
    /// The client's epoch (`ClientGrant.clientEpoch`).
    package let clientEpoch: Int64
    /// The session of the browser in which the user decided.
    package let browser: SessionID
    package let endsAt: Instant
    /// The grant for which the code was exchanged; nil before the exchange.
    package let grant: SessionID?

    package init(
        client: String, redirectURI: String, challenge: [UInt8], nonce: String?, scope: [String],
        resources: [String], claims: AskedClaims = .none, proofKey: String?, description: [UInt8]?,
        epoch: Int64, clientEpoch: Int64, browser: SessionID, endsAt: Instant,
        grant: SessionID? = nil
    ) {
        self.client = client
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.nonce = nonce
        self.proofKey = proofKey
        self.description = description
        self.scope = scope
        self.resources = resources
        self.claims = claims
        self.epoch = epoch
        self.clientEpoch = clientEpoch
        self.browser = browser
        self.endsAt = endsAt
        self.grant = grant
    }

    package static func key(_ link: AccountLink) -> ItemKey { link.key(.authorizationCode) }

    /// The condition for exchanging the code.
    package static let isUnused = [Condition.present, .lacks(grantName)]
    private static let grantName = "grant"

    package func item(_ link: AccountLink, expiresAt: Instant) -> Item {
        var item = link.item(.authorizationCode, epoch: epoch, expiresAt: expiresAt)
        item.attributes["client"] = .text(client)
        item.attributes["redirectURI"] = .text(redirectURI)
        item.attributes["challenge"] = .bytes(challenge)
        item.attributes.set("nonce", nonce)
        item.attributes.set("proofKey", proofKey)
        if let description { item.attributes["description"] = .bytes(description) }
        item.attributes["scope"] = .text(Words.text(scope))
        item.attributes["resources"] = .text(Words.text(resources))
        ClaimsAttributes.set(claims, in: &item.attributes)
        item.attributes["browser"] = .text(browser.text)
        item.attributes.set("endsAt", endsAt)
        ClientEpoch.set(clientEpoch, in: &item.attributes)
        return item
    }

    /// The row after the exchange.
    package static func used(_ item: Item, for grant: SessionID) -> Item {
        var item = item
        item.attributes[grantName] = .text(grant.text)
        return item
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let browser = SessionID(parsing: try read.text("browser")) else {
            throw read.unreadable("browser")
        }
        self.init(
            client: try read.text("client"), redirectURI: try read.text("redirectURI"),
            challenge: try read.bytes("challenge"), nonce: try read.optionalText("nonce"),
            scope: Words.list(try read.text("scope")),
            resources: Words.list(try read.text("resources")),
            claims: try ClaimsAttributes.claims(read),
            proofKey: try read.optionalText("proofKey"),
            description: try read.optionalBytes("description"),
            epoch: try AccountLink.epoch(item), clientEpoch: try ClientEpoch.read(read),
            browser: browser, endsAt: try read.instant("endsAt"),
            grant: try read.optionalText(Self.grantName).flatMap(SessionID.init(parsing:)))
    }

    /// Whether the client has sent the hash of this verifier before.
    package func isProven(by verifier: String) -> Bool {
        constantTimeEquals(SHA256.hash(Array(verifier.utf8)), challenge)
    }
}
