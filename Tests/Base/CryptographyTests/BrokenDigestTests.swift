import BaseTestSupport

@Suite struct BrokenDigestTests {
    /// RFC 1321 appendix A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ])
    func `MD5 agrees with RFC 1321`(message: String, digest: String) {
        expectEqual(Hex.encode(BrokenDigest.md5(Array(message.utf8))), digest)
    }

    /// RFC 3174 section 7.3, and the empty message.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func `SHA-1 agrees with RFC 3174`(message: String, digest: String) {
        expectEqual(Hex.encode(BrokenDigest.sha1(Array(message.utf8))), digest)
    }
}
