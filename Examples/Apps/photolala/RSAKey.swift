import Foundation

#if canImport(Security)
    import Security

    /// Verifies signatures of RS256 (RFC 7518 section 3.3).
    struct RSAKey: @unchecked Sendable {
        // Immutable: several threads may use a key of the Security framework at once.
        private let key: SecKey

        init?(modulus: Data, exponent: Data) {
            // RSAPublicKey of RFC 8017 appendix A.1.1.
            let numbers =
                Self.element(0x02, Self.positive(modulus))
                + Self.element(0x02, Self.positive(exponent))
            let attributes =
                [
                    kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
                ] as [CFString: Any]
            guard modulus.count >= 256,
                let key = SecKeyCreateWithData(
                    Self.element(0x30, numbers) as CFData, attributes as CFDictionary, nil)
            else { return nil }
            self.key = key
        }

        func isValid(_ signature: Data, for message: Data) -> Bool {
            SecKeyVerifySignature(
                key, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, signature as CFData, nil
            )
        }

        private static func positive(_ number: Data) -> Data {
            number.first.map { $0 >= 0x80 } == true ? Data([0]) + number : number
        }

        private static func element(_ tag: UInt8, _ content: Data) -> Data {
            let count = content.count
            let length: [UInt8] =
                count < 0x80
                ? [UInt8(count)]
                : count < 0x100
                    ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            return Data([tag] + length) + content
        }
    }
#else
    import Cryptography

    /// Verifies signatures of RS256 (RFC 7518 section 3.3).
    struct RSAKey: Sendable {
        private let key: RSAPublicKey

        init?(modulus: Data, exponent: Data) {
            guard let key = try? RSAPublicKey(modulus: Array(modulus), exponent: Array(exponent))
            else { return nil }
            self.key = key
        }

        func isValid(_ signature: Data, for message: Data) -> Bool {
            key.isValid(Array(signature), for: Array(message), padding: .pkcs1)
        }
    }
#endif
