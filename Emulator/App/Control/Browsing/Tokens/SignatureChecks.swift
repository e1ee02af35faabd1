internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON

/// Determines the key that should have signed a token, and verifies the signature.
struct SignatureChecks {
    private let token: TokenReading
    private let header: JSONObject
    private let issuer: TokenIssuer?
    private let issuers: TokenIssuers
    private(set) var checks: [TokenCheck] = []
    /// Why the signature could not be verified, although no check failed.
    private(set) var doubt: String?

    private static let allowed = [Algorithm.rs256, .es256, .edDSA]

    init(
        _ token: TokenReading, _ header: JSONObject, _ issuer: TokenIssuer?, _ issuers: TokenIssuers
    ) {
        self.token = token
        self.header = header
        self.issuer = issuer
        self.issuers = issuers
        checkExtensions()
        let algorithm = checkAlgorithm()
        let key = checkKey()
        checkSignature(algorithm, key)
    }

    /// RFC 7515 section 4.1.11.
    private mutating func checkExtensions() {
        let found = ["crit", "b64", "zip", "enc"].filter { header[$0] != nil }
        let expected = "none of crit, b64, zip, enc"
        guard !found.isEmpty else {
            return add(.crit, .passed, nil, expected, "The header requires no extension.")
        }
        add(
            .crit, .failed, .string(found.joined(separator: ", ")), expected,
            "The header requires an extension, and no extension is supported.")
    }

    /// Returns nil if verifying the signature is pointless.
    private mutating func checkAlgorithm() -> Algorithm? {
        let own = issuer?.keys?.keys.map(\.algorithm) ?? []
        let known = Self.allowed.filter { own.isEmpty || own.contains($0) }
        let expected = known.map(\.rawValue).joined(separator: ", ")
        guard let name = header["alg"]?.stringValue else {
            add(.alg, .failed, header["alg"], expected, "The header names no algorithm.")
            return nil
        }
        if let algorithm = known.first(where: { $0.rawValue.isSame(as: name) }) {
            add(.alg, .passed, .string(name), expected, "The issuer has keys of this algorithm.")
            return algorithm
        }
        let folded = name.lowercased()
        if folded == "hs256", issuer?.isApp == true, own.isEmpty {
            doubt =
                "The token is signed with a secret of the app, which the emulator does not have."
            add(.alg, .skipped, .string(name), "", doubt ?? "")
            return nil
        }
        let why =
            folded == "none"
            ? "none is a token without a signature: it can be made without any key."
            : folded.hasPrefix("hs")
                ? confusion
                : "The issuer has no key of this algorithm: the header must not choose another."
        add(.alg, .failed, .string(name), expected, why)
        return nil
    }

    /// RFC 8725 section 2.1.
    private var confusion: String {
        let secrets = issuer?.publicKeys.map(\.publishedText) ?? []
        let isConfused = secrets.contains { text in
            HMAC.sha256(token.signingInput, key: SecretBytes(utf8: text)) == token.signature
        }
        return isConfused
            ? "The secret of this HMAC is the issuer's public key, which is published: a verifier "
                + "that lets the header choose the algorithm would accept it."
            : "An HMAC needs a secret that both sides know, and the issuer's keys are public."
    }

    private mutating func checkKey() -> VerificationKey? {
        guard let member = header["kid"] else {
            if let doubt {
                add(.kid, .skipped, nil, "", doubt)
            } else {
                add(.kid, .failed, nil, expectedKey, "The header names no key.")
            }
            return nil
        }
        guard let kid = member.stringValue else {
            add(.kid, .failed, member, expectedKey, "kid must be a text.")
            return nil
        }
        if let key = issuer?.keys?.key(kid) {
            add(
                .kid, .passed, .string(kid), expectedKey,
                "Found in the key set of \(issuer?.name ?? "").")
            return key
        }
        if let issuer, issuer.keys == nil {
            doubt =
                "The key set of \(issuer.name) cannot be read from its routes."
            add(.kid, .skipped, .string(kid), "", doubt ?? "")
            return nil
        }
        let other = issuers.issuer(withKey: kid)
        add(
            .kid, .failed, .string(kid), expectedKey,
            other.map { "The key is in the key set of \($0.name), not in the issuer's." }
                ?? "No key set has this key: it was never published, or no longer is.")
        return nil
    }

    private var expectedKey: String {
        let names = issuer?.keys?.keys.compactMap(\.kid) ?? []
        return names.isEmpty ? "a published key" : names.joined(separator: ", ")
    }

    private mutating func checkSignature(_ algorithm: Algorithm?, _ key: VerificationKey?) {
        guard let key, let algorithm else {
            let why = doubt ?? "There is no key, or no algorithm, to verify it with."
            return add(.signature, .skipped, nil, "", why)
        }
        let expected = "a signature by the key that kid names"
        let size = JSON.string("\(token.signature.count) bytes")
        guard !token.signature.isEmpty else {
            return add(.signature, .failed, size, expected, "The third part is empty.")
        }
        guard key.algorithm == algorithm else {
            return add(
                .signature, .failed, size, expected,
                "The key is for \(key.algorithm.rawValue), but the header names another algorithm.")
        }
        guard key.isValid(token.signature, for: token.signingInput) else {
            let brought = ["jwk", "jku", "x5c", "x5u"].first { header[$0] != nil }
            return add(
                .signature, .failed, size, expected,
                brought.map {
                    "Not signed by that key. The header contains a key itself (\($0)), which "
                        + "is ignored: a token must not choose its key."
                } ?? "Not signed by that key, or changed after it was signed.")
        }
        add(.signature, .passed, size, expected, "Signed by that key.")
    }

    private mutating func add(
        _ name: TokenCheck.Name, _ verdict: TokenCheck.Verdict, _ value: JSON?, _ expected: String,
        _ explanation: String
    ) {
        checks.append(
            TokenCheck(name, verdict, value: value, expected: expected, explanation))
    }
}

extension JSONObject {
    /// A public key as text, in the forms most likely passed to a library: PEM, or a JWK.
    fileprivate var publishedText: String {
        func number(_ name: String) -> [UInt8] {
            self[name]?.stringValue.flatMap { Base64URL.decode($0) } ?? []
        }
        let pem =
            switch self["kty"] {
            case "RSA": try? RSAPublicKey(modulus: number("n"), exponent: number("e")).pem()
            case "EC": try? P256PublicKey(x: number("x"), y: number("y")).pem()
            default: nil as String?
            }
        return pem ?? JSON.object(self).text
    }
}
