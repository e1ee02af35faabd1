internal import Bytes

/// The tables in a DynamoDB request, found without parsing it, because every call is recorded and
/// few are displayed.
package enum TableNames {
    private static let searchedBytesMax = 16 << 10
    private static let tablesMax = 4
    private static let one = Array("TableName\":\"".utf8)
    /// In batches the member names are the tables.
    private static let several = Array("RequestItems\":{\"".utf8)

    /// `Sessions`, or `Sessions, Users` for operations that may concern several tables.
    package static func text(_ body: [UInt8], of operation: String) -> String {
        let isOfSeveral = ["Batch", "Transact"].contains { operation.utf8.starts(with: $0.utf8) }
        let tablesMax = isOfSeveral ? tablesMax : 1
        let body = body.prefix(searchedBytesMax)
        var names: [String] = []
        var index = body.startIndex
        while names.count < tablesMax, let quote = body[index...].firstIndex(of: quotationMark) {
            index = quote + 1
            // Occurrences within a text do not count.
            guard quote == 0 || body[quote - 1] != UInt8(ascii: "\\"),
                let start = end(of: one, from: index, in: body)
                    ?? end(of: several, from: index, in: body)
            else { continue }
            index = body[start...].firstIndex(of: quotationMark) ?? body.endIndex
            if let name = name(body[start..<index]), !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: ", ")
    }

    private static let quotationMark = UInt8(ascii: "\"")

    /// The index after the text, which may have white space between its tokens.
    private static func end(
        of text: [UInt8], from start: Int, in bytes: ArraySlice<UInt8>
    ) -> Int? {
        var index = start
        for expected in text {
            if !expected.isLetter {
                while index < bytes.endIndex, bytes[index] <= 0x20 { index += 1 }
            }
            guard index < bytes.endIndex, bytes[index] == expected else { return nil }
            index += 1
        }
        return index
    }

    /// A table may also be named by its ARN.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
        let last = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[($0 + 1)...] } ?? bytes
        let isName = last.allSatisfy {
            $0.isLetter || $0.isDigit || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
        }
        guard isName, (1...255).contains(last.count) else { return nil }
        return String(decoding: last, as: UTF8.self)
    }
}
