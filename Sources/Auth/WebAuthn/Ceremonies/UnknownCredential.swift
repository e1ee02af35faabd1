extension Assertion {
    /// Does the work of refusing a wrong signature for an unknown credential, so that the response
    /// time does not reveal which credentials exist (WebAuthn section 14.6.2).
    ///
    /// - Returns: whether the dummy key verifies the signature. This is only for tests. Everyone
    ///   knows the private key, so the result proves nothing.
    @discardableResult
    package func spendWork(on response: AssertionResponse) -> Bool {
        guard let clientDataHash = try? verifyClientData(response),
            let data = try? verifyAuthenticatorData(response),
            let key = try? CredentialPublicKey(parsing: Self.standIn)
        else { return false }
        return key.isValid(response.signature, for: data.bytes + clientDataHash)
    }

    /// A COSE_Key for ES256, which nearly all passkeys have. Its point is the generator of P-256
    /// (SP 800-186 section 3.2.1.3), whose private key is 1.
    private static let standIn: [UInt8] =
        [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + [
            0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4,
            0x40, 0xF2, 0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45,
            0xD8, 0x98, 0xC2, 0x96,
        ] + [0x22, 0x58, 0x20] + [
            0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F,
            0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68,
            0x37, 0xBF, 0x51, 0xF5,
        ]
}
