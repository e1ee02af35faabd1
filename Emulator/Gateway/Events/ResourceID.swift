/// The short ID of a REST API's resource, derived from its path.
enum ResourceID {
    static func of(_ text: String) -> String {
        // FNV-1a, because the ID is not security-relevant.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let symbols = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
        var name: [UInt8] = []
        for _ in 0..<6 {
            name.append(symbols[Int(hash % 36)])
            hash /= 36
        }
        return String(decoding: name, as: UTF8.self)
    }
}
