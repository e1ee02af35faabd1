internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import Time

/// Verifies Apple's client secret: a JWT that the developer signs with a key of their team.
///
/// Without a registered public key the signature is not checked.
struct AppleClientSecretCheck {
    let client: ClientDefinition
    /// Apple's issuer, and the URL under which it is emulated.
    let audiences: [String]
    let now: Instant

    static let audience = "https://appleid.apple.com"
    /// Apple's limit: six months.
    static let lifetimeMax = Span.seconds(15_777_000)
    private static let skewMax = Span.minutes(5)
    private static let bytesMax = 8 << 10
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 4, membersMax: 32)

    /// The reason for refusal; nil if it is valid.
    func problem(_ secret: String) -> String? {
        let parts = secret.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { return "The client secret is not a JWT." }
        guard header["alg"]?.stringValue?.isSame(as: "ES256") ?? false else {
            return "The client secret is not signed with ES256."
        }
        guard let kid = header["kid"]?.stringValue, !kid.isEmpty else {
            return "The client secret has no kid in its header: kid is missing."
        }
        if let problem = partyProblem(claims) ?? timeProblem(claims) { return problem }
        guard !client.keys.isEmpty else {
            return signature.count == P256PublicKey.signatureByteCount
                ? nil : "The signature of the client secret is not 64 bytes."
        }
        guard let key = client.keys.first(where: { $0.kid?.isSame(as: kid) ?? false }) else {
            return "The client secret is signed with a key that is not registered: \(kid)."
        }
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        return key.isValid(signature, for: input)
            ? nil : "The signature of the client secret is wrong."
    }

    private func partyProblem(_ claims: JSONObject) -> String? {
        guard let team = claims["iss"]?.stringValue, !team.isEmpty else {
            return "The client secret has no issuer: iss is missing."
        }
        if let teamID = client.teamID, !teamID.isSame(as: team) {
            return "The client secret has the wrong issuer: iss is not the team id."
        }
        guard claims["sub"]?.stringValue?.isSame(as: client.id) ?? false else {
            return "The client secret has the wrong subject: sub is not the client_id."
        }
        let audience = claims["aud"]?.stringValue
        guard audiences.contains(where: { audience?.isSame(as: $0) ?? false }) else {
            return "The client secret has the wrong audience: aud is wrong."
        }
        return nil
    }

    private func timeProblem(_ claims: JSONObject) -> String? {
        guard let issued = claims["iat"]?.int64Value, let expires = claims["exp"]?.int64Value else {
            return "The client secret has no iat or no exp."
        }
        let (issuedAt, expiresAt) = (Instant(seconds: issued), Instant(seconds: expires))
        guard issuedAt <= now + Self.skewMax else {
            return "The client secret was issued in the future: iat is wrong."
        }
        guard now < expiresAt else { return "The client secret has expired." }
        guard expiresAt - issuedAt <= Self.lifetimeMax else {
            return "The client secret is valid for too long: exp is over 15777000 s after iat."
        }
        return nil
    }

    private static func object(_ part: Substring) -> JSONObject? {
        Base64URL.decode(part).flatMap { try? JSON.parse($0, limits: limits) }?.objectValue
    }
}
