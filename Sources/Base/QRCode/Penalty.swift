/// How hard a masked symbol is to read (section 7.8.3); the mask with the least penalty is used.
enum Penalty {
    static func of(_ modules: [Bool], size: Int) -> Int {
        let rows = (0..<size).map { Array(modules[$0 * size..<($0 + 1) * size]) }
        let columns = (0..<size).map { x in rows.map { $0[x] } }
        var penalty = (rows + columns).reduce(0) { $0 + runs($1) + finderLike($1) }
        for y in 1..<size {
            for x in 1..<size {
                let isDark = rows[y][x]
                let isBlock =
                    rows[y - 1][x] == isDark && rows[y][x - 1] == isDark
                    && rows[y - 1][x - 1] == isDark
                if isBlock { penalty += 3 }
            }
        }
        let percent = modules.count { $0 } * 100 / modules.count
        return penalty + abs(percent - 50) / 5 * 10
    }

    /// Five or more modules of one colour in a line.
    private static func runs(_ line: [Bool]) -> Int {
        var (penalty, length) = (0, 0)
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }

    private static let light = [Bool](repeating: false, count: 4)
    private static let finderThenLight = 0b101_1101_0000
    private static let lightThenFinder = 0b000_0101_1101

    /// Outside the symbol all modules are light.
    private static func finderLike(_ line: [Bool]) -> Int {
        // The last eleven modules as bits.
        var (window, penalty) = (0, 0)
        for isDark in light + line + light {
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FF
            if window == finderThenLight || window == lightThenFinder { penalty += 40 }
        }
        return penalty
    }
}
