/// Documents that some JSON parsers accept, made from the members of a valid object.
enum LaxJSON: Sendable {
    case text(prefix: String, suffix: String)
    case bytes(prefix: [UInt8], suffix: [UInt8])
    case utf16(bigEndian: Bool, hasMark: Bool)

    static let documents: [(String, LaxJSON)] = [
        ("byte order mark", .text(prefix: "\u{FEFF}{", suffix: "}")),
        ("UTF-16LE", .utf16(bigEndian: false, hasMark: false)),
        ("UTF-16BE", .utf16(bigEndian: true, hasMark: false)),
        ("UTF-16LE with mark", .utf16(bigEndian: false, hasMark: true)),
        ("UTF-16BE with mark", .utf16(bigEndian: true, hasMark: true)),
        ("trailing comma", .text(prefix: "{", suffix: ",}")),
        ("leading comma", .text(prefix: "{,", suffix: "}")),
        ("duplicate exp and alg, first", .text(prefix: #"{"exp":1,"alg":"none","#, suffix: "}")),
        ("duplicate exp and alg, last", .text(prefix: "{", suffix: #","exp":9,"alg":"none"}"#)),
        ("escaped duplicate", .text(prefix: "{", suffix: #","\u0065xp":9,"\u0061lg":"none"}"#)),
        ("duplicate of an unknown name", .text(prefix: #"{"x":1,"x":1,"#, suffix: "}")),
        ("duplicate deep inside", .text(prefix: #"{"x":{"y":1,"y":2},"#, suffix: "}")),
        ("comment", .text(prefix: "{/* */", suffix: "}")),
        ("line comment", .text(prefix: "{", suffix: "}//")),
        ("single quotes", .text(prefix: "{'x':1,", suffix: "}")),
        ("bare name", .text(prefix: "{x:1,", suffix: "}")),
        ("NaN", .text(prefix: #"{"x":NaN,"#, suffix: "}")),
        ("plus sign", .text(prefix: #"{"x":+1,"#, suffix: "}")),
        ("leading zero", .text(prefix: #"{"x":01,"#, suffix: "}")),
        ("second document", .text(prefix: "{", suffix: "}{}")),
        ("NUL after the end", .text(prefix: "{", suffix: "}\u{0}")),
        ("NUL in a string", .text(prefix: "{\"x\":\"\u{0}\",", suffix: "}")),
        ("line feed in a string", .text(prefix: "{\"x\":\"\n\",", suffix: "}")),
        ("lone surrogate", .text(prefix: #"{"x":"\ud800","#, suffix: "}")),
        ("no end", .text(prefix: "{", suffix: "")),
        (
            "overlong UTF-8",
            .bytes(prefix: Array(#"{"x":""#.utf8) + [0xC0, 0xAF, 0x22, 0x2C], suffix: [0x7D])
        ),
        ("Latin-1", .bytes(prefix: Array(#"{"x":""#.utf8) + [0xE9, 0x22, 0x2C], suffix: [0x7D])),
        (
            "too deep",
            .text(
                prefix: #"{"x":"# + String(repeating: "[", count: 40)
                    + String(repeating: "]", count: 40) + ",", suffix: "}")
        ),
    ]

    func bytes(in members: String) -> [UInt8] {
        switch self {
        case .text(let prefix, let suffix): return Array("\(prefix)\(members)\(suffix)".utf8)
        case .bytes(let prefix, let suffix): return prefix + Array(members.utf8) + suffix
        case .utf16(let bigEndian, let hasMark):
            let units = (hasMark ? [0xFEFF] : []) + Array("{\(members)}".utf16)
            return units.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return bigEndian ? [high, low] : [low, high]
            }
        }
    }
}
