package import Bytes
internal import COpenSSL

package struct RSAPrivateKey: Sendable {
    package let publicKey: RSAPublicKey
    package let numbers: Numbers
    private let handle: KeyHandle

    /// The private numbers of RFC 8017 section 3.2, big-endian, without leading zeros.
    package struct Numbers: Sendable {
        /// `d`
        package let exponent: SecretBytes
        /// `p` and `q`
        package let primes: (SecretBytes, SecretBytes)
        /// `dP` and `dQ`
        package let primeExponents: (SecretBytes, SecretBytes)
        /// `qInv`
        package let coefficient: SecretBytes

        package init(
            exponent: SecretBytes, primes: (SecretBytes, SecretBytes),
            primeExponents: (SecretBytes, SecretBytes), coefficient: SecretBytes
        ) {
            self.exponent = exponent
            self.primes = primes
            self.primeExponents = primeExponents
            self.coefficient = coefficient
        }
    }

    /// Does not check that the numbers belong together; `isConsistent` does.
    package init(publicKey: RSAPublicKey, numbers: Numbers) throws(CryptoFailure) {
        let parts = [
            numbers.exponent, numbers.primes.0, numbers.primes.1, numbers.primeExponents.0,
            numbers.primeExponents.1, numbers.coefficient,
        ]
        guard parts.allSatisfy({ !$0.isEmpty && $0.count <= publicKey.modulus.count }) else {
            throw .invalidKey
        }
        self.publicKey = publicKey
        self.numbers = numbers
        handle = try .assemble(
            "RSA", .keyPair,
            [
                .number("n", SecretBytes(publicKey.modulus)),
                .number("e", SecretBytes(publicKey.exponent)),
                .number("d", numbers.exponent),
                .number("rsa-factor1", numbers.primes.0),
                .number("rsa-factor2", numbers.primes.1),
                .number("rsa-exponent1", numbers.primeExponents.0),
                .number("rsa-exponent2", numbers.primeExponents.1),
                .number("rsa-coefficient1", numbers.coefficient),
            ])
    }

    /// Reads an unencrypted PKCS#8 or PKCS#1 file.
    package init(pem: SecretBytes) throws(CryptoFailure) {
        try self.init(KeyImport.privateKey(pem: pem))
    }

    package init(der: SecretBytes) throws(CryptoFailure) {
        try self.init(KeyImport.privateKey(der: der))
    }

    init(_ file: KeyHandle) throws(CryptoFailure) {
        try self.init(numbersOf: file)
        guard isConsistent else { throw .invalidKey }
    }

    private init(numbersOf key: KeyHandle) throws(CryptoFailure) {
        guard key.isType("RSA") else { throw .invalidKey }
        try self.init(
            publicKey: RSAPublicKey(
                modulus: key.number("n").reveal(), exponent: key.number("e").reveal()),
            numbers: Numbers(
                exponent: key.number("d"),
                primes: (key.number("rsa-factor1"), key.number("rsa-factor2")),
                primeExponents: (key.number("rsa-exponent1"), key.number("rsa-exponent2")),
                coefficient: key.number("rsa-coefficient1")))
    }

    /// Generates a key. The primes come from OpenSSL's own generator, seeded by the kernel: it does
    /// not use a `RandomSource`.
    package static func generate(bits: Int = 2048) throws(CryptoFailure) -> RSAPrivateKey {
        guard RSAPublicKey.modulusBits.contains(bits) else { throw .limitExceeded }
        OpenSSL.start()
        let context = try OpenSSL.check(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil))
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_keygen_init(context))
        try OpenSSL.check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)))
        var key: OpaquePointer?
        try OpenSSL.check(EVP_PKEY_generate(context, &key))
        return try RSAPrivateKey(numbersOf: KeyHandle(owning: key))
    }

    package func sign(
        _ message: [UInt8], padding: RSAPadding
    ) throws(CryptoFailure) -> [UInt8] {
        try handle.sign(message, padding.scheme)
    }

    /// Whether the public key verifies what the private key signs, to check an imported key. Costs
    /// one signature.
    package var isConsistent: Bool {
        let probe = Array("probe".utf8)
        guard let signature = try? sign(probe, padding: .pkcs1) else { return false }
        return publicKey.isValid(signature, for: probe, padding: .pkcs1)
    }

    /// The key as a PKCS#8 PEM file.
    package func pem() throws(CryptoFailure) -> SecretBytes { try handle.privatePEM() }
}
