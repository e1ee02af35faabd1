/// The two content codings that AWS's services accept and send (RFC 9110 section 8.4.1).
package enum ContentCoding: String, CaseIterable, Sendable {
    case gzip
    case deflate

    /// The coding of `Content-Encoding`; nil if there is none or it is unknown.
    package init?(named name: String) { self.init(rawValue: name.lowercased()) }

    /// The coding that a client prefers; nil if it accepts none of them.
    ///
    /// - Parameter accepted: `Accept-Encoding`. As in DynamoDB, the order decides between equal
    ///   weights, `*` means the codings that are not named, and an invalid weight is 1.
    package static func preferred(_ accepted: String) -> ContentCoding? {
        var named: [(coding: ContentCoding, weight: Double)] = []
        var others: Double?
        for element in accepted.split(separator: ",") {
            let parts = element.split(separator: ";", maxSplits: 1)
            guard let first = parts.first else { continue }
            let weight = parts.count > 1 ? Self.weight(parts[1]) : 1
            let token = trimmed(first).lowercased()
            if token == "*" {
                others = others ?? weight
            } else if let coding = ContentCoding(named: token) {
                named.append((coding, weight))
            }
        }
        if let others {
            for coding in allCases where !named.contains(where: { $0.coding == coding }) {
                named.append((coding, others))
            }
        }
        var best: (coding: ContentCoding, weight: Double)?
        for choice in named where choice.weight > best?.weight ?? 0 { best = choice }
        return best?.coding
    }

    private static func weight(_ parameters: Substring) -> Double {
        guard let mark = parameters.range(ofASCII: "q=") else { return 1 }
        let text = trimmed(parameters[mark...].prefix { $0 != ";" })
        guard let weight = Double(text) else { return 1 }
        return min(weight, 1)
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        var end = start
        while end.last == " " || end.last == "\t" { end.removeLast() }
        return String(end)
    }
}

extension Substring {
    /// The index after the first occurrence of an ASCII text.
    fileprivate func range(ofASCII text: String) -> Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
