/// A change to the members of a COSE_Key.
private typealias Case = EditCase<[Int64: CBOR], PublicKeyFailure>

extension Case {
    fileprivate func check(_ key: SoftwareKey) throws {
        var members = key.members
        try edit(&members)
        let bytes = CBOR.coseKey(members)
        do throws(PublicKeyFailure) {
            let parsed = try CredentialPublicKey(parsing: bytes)
            expectEqual(verdict, nil)
            expectEqual(parsed.bytes, bytes)
            expectEqual(parsed.algorithm, key.algorithm)
        } catch {
            expectEqual(error, verdict)
        }
    }
}

@Suite("Public keys")
struct PublicKeyTests {
    private static let zero = [UInt8](repeating: 0, count: 32)
    private static let full = [UInt8](repeating: 0xFF, count: 32)

    private static let elliptic: [Case] = [
        Case("unchanged", nil) { _ in },
        Case("without kty", .malformed) { $0[1] = nil },
        Case("without alg", .malformed) { $0[3] = nil },
        Case("without crv", .malformed) { $0[-1] = nil },
        Case("without x", .malformed) { $0[-2] = nil },
        Case("without y", .malformed) { $0[-3] = nil },
        Case("alg as text", .malformed) { $0[3] = "ES256" },
        Case("kty as text", .malformed) { $0[1] = "EC2" },
        Case("crv as text", .malformed) { $0[-1] = "P-256" },
        Case("a compressed point", .malformed) { $0[-3] = true },
        Case("x of 31 bytes", .malformed) { $0[-2] = .bytes([UInt8](repeating: 1, count: 31)) },
        Case("x of 33 bytes", .malformed) { $0[-2] = .bytes([UInt8](repeating: 0, count: 33)) },
        Case("a key ID", .malformed) { $0[2] = .bytes([1]) },
        Case("key operations", .cbor(.tooDeep(offset: 6))) { $0[4] = [2] },
        Case("a private key", .malformed) { $0[-4] = .bytes(zero) },
        Case("kty of an octet key pair", .wrongCurve) { $0[1] = 1 },
        Case("kty of RSA", .wrongCurve) { $0[1] = 3 },
        Case("crv P-384", .wrongCurve) { $0[-1] = 2 },
        Case("crv P-521", .wrongCurve) { $0[-1] = 3 },
        Case("crv secp256k1", .wrongCurve) { $0[-1] = 8 },
        Case("crv Ed25519", .wrongCurve) { $0[-1] = 6 },
        Case("alg ES256K", .unsupportedAlgorithm) { $0[3] = -47 },
        Case("alg ESP256", .unsupportedAlgorithm) { $0[3] = -9 },
        Case("alg ESP384", .unsupportedAlgorithm) { $0[3] = -51 },
        Case("alg RS1", .unsupportedAlgorithm) { $0[3] = -65535 },
        Case("alg HS256", .unsupportedAlgorithm) { $0[3] = 5 },
        Case("alg 0", .unsupportedAlgorithm) { $0[3] = 0 },
        Case("alg ML-DSA-44", .unsupportedAlgorithm) { $0[3] = -48 },
        Case("alg ES384 on P-256", .wrongCurve) { $0[3] = -35 },
        Case("alg EdDSA on P-256", .wrongCurve) { $0[3] = -8 },
        Case("alg RS256 with a point", .wrongCurve) { $0[3] = -257 },
        Case("a point off the curve", .unusable) { $0[-3] = $0[-2] },
        Case("the point at zero", .unusable) {
            $0[-2] = .bytes(zero)
            $0[-3] = .bytes(zero)
        },
        Case("coordinates above the field", .unusable) {
            $0[-2] = .bytes(full)
            $0[-3] = .bytes(full)
        },
    ]

    @Test(arguments: elliptic)
    private func `ES256`(test: Case) throws { try test.check(.es256(seed: 5)) }

    private static let octets: [Case] = [
        Case("unchanged", nil) { _ in },
        Case("without x", .malformed) { $0[-2] = nil },
        Case("with y", .malformed) { $0[-3] = .bytes(zero) },
        Case("x of 31 bytes", .malformed) { $0[-2] = .bytes([UInt8](repeating: 1, count: 31)) },
        Case("crv X25519", .wrongCurve) { $0[-1] = 4 },
        Case("crv Ed448", .wrongCurve) {
            $0[-1] = 7
            $0[-2] = .bytes([UInt8](repeating: 1, count: 57))
        },
        Case("crv P-256", .wrongCurve) { $0[-1] = 1 },
        Case("alg Ed25519 of RFC 9864", .unsupportedAlgorithm) { $0[3] = -19 },
        Case("alg Ed448 of RFC 9864", .unsupportedAlgorithm) { $0[3] = -53 },
        Case("kty EC2", .wrongCurve) { $0[1] = 2 },
        Case("a point of small order", .unusable) { $0[-2] = .bytes([1] + zero.dropLast()) },
        Case("no point", .unusable) { $0[-2] = .bytes([2] + zero.dropLast()) },
    ]

