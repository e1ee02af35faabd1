import BaseTestSupport

@Suite("Hex")
struct HexTests {
    @Test func `hex is encoded in lower case and decoded in either`() {
        expectEqual(Hex.encode([0x00, 0xAB, 0xFF]), "00abff")
        expectEqual(Hex.decode("00aBFf"), [0x00, 0xAB, 0xFF])
        expectEqual(Hex.decode(""), [])
    }

    @Test(arguments: ["0", "000", "0g", "g0", " 00", "00 ", "0x00", "-1", "+1", "٣٣", "００"])
    func `hex refuses anything but pairs of digits`(text: String) {
        expectEqual(Hex.decode(text), nil)
    }
}
