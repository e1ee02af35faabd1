extension String {
    /// The text of these bytes; nil where they are not UTF-8.
    ///
    /// Unlike `String(validating:as:)` it is not generic: that one looks up its own metadata each
    /// time, which costs more than the text.
    package init?(checkingUTF8 bytes: Span<UInt8>) {
        do throws(UTF8.ValidationError) {
            self.init(copying: try UTF8Span(validating: bytes))
        } catch {
            return nil
        }
    }
}
