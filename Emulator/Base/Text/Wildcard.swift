/// Matches a text against a pattern in which `*` stands for any text.
///
/// IAM policies use `EmulatorAWS.PolicyPattern`, in which values of the request are literal.
package enum Wildcard {
    /// - Parameter hasAnyOne: whether `?` stands for one byte.
    package static func matches(
        _ pattern: String, _ text: String, hasAnyOne: Bool = false
    ) -> Bool {
        let pattern = Array(pattern.utf8)
        let text = Array(text.utf8)
        let star = UInt8(ascii: "*")
        func isOne(_ byte: UInt8, _ other: UInt8) -> Bool {
            byte == other || hasAnyOne && byte == UInt8(ascii: "?")
        }
        var at = (pattern: 0, text: 0)
        // Where to continue if the pattern after the last star does not match.
        var retry: (pattern: Int, text: Int)?
        while at.text < text.count {
            if at.pattern < pattern.count, pattern[at.pattern] == star {
                at.pattern += 1
                retry = at
            } else if at.pattern < pattern.count, isOne(pattern[at.pattern], text[at.text]) {
                at = (at.pattern + 1, at.text + 1)
            } else if let last = retry {
                retry = (last.pattern, last.text + 1)
                at = (last.pattern, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[at.pattern...].allSatisfy { $0 == star }
    }
}
