/// The modules of a symbol: function patterns, codewords and mask.
struct Matrix {
    private let version: Version
    private(set) var modules: [Bool]
    /// Modules of function patterns, of format and of version information: not masked.
    private var reserved: [Bool]

    private var size: Int { version.size }

    init(_ version: Version) {
        self.version = version
        let count = version.size * version.size
        modules = [Bool](repeating: false, count: count)
        reserved = modules
        drawTimingPatterns()
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        drawAlignmentPatterns()
        // The place of the format information is reserved here. Its bits depend on the mask.
        drawFormat(mask: 0)
        drawVersion()
    }

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        modules[y * size + x] = isDark
        reserved[y * size + x] = true
    }

    // MARK: Function patterns (section 6.3)

    private mutating func drawTimingPatterns() {
        for index in 0..<size {
            set(6, index, index.isMultiple(of: 2))
            set(index, 6, index.isMultiple(of: 2))
        }
    }

    /// Draws a finder pattern with its separator.
    private mutating func drawFinder(_ centreX: Int, _ centreY: Int) {
        for deltaY in -4...4 {
            for deltaX in -4...4 {
                let (x, y) = (centreX + deltaX, centreY + deltaY)
                guard (0..<size).contains(x), (0..<size).contains(y) else { continue }
                let distance = max(abs(deltaX), abs(deltaY))
                set(x, y, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignmentPatterns() {
        let centres = version.alignmentCentres
        guard let last = centres.last else { return }
        for x in centres {
            for y in centres {
                // The finder patterns are in the other three corners.
                let isFinder = (x == 6 && y == 6) || (x == 6 && y == last) || (x == last && y == 6)
                guard !isFinder else { continue }
                for deltaY in -2...2 {
                    for deltaX in -2...2 {
                        set(x + deltaX, y + deltaY, max(abs(deltaX), abs(deltaY)) != 1)
                    }
                }
            }
        }
    }

    /// Level M and the mask, with a BCH code (section 7.9).
    private mutating func drawFormat(mask: Int) {
        let levelM = 0b00
        let data = levelM << 3 | mask
        var remainder = data
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (data << 10 | remainder) ^ 0x5412
        func isSet(_ index: Int) -> Bool { bits >> index & 1 == 1 }

        for index in 0...5 { set(8, index, isSet(index)) }
        set(8, 7, isSet(6))
        set(8, 8, isSet(7))
        set(7, 8, isSet(8))
        for index in 9...14 { set(14 - index, 8, isSet(index)) }

        for index in 0...7 { set(size - 1 - index, 8, isSet(index)) }
        for index in 8...14 { set(8, size - 15 + index, isSet(index)) }
        set(8, size - 8, true)
    }

    /// The version with a Golay code, twice (section 7.10).
    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        var remainder = version.number
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let bits = version.number << 12 | remainder
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            let (far, near) = (size - 11 + index % 3, index / 3)
            set(far, near, isDark)
            set(near, far, isDark)
        }
    }

    // MARK: Codewords and mask

    /// Places the codewords in columns of two modules from the right, upwards and downwards in turn
    /// (section 7.7.3).
    mutating func place(_ codewords: [UInt8]) {
        var bit = 0
        var isUpward = true
        for right in Self.columns(size) {
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !reserved[y * size + x] {
                    guard bit < codewords.count * 8 else { continue }
                    modules[y * size + x] = codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            isUpward.toggle()
        }
    }

    /// The right one of each pair of columns; the vertical timing pattern is left out.
    private static func columns(_ size: Int) -> [Int] {
        Array(stride(from: size - 1, to: 6, by: -2)) + [5, 3, 1]
    }

    func masked(by mask: Int) -> Matrix {
        var matrix = self
        for y in 0..<size {
            for x in 0..<size where !reserved[y * size + x] {
                if Self.inverts(mask, x, y) { matrix.modules[y * size + x].toggle() }
            }
        }
        matrix.drawFormat(mask: mask)
        return matrix
    }

    /// Table 10.
    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y).isMultiple(of: 2)
        case 1: y.isMultiple(of: 2)
        case 2: x.isMultiple(of: 3)
        case 3: (x + y).isMultiple(of: 3)
        case 4: (x / 3 + y / 2).isMultiple(of: 2)
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3).isMultiple(of: 2)
        default: ((x + y) % 2 + x * y % 3).isMultiple(of: 2)
        }
    }
}
