extension String {
    /// The bytes as text; nil if they are not UTF-8.
    ///
    /// Unlike `String(validating:as:)` it is not generic: the generic one looks up its own metadata
    /// on each call, which costs more than the conversion.
    package init?(checkingUTF8 bytes: Span<UInt8>) {
        do throws(UTF8.ValidationError) {
            self.init(copying: try UTF8Span(validating: bytes))
        } catch {
            return nil
        }
    }
}
