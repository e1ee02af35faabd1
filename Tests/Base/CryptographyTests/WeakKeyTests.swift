import BaseTestSupport

@Suite("Keys that must not be used")
struct WeakKeyTests {
    private let e: [UInt8] = [1, 0, 1]

    private func modulus() throws -> [UInt8] {
        try RSAPublicKey(pem: KeyFiles.pem("rsa-public")).modulus
    }

    @Test func `the unchanged modulus is accepted`() throws {
        try expectEqual(RSAPublicKey(modulus: modulus(), exponent: e).modulus.count, 256)
    }

    @Test(
        arguments: [
            [], [0], [1], [2], [3], [17], [0, 1, 0, 1], [1, 0, 0], [1, 0, 2], [1, 0, 0, 0, 1],
        ] as [[UInt8]])
    func `exponents that are small, even, long or padded are refused`(exponent: [UInt8]) throws {
        let modulus = try modulus()
        #expect(throws: CryptoFailure.invalidKey) {
            try RSAPublicKey(modulus: modulus, exponent: exponent)
        }
    }

    @Test func `moduli that are short, long, even or padded are refused`() throws {
        let modulus = try modulus()
        var even = modulus
        even[255] &= 0xFE
        var short = modulus
        short[0] = 0x7F
        let refused: [[UInt8]] = [
            [], [0], [0] + modulus, even, short, Array(modulus.suffix(128)),
            [UInt8](repeating: 0xFF, count: 1025),
        ]
        for modulus in refused {
            #expect(throws: CryptoFailure.invalidKey) {
                try RSAPublicKey(modulus: modulus, exponent: e)
            }
        }
    }

    @Test func `points off the curve are refused`() throws {
        let key = try P256PrivateKey.generate(random: .seeded(3)).publicKey
        let zero = [UInt8](repeating: 0, count: 32)
        let full = [UInt8](repeating: 0xFF, count: 32)
        var changed = key.y
        changed[31] ^= 1
        let refused: [([UInt8], [UInt8])] = [
            (key.x, changed), (key.y, key.x), (zero, zero), (full, full), (key.x, zero),
            ([0] + key.x, key.y), (key.x, Array(key.y.dropFirst())), ([], []),
        ]
        for (x, y) in refused {
            #expect(throws: CryptoFailure.invalidKey) { try P256PublicKey(x: x, y: y) }
        }
    }

    @Test(arguments: NISTCurve.allCases)
    func `points off the larger curves are refused`(curve: NISTCurve) {
        let width = curve.coordinateByteCount
        let zero = [UInt8](repeating: 0, count: width)
        let one: [UInt8] = zero.dropLast() + [1]
        let full = [UInt8](repeating: 0xFF, count: width)
        let refused: [([UInt8], [UInt8])] = [
            (zero, zero), (one, one), (full, full), (zero, full), ([], []), ([0] + one, one),
            (one, Array(one.dropFirst())),
        ]
        for (x, y) in refused {
            #expect(throws: CryptoFailure.invalidKey) {
                try NISTCurvePublicKey(curve: curve, x: x, y: y)
            }
        }
    }

    @Test func `private keys out of range are refused`() throws {
        let order = try #require(
            Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        var last = order
        last[31] -= 1
        try expectEqual(P256PrivateKey(scalar: SecretBytes(last)).publicKey.x.count, 32)
        let refused: [[UInt8]] = [
            [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32), [],
            [1], Array(last.dropFirst()), [0] + last,
        ]
        for scalar in refused {
            #expect(throws: CryptoFailure.invalidKey) {
                try P256PrivateKey(scalar: SecretBytes(scalar))
            }
        }
    }

    @Test func `the public key of the private number one is the curve's generator`() throws {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let key = try P256PrivateKey(scalar: SecretBytes(one))
        expectEqual(
            Hex.encode(key.publicKey.x),
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    }

    /// The eight points of small order, in every encoding, and bytes that do not encode a point.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0200000000000000000000000000000000000000000000000000000000000000",
        "", "00", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a00",
    ])
    func `Ed25519 keys that are not a point or of small order are refused`(hex: String) throws {
        let bytes = try #require(Hex.decode(hex))
        #expect(throws: CryptoFailure.invalidKey) { try Ed25519PublicKey(bytes: bytes) }
    }

    @Test func `about half of all random strings are points`() {
        let random = RandomSource.seeded(9)
        let points = (0..<400).count { _ in
            (try? Ed25519PublicKey(bytes: random.bytes(32))) != nil
        }
        // Half of the values below 2^255 - 19 are the y coordinate of a point.
        #expect((140...260).contains(points))
    }

    /// Every prime of this modulus has the form k·M + (65537^a mod M), as in the flawed generator's
    /// keys.
    @Test func `a key of Infineon's flawed generator is refused`() throws {
        let modulus = try #require(Hex.decode(flawedModulus))
        expectEqual(modulus.count, 256)
        #expect(throws: CryptoFailure.invalidKey) {
            try RSAPublicKey(modulus: modulus, exponent: e)
        }
    }
}

private let flawedModulus =
    """
    d9b34a5a5cf2d6eee573dfe72a867219dba9bd321321252970baeadb1032469f1a86dd5d6c74abd9f8a66d72\
    e54d7e291d22b00446fe52ef701b9108896b65f9df6425c937f5df96bb1672ca430c4b73235c783d503b22ae\
    cb741299f2b339578fac9906dcc0dcf7ffc3cbedaedfa3245937ab287e2ec784325946627f234e78128043f4\
    13f9f6e2b3aea9709b6c6a360e9700b1bcdf515234d2515e3940a6aec2c6a633a93c8bd30121f5ef2ad21a86\
    52ecb6d55a4347eaac19bcdfbb07bd8a192d4fcee6394562e2a3e50b87529a159321657392713bbd5ce10b6a\
    05f0f3254d8ca419c5ba21f87451ea4318ae4948265c5dd69b6e2c715a9e177238da2991
    """
