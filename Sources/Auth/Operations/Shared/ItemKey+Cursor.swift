internal import Bytes
internal import KeyValueStore

// The place at which the next call of a paged walk through the store continues.
extension ItemKey {
    /// `<partition>|<sort key>`, encoded.
    var cursor: String {
        [partition, sort].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: "|")
    }

    /// nil if the text is not a cursor.
    init?(cursor: String) {
        let texts = cursor.split(separator: "|").compactMap { part in
            Base64URL.decode(String(part)).flatMap { String(checkingUTF8: $0.span) }
        }
        guard texts.count == 2 else { return nil }
        self.init(texts[0], texts[1])
        guard (try? StoreLimits.check(self)) != nil else { return nil }
    }
}
