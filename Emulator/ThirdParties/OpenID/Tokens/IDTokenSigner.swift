internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import Time

/// Signs ID tokens, with the requested faults.
struct IDTokenSigner: Sendable {
    let keys: IssuerKeyStore
    let unpublishedKeys: UnpublishedKeys
    let faults: [TokenFault]
    let now: Instant

    func token(_ claims: JSONObject) throws(OAuthError) -> String {
        let alterations = faults.map(\.alteration)
        var claims = claims
        for case .claims(let alter) in alterations { alter(&claims, now) }
        let key = try keys.current()
        var seal = UnsignedToken(
            header: ["alg": .string(key.algorithm.rawValue), "kid": .string(key.kid)],
            payload: claims.serialized, key: key)
        for case .seal(let alter) in alterations { try alter(&seal, self) }
        var token = try seal.signed()
        for case .text(let alter) in alterations { alter(&token, claims) }
        return token
    }
}

/// The header and claims before signing.
struct UnsignedToken {
    var header: JSONObject
    var payload: [UInt8]
    var key: SigningKey
    /// The secret for HS256, used instead of the key.
    var secret: SecretBytes?
    var isUnsigned = false

    func signed() throws(OAuthError) -> String {
        let input = "\(Base64URL.encode(header.serialized)).\(Base64URL.encode(payload))"
        if isUnsigned { return input + "." }
        let signature: [UInt8]?
        if let secret {
            signature = HMAC.sha256(Array(input.utf8), key: secret)
        } else {
            signature = try? key.sign(Array(input.utf8))
        }
        guard let signature else { throw .own(500, "Cannot sign the token.") }
        return "\(input).\(Base64URL.encode(signature))"
    }
}
