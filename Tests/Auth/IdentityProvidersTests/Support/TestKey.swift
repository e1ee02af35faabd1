/// A provider's key pair: signs anything, with any key id.
struct TestKey: Sendable {
    enum Pair: Sendable {
        case rsa(RSAPrivateKey)
        case ec(P256PrivateKey)
        case ed(Ed25519PrivateKey)
    }

    let kid: String
    let pair: Pair

    static let rsa = TestKey(kid: "key-1", pair: newRSA())
    static let otherRSA = TestKey(kid: "key-2", pair: newRSA())
    static let ec = TestKey(kid: "key-3", pair: newEC())
    static let ed = TestKey(kid: "key-5", pair: newEd())

    func named(_ kid: String) -> TestKey { TestKey(kid: kid, pair: pair) }

    var algorithm: String {
        switch pair {
        case .rsa: "RS256"
        case .ec: "ES256"
        case .ed: "EdDSA"
        }
    }

    var jwk: JSONObject {
        var jwk: JSONObject = ["kid": .string(kid), "use": "sig", "alg": .string(algorithm)]
        switch pair {
        case .rsa(let key):
            jwk["kty"] = "RSA"
            jwk["n"] = .string(Base64URL.encode(key.publicKey.modulus))
            jwk["e"] = .string(Base64URL.encode(key.publicKey.exponent))
        case .ec(let key):
            jwk["kty"] = "EC"
            jwk["crv"] = "P-256"
            jwk["x"] = .string(Base64URL.encode(key.publicKey.x))
            jwk["y"] = .string(Base64URL.encode(key.publicKey.y))
        case .ed(let key):
            jwk["kty"] = "OKP"
            jwk["crv"] = "Ed25519"
            jwk["x"] = .string(Base64URL.encode(key.publicKey.bytes))
        }
        return jwk
    }

    static func jwks(_ keys: [TestKey]) -> JSON {
        ["keys": .array(keys.map { .object($0.jwk) })]
    }

    /// A compact JWS with any header and any payload.
    func token(header: [UInt8], claims: [UInt8]) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(claims)
        do {
            let signature =
                switch pair {
                case .rsa(let key): try key.sign(Array(input.utf8), padding: .pkcs1)
                case .ec(let key): try key.sign(Array(input.utf8))
                case .ed(let key): try key.sign(Array(input.utf8))
                }
            return input + "." + Base64URL.encode(signature)
        } catch {
            fatalError("a test key does not sign: \(error)")
        }
    }

    /// The private keys of `ec` and `rsa` as PEM files, in the form that Apple and others provide.
    static let ecPEM = pem(of: ec)
    static let rsaPEM = pem(of: rsa)

    private static func pem(of key: TestKey) -> String {
        do {
            let pem =
                switch key.pair {
                case .rsa(let key): try key.pem()
                case .ec(let key): try key.pem()
                case .ed(let key): try key.pem()
                }
            return String(decoding: pem.reveal(), as: UTF8.self)
        } catch {
            fatalError("a test key has no PEM: \(error)")
        }
    }

    private static func newRSA() -> Pair {
        do { return .rsa(try .generate()) } catch { fatalError("no RSA key: \(error)") }
    }

    private static func newEd() -> Pair {
        do { return .ed(try .generate(random: .system)) } catch { fatalError("no key: \(error)") }
    }

    private static func newEC() -> Pair {
        do { return .ec(try .generate(random: .system)) } catch { fatalError("no key: \(error)") }
    }
}

extension TestKey {
    static func keySet(_ keys: [TestKey]) throws -> KeySet { try KeySet(jwks: jwks(keys)) }

    static func clientSecretExpectations(issuer: String, now: Instant) -> TokenExpectations {
        TokenExpectations(
            issuers: [issuer], audiences: ["https://appleid.apple.com"], types: [nil], now: now,
            leeway: .zero)
    }
}
