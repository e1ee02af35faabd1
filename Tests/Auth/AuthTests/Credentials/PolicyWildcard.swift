/// IAM's matching of `*`, `?` and policy variables, implemented independently of the product.
enum PolicyWildcard {
    /// Whether `pattern` matches `text`, byte for byte, as in `StringLike` and `Resource`.
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let (pattern, text) = (Array(pattern.utf8), Array(text.utf8))
        // reachable[j]: the pattern so far matches the first j bytes.
        var reachable = [Bool](repeating: false, count: text.count + 1)
        reachable[0] = true
        for symbol in pattern {
            var next = [Bool](repeating: false, count: text.count + 1)
            switch symbol {
            case UInt8(ascii: "*"):
                var isOpen = false
                for index in 0...text.count {
                    isOpen = isOpen || reachable[index]
                    next[index] = isOpen
                }
            case UInt8(ascii: "?"):
                for index in 0..<text.count where reachable[index] { next[index + 1] = true }
            default:
                for index in 0..<text.count where reachable[index] && text[index] == symbol {
                    next[index + 1] = true
                }
            }
            reachable = next
        }
        return reachable[text.count]
    }

    /// A `$` begins a policy variable, which AWS would replace.
    static func hasVariable(_ pattern: String) -> Bool { pattern.utf8.contains(UInt8(ascii: "$")) }
}
