import BaseTestSupport

@Suite("SHA256")
struct SHA256Tests {
    // FIPS 180-4 examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 agrees with FIPS 180-4 in one piece and in many`(message: String, digest: String)
    {
        expectEqual(Hex.encode(SHA256.hash(utf8: message)), digest)
        var hasher = SHA256Hasher()
        for byte in message.utf8 { hasher.update([byte]) }
        expectEqual(Hex.encode(hasher.finalize()), digest)
    }

    @Test func `the hash of a million letters is right`() {
        var hasher = SHA256Hasher()
        for _ in 0..<1000 { hasher.update(utf8: String(repeating: "a", count: 1000)) }
        expectEqual(
            Hex.encode(hasher.finalize()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
