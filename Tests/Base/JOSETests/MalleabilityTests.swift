import BaseTestSupport
import JOSE

@Suite("Malleable signatures")
struct MalleabilityTests {
    /// `n - s` for the curve's order n.
    private func negated(_ s: [UInt8]) throws -> [UInt8] {
        let order = try #require(
            Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        var result = order
        var borrow = 0
        for index in order.indices.reversed() {
            let difference = Int(order[index]) - Int(s[index]) - borrow
            result[index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        return result
    }

    // The second signature is valid too, so tokens must not be identified by their text.
    @Test func `a malleated ES256 token has the fingerprint of the original`() throws {
        let token = try Forge.token(Forge.claims())
        let parts = token.split(separator: ".")
        let signature = try #require(Base64URL.decode(parts[2]))
        let twinSignature = Array(signature[..<32]) + (try negated(Array(signature[32...])))
        let twin = "\(parts[0]).\(parts[1]).\(Base64URL.encode(twinSignature))"
        #expect(twin != token)
        let keys = try Forge.keys(Forge.p256)
        let original = try JWT.verify(token, keys: keys, expecting: Forge.expectations)
        let other = try JWT.verify(twin, keys: keys, expecting: Forge.expectations)
        expectEqual(original.fingerprint, other.fingerprint)
    }

    @Test func `two ES256 signatures of the same claims have the same fingerprint`() throws {
        let keys = try Forge.keys(Forge.p256)
        let tokens = try (0..<2).map { _ in try Forge.token(Forge.claims()) }
        #expect(tokens[0] != tokens[1])
        let fingerprints = try tokens.map { try JWS.verify($0, keys: keys).fingerprint }
        expectEqual(fingerprints[0], fingerprints[1])
    }

    // RFC 8032 section 5.1.7: s must be less than the group's order; some libraries accepted s + L.
    @Test func `a malleated Ed25519 signature is refused`() throws {
        let token = try Forge.token(Forge.claims(), with: Forge.ed25519)
        let parts = token.split(separator: ".")
        var signature = try #require(Base64URL.decode(parts[2]))
        let order = try #require(
            Hex.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"))
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            signature[32 + index] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        expectEqual(carry, 0)
        let twin = "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
        try expectEqual(Forge.verdict(twin, Forge.ed25519), .badSignature)
    }

    @Test func `different claims have different fingerprints`() throws {
        let keys = try Forge.keys(Forge.ed25519)
        let one = try Forge.token(Forge.claims(["jti": "1"]), with: Forge.ed25519)
        let other = try Forge.token(Forge.claims(["jti": "2"]), with: Forge.ed25519)
        #expect(
            try JWS.verify(one, keys: keys).fingerprint
                != JWS.verify(other, keys: keys).fingerprint)
    }
}
