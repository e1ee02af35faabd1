import BaseTestSupport

@Suite("Base64url and Base64")
struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("66", "Zg"), ("666f", "Zm8"), ("666f6f", "Zm9v"), ("666f6f62", "Zm9vYg"),
        ("666f6f6261", "Zm9vYmE"), ("666f6f626172", "Zm9vYmFy"), ("fbefbe", "----"),
        ("ffffff", "____"), ("00", "AA"), ("0000", "AAA"), ("000000", "AAAA"),
    ])
    func `base64url encodes and decodes the examples of RFC 4648`(hex: String, text: String) throws
    {
        let bytes = try #require(Hex.decode(hex))
        expectEqual(Base64URL.encode(bytes), text)
        expectEqual(Base64URL.decode(text), bytes)
        expectEqual(Base64URL.decode(utf8: Array("..\(text)..".utf8)[2...].dropLast(2)), bytes)
    }

    @Test(arguments: [
        "Z", "Zg=", "Zg==", "Zh", "Zi", "Zv", "Zm9", "Zm-", "Zm8=", "Zg\n", "\nZg", "Z g", " Zg",
        "Zg ", "++++", "////", "Zm9v=", "Zm9v====", "====", "=", "Zm9vZ", "Zm.v", "Zm9v\u{0}",
        "Zg\u{FEFF}", "é", "Ｚｇ", "Zm9v,", "Zm\r\n9v", "%5A%67",
    ])
    func `base64url refuses every other encoding`(text: String) {
        expectEqual(Base64URL.decode(text), nil)
    }

    @Test func `the unused bits of the last symbol must be zero`() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let oneByte = alphabet.filter { Base64URL.decode("Z\($0)") != nil }
        let twoBytes = alphabet.filter { Base64URL.decode("Zm\($0)") != nil }
        expectEqual(String(oneByte), "AQgw")
        expectEqual(String(twoBytes), "AEIMQUYcgkosw048")
    }

    @Test(arguments: [
        ("", ""), ("66", "Zg=="), ("666f", "Zm8="), ("666f6f", "Zm9v"), ("fbefbe", "++++"),
        ("ffffff", "////"), ("666f6f6261", "Zm9vYmE="),
    ])
    func `base64 encodes and decodes with padding`(hex: String, text: String) throws {
        let bytes = try #require(Hex.decode(hex))
        expectEqual(Base64.encode(bytes), text)
        expectEqual(Base64.decode(text), bytes)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zm8", "Zh==", "Zm9=", "Zm9v====", "====", "=", "==", "Z===", "----", "____",
        "Zg==\n", "Zg==Zg==", "Z=g=", "=Zg=", "Zm9v\u{0}", "Zm\n9v", " Zg==", "AB==",
    ])
    func `base64 refuses every other encoding`(text: String) {
        expectEqual(Base64.decode(text), nil)
    }

    @Test func `all byte values survive the round trip at every length`() {
        for count in 0...260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151) }
            expectEqual(Base64URL.decode(Base64URL.encode(bytes)), bytes)
            expectEqual(Base64.decode(Base64.encode(bytes)), bytes)
            expectEqual(Hex.decode(Hex.encode(bytes)), bytes)
        }
    }

    @Test func `every length and every byte can be decoded`() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length &* 11) }
            expectEqual(Base64URL.decode(Base64URL.encode(bytes)), bytes)
            expectEqual(Base64.decode(Base64.encode(bytes)), bytes)
            expectEqual(Base64.encode(bytes).utf8.count, (length + 2) / 3 * 4)
        }
        let all = Array(UInt8.min...UInt8.max)
        expectEqual(Base64URL.decode(Base64URL.encode(all)), all)
        expectEqual(Base64URL.encode(all[...]), Base64URL.encode(all))
    }

    @Test(arguments: 0..<12)
    func `a byte outside the alphabet is refused at every position`(position: Int) {
        for byte in UInt8.min...UInt8.max {
            var text = Array("AAAAAAAAAAAA".utf8)
            text[position] = byte
            let isSymbol = Base64URL.decode(utf8: text[...]) != nil
            let scalar = Character(Unicode.Scalar(byte))
            expectEqual(
                isSymbol,
                scalar.isASCII
                    && (scalar.isLetter || scalar.isNumber || "-_".contains(scalar)))
        }
    }
}
