/// A seeded generator, which makes runs reproducible (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func next(below bound: UInt64) -> UInt64 { next() % bound }

    /// True with a probability of `percent`.
    package mutating func happens(_ percent: UInt64) -> Bool { next(below: 100) < percent }
}

extension SplitMix64 {
    /// A concatenation of `count` random elements of `alphabet`.
    package mutating func text(of alphabet: [String], count: ClosedRange<UInt64>) -> String {
        let length = count.lowerBound + next(below: count.upperBound - count.lowerBound + 1)
        return (0..<length).map { _ in alphabet[Int(next(below: UInt64(alphabet.count)))] }.joined()
    }
}
