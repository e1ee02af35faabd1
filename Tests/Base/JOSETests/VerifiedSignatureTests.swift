@Suite("Remembered signatures")
struct VerifiedSignatureTests {
    private let message = Array("header.payload".utf8)

    private func signed(by key: SigningKey) throws -> ([UInt8], VerificationKey) {
        let signature = try key.sign(message)
        let remembering = key.verificationKey.remembering
        #expect(remembering.isValid(signature, for: message))
        return (signature, remembering)
    }

    @Test(arguments: Forge.all)
    func `a remembered signature is valid for its message only`(key: SigningKey) throws {
        let (signature, remembering) = try signed(by: key)
        #expect(remembering.isValid(signature, for: message))
        for index in message.indices {
            var other = message
            other[index] ^= 1
            #expect(!remembering.isValid(signature, for: other))
        }
        for index in signature.indices {
            var other = signature
            other[index] ^= 1
            #expect(!remembering.isValid(other, for: message))
        }
    }

    // The bytes are the same in the same order.
    @Test(arguments: Forge.all)
    func `bytes moved between signature and message are not remembered`(key: SigningKey) throws {
        let (signature, remembering) = try signed(by: key)
        for count in [1, 2, signature.count] {
            #expect(
                !remembering.isValid(
                    Array(signature.dropLast(count)), for: signature.suffix(count) + message))
            #expect(
                !remembering.isValid(
                    signature + message.prefix(count), for: Array(message.dropFirst(count))))
        }
    }

    @Test func `a signature that one key verified is not valid for another`() throws {
        let (signature, _) = try signed(by: Forge.p256)
        let other = try SigningKey.generate(.es256, random: .seeded(18)).verificationKey.remembering
        #expect(!other.isValid(signature, for: message))
        #expect(!other.isValid(signature, for: message))
    }

    @Test func `a token without a key ID is remembered by the same key`() throws {
        let (signature, remembering) = try signed(by: Forge.p256)
        #expect(remembering.nameless.isValid(signature, for: message))
        #expect(!remembering.nameless.isValid(signature, for: message + message))
    }

    @Test func `all signatures remain valid if there are more than can be remembered`() throws {
        let key = try SigningKey.generate(.hs256, random: .seeded(19))
        let remembering = key.verificationKey.remembering
        let messages = (0..<5_000).map { Array("message \($0)".utf8) }
        let signatures = try messages.map { try key.sign($0) }
        for _ in 0..<2 {
            for (message, signature) in zip(messages, signatures) {
                #expect(remembering.isValid(signature, for: message))
            }
        }
        #expect(!remembering.isValid(signatures[0], for: messages[1]))
    }
}
