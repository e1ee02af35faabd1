import BaseTestSupport
import HTTPClient

@Suite("Addresses that a stranger's URL may lead to") struct ConnectedAddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1",
        "255.255.255.255",
    ])
    func `special-purpose addresses are not public`(_ text: String) {
        let bytes = Self.bytes(text)
        #expect(!ConnectedAddress(bytes: bytes).isPublic)
        #expect(!ConnectedAddress(bytes: Self.mapped(bytes)).isPublic, "in the form of IPv6")
    }

    @Test(arguments: ["1.1.1.1", "100.63.255.255", "172.32.0.1", "198.20.0.1", "203.0.114.1"])
    func `other addresses are public`(_ text: String) {
        let bytes = Self.bytes(text)
        #expect(ConnectedAddress(bytes: bytes).isPublic)
        #expect(ConnectedAddress(bytes: Self.mapped(bytes)).isPublic)
    }

    @Test(arguments: [
        ([0x20, 0x01, 0x48, 0x60], true), ([0x2A, 0x00, 0x14, 0x50], true),
        ([0x20, 0x01, 0x00, 0x00], false), ([0x20, 0x01, 0x0D, 0xB8], false),
        ([0x20, 0x02, 0x7F, 0x00], false), ([0xFE, 0x80], false), ([0xFC, 0x00], false),
        ([0xFF, 0x02], false), ([0x00, 0x64, 0xFF, 0x9B], false), ([], false),
    ])
    func `only globally routed IPv6 addresses are public`(_ start: [UInt8], isPublic: Bool) {
        let bytes = start + [UInt8](repeating: 0, count: 15 - start.count) + [9]
        #expect(ConnectedAddress(bytes: bytes).isPublic == isPublic)
    }

    @Test func `every form of a loopback address is recognised`() {
        let six = [UInt8](repeating: 0, count: 15) + [1]
        for bytes in [[127, 0, 0, 1], Self.mapped([127, 8, 9, 1]), six] {
            #expect(ConnectedAddress(bytes: bytes).isWithin(.internetOrLoopback))
            #expect(!ConnectedAddress(bytes: bytes).isWithin(.internet))
        }
        #expect(!ConnectedAddress(bytes: []).isWithin(.internetOrLoopback))
    }

    private static func bytes(_ text: String) -> [UInt8] {
        text.split(separator: ".").compactMap { UInt8($0) }
    }

    private static func mapped(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes
    }
}
