internal import Bytes

/// A string of a policy with wildcards and variables, parsed once and matched often.
///
/// `*` matches any run of characters, `?` one character. `${name}` is a value of the request, in
/// which `*` and `?` are literal; `${*}`, `${?}` and `${$}` are these characters themselves.
struct PolicyPattern: Sendable, Equatable {
    /// A byte, or one of the two wildcards, which are above all bytes.
    typealias Token = UInt16
    static let anyOne: Token = 256
    static let anyRun: Token = 257

    private enum Piece: Sendable, Equatable {
        case tokens([Token])
        case variable(ContextKey, fallback: [UInt8]?)
    }

    private let pieces: [Piece]
    /// The pattern as in the policy document.
    let text: String

    /// Variables exist only in policies of version 2012-10-17.
    init(_ text: String, hasVariables: Bool, hasWildcards: Bool = true) {
        self.text = text
        var pieces: [Piece] = []
        var tokens: [Token] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if hasVariables, rest.starts(with: "${".utf8),
                let end = rest.firstIndex(of: UInt8(ascii: "}"))
            {
                let inner = rest[(rest.startIndex + 2)..<end]
                rest = rest[(end + 1)...]
                if inner.count == 1, let only = inner.first, "*?$".utf8.contains(only) {
                    tokens.append(Token(only))
                } else {
                    pieces += [.tokens(tokens), Self.variable(inner)]
                    tokens = []
                }
                continue
            }
            rest = rest.dropFirst()
            switch byte {
            case UInt8(ascii: "*") where hasWildcards:
                if tokens.last != Self.anyRun { tokens.append(Self.anyRun) }
            case UInt8(ascii: "?") where hasWildcards: tokens.append(Self.anyOne)
            default: tokens.append(Token(byte))
            }
        }
        pieces.append(.tokens(tokens))
        self.pieces = pieces.filter { $0 != .tokens([]) }
    }

    /// Whether the pattern depends on the request.
    var hasVariables: Bool {
        pieces.contains { if case .variable = $0 { true } else { false } }
    }

    // `aws:username, 'anonymous'`
    private static func variable(_ inner: ArraySlice<UInt8>) -> Piece {
        let halves = inner.split(separator: UInt8(ascii: ","), maxSplits: 1)
        let name = halves.first.map(trimmed) ?? [][...]
        let quoted = halves.count == 2 ? trimmed(halves[1]) : nil
        let quote = UInt8(ascii: "'")
        let fallback = quoted.flatMap { text -> [UInt8]? in
            guard text.count >= 2, text.first == quote, text.last == quote else { return nil }
            return Array(text.dropFirst().dropLast())
        }
        return .variable(ContextKey(utf8: name), fallback: fallback)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while bytes.first == UInt8(ascii: " ") { bytes = bytes.dropFirst() }
        while bytes.last == UInt8(ascii: " ") { bytes = bytes.dropLast() }
        return bytes
    }

    /// The pattern for one request; nil if a variable has no single value, and then nothing
    /// matches.
    func tokens(in context: PolicyContext) -> [Token]? {
        var tokens: [Token] = []
        for piece in pieces {
            switch piece {
            case .tokens(let run):
                if tokens.isEmpty { tokens = run } else { tokens += run }
            case .variable(let key, let fallback):
                if let value = context.singleValue(key) {
                    tokens += value.utf8.map(Token.init)
                } else if let fallback {
                    tokens += fallback.map(Token.init)
                } else {
                    return nil
                }
            }
        }
        return tokens
    }

    /// The string without wildcards, for operators that compare whole values.
    func value(in context: PolicyContext) -> [UInt8]? {
        tokens(in: context)?.map { token in
            switch token {
            case Self.anyRun: UInt8(ascii: "*")
            case Self.anyOne: UInt8(ascii: "?")
            default: UInt8(truncatingIfNeeded: token)
            }
        }
    }

    func matches(_ text: some Sequence<UInt8>, in context: PolicyContext) -> Bool {
        guard let tokens = tokens(in: context) else { return false }
        return Self.matches(tokens[...], Array(text)[...])
    }

    /// The match is greedy, with backtracking only to the last `*`. It takes at most tokens × bytes
    /// steps.
    static func matches(_ tokens: ArraySlice<Token>, _ text: ArraySlice<UInt8>) -> Bool {
        var token = tokens.startIndex
        var position = text.startIndex
        var retry: (token: Int, position: Int)?
        while position < text.endIndex {
            if token < tokens.endIndex, tokens[token] == anyRun {
                token += 1
                retry = (token, position)
            } else if token < tokens.endIndex, tokens[token] == anyOne {
                token += 1
                position = nextCharacter(text, position)
            } else if token < tokens.endIndex, tokens[token] == Token(text[position]) {
                token += 1
                position += 1
            } else if let last = retry {
                token = last.token
                position = nextCharacter(text, last.position)
                retry = (token, position)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == anyRun }
    }

    // The end of the next character (Unicode scalar): continuation bytes begin with 10.
    private static func nextCharacter(_ text: ArraySlice<UInt8>, _ position: Int) -> Int {
        var next = position + 1
        while next < text.endIndex, text[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }
}
