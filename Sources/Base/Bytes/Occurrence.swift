extension Collection<UInt8> {
    /// Where `text` occurs first.
    ///
    /// `firstRange(of:)` and `contains(_:)` of the standard library are in the module of regular
    /// expressions, whose parser would be a part of each executable.
    package func firstOccurrence(of text: String) -> Range<Index>? {
        let sought = text.utf8
        var start = startIndex
        while true {
            let rest = self[start...]
            if rest.starts(with: sought) {
                return start..<rest.index(start, offsetBy: sought.count)
            }
            guard start < endIndex else { return nil }
            formIndex(after: &start)
        }
    }

    package func contains(text: String) -> Bool { firstOccurrence(of: text) != nil }
}
