package import AuthDomain
internal import Bytes
internal import Cryptography
package import KeyValueStore
package import Time

/// A client's request that waits for a person to sign in, or to decide. Its parameters were checked
/// before. From then on, they are read from this row and never again from the browser.
package struct WaitingAuthorization: Equatable, Sendable {
    package let client: String
    package let redirectURI: String
    package let state: String?
    /// The hash of the client's verifier.
    package let challenge: [UInt8]
    package let scope: [String]
    package let resources: [String]
    package let claims: AskedClaims
    package let nonce: String?
    /// The thumbprint of the key that must be proven with the code.
    package let proofKey: String?
    /// The digest of a self-described client's document when its request was judged
    /// (`Client.description`).
    package let description: [UInt8]?
    /// Whether the person must be asked, whatever they have decided before.
    package var asks: Bool
    /// The person must choose their account, or must have signed in after this time.
    package var choosesAfter: Instant?
    /// The person must prove the identity after this time, if the client requires that.
    package var provenAfter: Instant?
    /// The person is asked once for a proof of this strength, if they can give it.
    package var strength: ProofStrength?
    /// The only user who may answer the request, if the client expects one.
    package let user: UserID?
    /// The user for whom the application has agreed to the request (hook `authorize`).
    package var agreedFor: UserID?
    /// The hash of the secret of the browser from which the request came.
    package let browserHash: [UInt8]
    /// The hash of the pushed request's name. Such a request is answered only once.
    package let pushed: String?

    package init(
        client: String, redirectURI: String, state: String?, challenge: [UInt8], scope: [String],
        resources: [String], claims: AskedClaims = .none, nonce: String?, proofKey: String?,
        description: [UInt8]?, asks: Bool, choosesAfter: Instant? = nil, provenAfter: Instant?,
        strength: ProofStrength? = nil, user: UserID?, agreedFor: UserID? = nil,
        browserHash: [UInt8], pushed: String? = nil
    ) {
        self.client = client
        self.redirectURI = redirectURI
        self.state = state
        self.challenge = challenge
        self.scope = scope
        self.resources = resources
        self.claims = claims
        self.nonce = nonce
        self.proofKey = proofKey
        self.description = description
        self.asks = asks
        self.choosesAfter = choosesAfter
        self.provenAfter = provenAfter
        self.strength = strength
        self.user = user
        self.agreedFor = agreedFor
        self.browserHash = browserHash
        self.pushed = pushed
    }

    /// The scopes that the person is asked about: the scopes of the request, and the scopes that
    /// contain the requested claims.
    package var disclosed: [String] {
        scope + claims.scope.filter { !scope.contains($0) }
    }

    private static let answeredName = "answered"

    /// The conditions for answering or changing the request.
    package static let isUnanswered = [Condition.present, .lacks(answeredName)]

    /// The row after the answer. It is kept, so that a late copy of the request that created it
    /// cannot create it again: a single write has no token (`KeyValueStore.write`).
    package static func answered(_ item: Item) -> Item {
        var item = item
        item.attributes[answeredName] = .flag(true)
        return item
    }

    package static func isAnswered(_ item: Item) -> Bool { item.attributes[answeredName] != nil }

    package static func hash(_ secret: [UInt8]) -> [UInt8] { SHA256.hash(secret) }

    package func item(_ key: ItemKey, expiresAt: Instant?) -> Item {
        var attributes: Attributes = [
            "client": .text(client), "redirectURI": .text(redirectURI),
            "challenge": .bytes(challenge), "scope": .text(Words.text(scope)),
            "resources": .text(Words.text(resources)), "asks": .flag(asks),
            "browser": .bytes(browserHash),
        ]
        ClaimsAttributes.set(claims, in: &attributes)
        attributes.set("state", state)
        attributes.set("nonce", nonce)
        attributes.set("proofKey", proofKey)
        if let description { attributes["description"] = .bytes(description) }
        attributes.set("user", user?.text)
        attributes.set("agreedFor", agreedFor?.text)
        attributes.set("pushed", pushed)
        if let choosesAfter { attributes.set("choosesAfter", choosesAfter) }
        if let provenAfter { attributes.set("provenAfter", provenAfter) }
        if let strength { attributes["strength"] = .integer(Int64(strength.rawValue)) }
        return Item(key, attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            client: try read.text("client"), redirectURI: try read.text("redirectURI"),
            state: try read.optionalText("state"), challenge: try read.bytes("challenge"),
            scope: Words.list(try read.text("scope")),
            resources: Words.list(try read.text("resources")),
            claims: try ClaimsAttributes.claims(read),
            nonce: try read.optionalText("nonce"),
            proofKey: try read.optionalText("proofKey"),
            description: try read.optionalBytes("description"), asks: try read.flag("asks"),
            choosesAfter: try read.optionalInteger("choosesAfter")
                .map(Instant.init(milliseconds:)),
            provenAfter: try read.optionalInteger("provenAfter").map(Instant.init(milliseconds:)),
            strength: try read.optionalInteger("strength")
                .flatMap { ProofStrength(rawValue: Int($0)) },
            user: try read.optionalText("user").flatMap(UserID.init(parsing:)),
            agreedFor: try read.optionalText("agreedFor").flatMap(UserID.init(parsing:)),
            browserHash: try read.bytes("browser"), pushed: try read.optionalText("pushed"))
    }
}
