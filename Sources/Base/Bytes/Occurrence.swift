extension Collection<UInt8> {
    /// The range of the first occurrence of `text`.
    ///
    /// `firstRange(of:)` and `contains(_:)` of the standard library belong to the module of regular
    /// expressions, whose parser would be linked into each executable.
    package func firstOccurrence(of text: String) -> Range<Index>? {
        var text = text
        let offset = text.withUTF8 { sought in
            unsafe withContiguousStorageIfAvailable { unsafe $0.offset(of: sought) }
                ?? Array(self).withUnsafeBufferPointer { unsafe $0.offset(of: sought) }
        }
        guard let offset else { return nil }
        let start = index(startIndex, offsetBy: offset)
        return start..<index(start, offsetBy: text.utf8.count)
    }

    package func contains(text: String) -> Bool { firstOccurrence(of: text) != nil }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of bytes before the first occurrence.
    func offset(of sought: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = unsafe sought.first else { return 0 }
        guard sought.count <= count else { return nil }
        for start in 0...(count - sought.count) where unsafe self[start] == first {
            var length = 1
            while length < sought.count, unsafe self[start + length] == sought[length] {
                length += 1
            }
            if length == sought.count { return start }
        }
        return nil
    }
}
