/// SplitMix64 (Steele, Lea and Flood, 2014) with helpers for random choices.
package struct RandomChoice: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    /// From 0 to below `bound`; 0 if `bound` is 0.
    mutating func index(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    mutating func one<Element>(of choices: [Element]) -> Element {
        choices[index(choices.count)]
    }

    mutating func isOne(in count: Int) -> Bool { index(count) == 0 }

    /// A random subrange, possibly empty.
    mutating func range(in count: Int, lengthMax: Int) -> Range<Int> {
        let start = index(count + 1)
        return start..<start + index(min(lengthMax, count - start) + 1)
    }
}
