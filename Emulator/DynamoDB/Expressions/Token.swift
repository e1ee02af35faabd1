internal import Bytes

/// A token of an expression and its position.
struct Token {
    enum Kind: Equatable {
        /// A letter, then letters, digits and underscores: a name, a keyword or a function.
        case word
        /// `#x`
        case nameReference
        /// `:x`
        case valueReference
        case digits
        /// `( ) [ ] , . + - = <> < <= > >=`
        case symbol
        /// An invalid character; the error is reported when the parser reaches it.
        case stray
        case end
    }

    let kind: Kind
    let text: String
    let range: Range<Int>

    func isSymbol(_ symbol: StaticString) -> Bool {
        kind == .symbol && text.utf8.elementsEqual(symbol.description.utf8)
    }

    /// Whether the token is this keyword, in upper or lower case.
    func isKeyword(_ upper: StaticString) -> Bool {
        guard kind == .word, text.utf8.count == upper.utf8CodeUnitCount else { return false }
        return text.utf8.elementsEqual(upper.description.utf8) { $0 & ~0x20 == $1 }
    }
}

/// Splits an expression into tokens.
enum Lexer {
    static func tokens(_ text: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var position = 0
        while position < text.count {
            if isSpace(text[position]) {
                position += 1
                continue
            }
            let (kind, end) = token(in: text, at: position)
            tokens.append(
                Token(
                    kind: kind, text: String(decoding: text[position..<end], as: UTF8.self),
                    range: position..<end))
            position = end
        }
        let end = tokens.last?.range.upperBound ?? 0
        tokens.append(Token(kind: .end, text: "<EOF>", range: end..<end))
        return tokens
    }

    private static func token(in text: [UInt8], at start: Int) -> (Token.Kind, Int) {
        func end(_ isIncluded: (UInt8) -> Bool) -> Int {
            var end = start + 1
            while end < text.count, isIncluded(text[end]) { end += 1 }
            return end
        }
        let next = start + 1 < text.count ? text[start + 1] : 0
        switch text[start] {
        case let byte where byte.isLetter: return (.word, end(isNamePart))
        case let byte where byte.isDigit: return (.digits, end(\.isDigit))
        case UInt8(ascii: "#") where isNamePart(next): return (.nameReference, end(isNamePart))
        case UInt8(ascii: ":") where isNamePart(next): return (.valueReference, end(isNamePart))
        case UInt8(ascii: "<"):
            let isLong = next == UInt8(ascii: ">") || next == UInt8(ascii: "=")
            return (.symbol, start + (isLong ? 2 : 1))
        case UInt8(ascii: ">"):
            return (.symbol, start + (next == UInt8(ascii: "=") ? 2 : 1))
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "="):
            return (.symbol, start + 1)
        default:
            // A complete character: continuation bytes have the form 10xxxxxx.
            return (.stray, text[start] < 0x80 ? start + 1 : end { $0 & 0xC0 == 0x80 })
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    static func isNamePart(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "_")
    }
}
