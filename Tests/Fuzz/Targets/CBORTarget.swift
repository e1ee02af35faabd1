internal import CBOR
internal import CBORTestSupport

extension FuzzTarget {
    /// An item has one encoding: what is accepted is what the writer writes.
    static let cbor = FuzzTarget("cbor") { (input) throws(BrokenProperty) in
        let limits = CBORLimits(bytesMax: 4096, depthMax: 8, itemsMax: 256)
        guard let (item, end) = try? CBOR.parsePrefix(of: input, limits: limits) else {
            let whole = try? CBOR.parse(input, limits: limits)
            try require(whole == nil, "an item is accepted although its beginning is not")
            return
        }
        let encoded = Array(input[..<end])
        try require(item.encoded == encoded, "an encoding that is not canonical is accepted")
        let alone = try? CBOR.parse(encoded, limits: limits)
        try require(alone == item, "an item differs without the bytes behind it")
        let whole = try? CBOR.parse(input, limits: limits)
        try require((whole != nil) == (end == input.count), "bytes behind an item are accepted")
        let shifted = try? CBOR.parsePrefix(of: [0xFF] + encoded, from: 1, limits: limits)
        try require(shifted?.item == item && shifted?.end == end + 1, "the offset matters")
        let truncated = try? CBOR.parsePrefix(of: Array(encoded.dropLast()), limits: limits)
        try require(truncated == nil, "a truncated item is accepted")
    }
}
