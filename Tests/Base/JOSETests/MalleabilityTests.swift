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

    // RFC 8032 section 5.1.7: s must be less than the group's order; some libraries accepted s + L.
}
