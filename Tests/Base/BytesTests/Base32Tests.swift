import BaseTestSupport

@Suite("Base 32") struct Base32Tests {
    /// RFC 4648 section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
        ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
    func `Base32 agrees with the vectors of RFC 4648`(plain: String, encoded: String) {
        expectEqual(Base32.encode(Array(plain.utf8)), encoded)
        expectEqual(Base32.decode(encoded), Array(plain.utf8))
        expectEqual(Base32.decode(encoded.lowercased()), Array(plain.utf8))
    }

    @Test(arguments: ["M", "MZX", "MZXW6Y", "MZ", "MY======", "M1", "M8", "MÜ", "M Y"])
    func `text in another form is refused`(text: String) { expectEqual(Base32.decode(text), nil) }
}