    @Test(arguments: octets)
    private func `EdDSA`(test: Case) throws { try test.check(.edDSA(seed: 5)) }

    private static let rsa: [Case] = [
        Case("unchanged", nil) { _ in },
        Case("without n", .malformed) { $0[-1] = nil },
        Case("without e", .malformed) { $0[-2] = nil },
        Case("a private exponent", .malformed) { $0[-3] = .bytes(full) },
        Case("kty EC2", .wrongCurve) { $0[1] = 2 },
        Case("alg RS384", .unsupportedAlgorithm) { $0[3] = -258 },
        Case("alg PS256", .unsupportedAlgorithm) { $0[3] = -37 },
        Case("n of 1024 bits", .unusable) { $0[-1] = .bytes([UInt8](repeating: 0xF1, count: 128)) },
        Case("n with a leading zero", .unusable) {
            $0[-1] = .bytes([0] + ($0[-1]?.bytesValue ?? []))
        },
        Case("n that is even", .unusable) {
            $0[-1] = .bytes(($0[-1]?.bytesValue ?? []).dropLast() + [2])
        },
        Case("e of 3", .unusable) { $0[-2] = .bytes([3]) },
        Case("e of 1", .unusable) { $0[-2] = .bytes([1]) },
        Case("e that is even", .unusable) { $0[-2] = .bytes([1, 0, 0]) },
        Case("e with a leading zero", .unusable) { $0[-2] = .bytes([0, 1, 0, 1]) },
        Case("e empty", .unusable) { $0[-2] = .bytes([]) },
        Case("e as a number", .malformed) { $0[-2] = 65537 },
    ]

    private static let rsaKey = Result { try RSAPrivateKey.generate() }

    @Test(arguments: rsa)
    private func `RS256`(test: Case) throws { try test.check(.rs256(Self.rsaKey.get())) }

    @Test func `the encoding is canonical`() throws {
        let key = try SoftwareKey.edDSA(seed: 5)
        let sorted = key.members.map { (CBOR.integer($0.key), $0.value) }
            .sorted { $0.0.encoded.lexicographicallyPrecedes($1.0.encoded) }
        expectEqual(CBOR.unsortedMap(sorted), key.coseKey)
        #expect(throws: PublicKeyFailure.cbor(.unsortedKeys(offset: 36))) {
            try CredentialPublicKey(parsing: CBOR.unsortedMap(sorted.reversed()))
        }
        #expect(throws: PublicKeyFailure.cbor(.trailingBytes(offset: key.coseKey.count))) {
            try CredentialPublicKey(parsing: key.coseKey + [0])
        }
        // The algorithm -8 as 0x38 0x07 instead of 0x27.
        #expect(throws: PublicKeyFailure.cbor(.notShortest(offset: 4))) {
            try CredentialPublicKey(
                parsing: Array(key.coseKey.prefix(4)) + [0x38, 0x07] + key.coseKey.dropFirst(5))
        }
        for bytes in [[], [0xF6], [0x80], [0x40]] as [[UInt8]] {
            #expect(throws: PublicKeyFailure.self) { try CredentialPublicKey(parsing: bytes) }
        }
    }

    @Test func `a signature must have its canonical form`() throws {
        let message: [UInt8] = [1, 2, 3]
        guard case .es256(let private256) = try SoftwareKey.es256(seed: 9) else { return }
        let key = try CredentialPublicKey(parsing: SoftwareKey.es256(private256).coseKey)
        let raw = try private256.sign(message)
        let der = derSignature(raw)
        #expect(key.isValid(der, for: message))
        #expect(!key.isValid(raw, for: message))
        #expect(!key.isValid(der + [0], for: message))
        #expect(!key.isValid([], for: message))
        #expect(!key.isValid(der, for: [1, 2, 4]))
        // Lengths and integers that BER allows and DER does not.
        #expect(!key.isValid([0x30, 0x81] + der.dropFirst(), for: message))
        #expect(!key.isValid([0x30, 0x80] + der.dropFirst(2) + [0, 0], for: message))
        #expect(
            !key.isValid(
                [0x30, der[1] + 1, 0x02, der[3] + 1, 0x00] + der.dropFirst(4), for: message))
    }
}
