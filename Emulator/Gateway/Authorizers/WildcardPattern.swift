/// Matches `*` (any text) and `?` (one character), as in policies.
enum WildcardPattern {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let text = Array(text.utf8)
        var position = 0
        var index = 0
        // Where to continue if the text after the last star does not match.
        var star: (next: Int, index: Int)?
        while index < text.count {
            if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
                position += 1
                star = (position, index)
            } else if position < pattern.count,
                pattern[position] == UInt8(ascii: "?") || pattern[position] == text[index]
            {
                position += 1
                index += 1
            } else if let last = star {
                position = last.next
                index = last.index + 1
                star = (position, index)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
