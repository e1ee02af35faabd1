internal import Bytes

/// The parameters of a query or a form.
struct OAuthParameters: Sendable {
    static let pairsMax = 64
    static let valueBytesMax = 8192

    let pairs: [(name: String, value: String)]

    /// nil for invalid escapes, or if the limits are exceeded.
    init?(_ text: some StringProtocol) {
        guard let pairs = PercentEncoding.parseForm(String(text), pairsMax: Self.pairsMax),
            pairs.allSatisfy({ $0.1.utf8.count <= Self.valueBytesMax })
        else { return nil }
        self.pairs = pairs.map { (name: $0.0, value: $0.1) }
    }

    /// RFC 6749 section 3.1: a parameter without a value is treated as absent.
    subscript(name: String) -> String? {
        let value = pairs.first { $0.name.isSame(as: name) }?.value
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The name of a duplicate parameter; RFC 6749 section 3.1 forbids duplicates.
    var repeated: String? {
        for (index, pair) in pairs.enumerated()
        where pairs[..<index].contains(where: { $0.name.isSame(as: pair.name) }) {
            return pair.name
        }
        return nil
    }
}
