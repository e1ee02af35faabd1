internal import Bytes

/// Fingerprints of the values that connect related requests: the tokens, codes and nonces that a
/// browser, an identity provider and an app pass to each other. The values are not kept, and the
/// fingerprints differ between processes.
package struct TraceMarks: Sendable {
    /// The values without duplicates.
    package private(set) var values: [Int] = []

    private static let marksMax = 16
    private static let searchedBytesMax = 64 << 10
    /// A shorter value could be equal by chance.
    private static let valueBytesMin = 16
    /// The names in lower case, without `_`.
    private static let names = Set(
        [
            "state", "nonce", "rawnonce", "code", "token", "idtoken", "idtokenhint",
            "identitytoken", "accesstoken", "refreshtoken", "subjecttoken", "logouttoken",
            "ticket", "request", "requesturi", "devicecode", "usercode",
        ].map { Array($0.utf8) })

    package init() {}

    package mutating func add(_ value: ArraySlice<UInt8>) {
        let value = Self.withoutPrefix(value)
        let userCode = Self.userCode(value)
        guard userCode != nil || value.count >= Self.valueBytesMin, values.count < Self.marksMax
        else { return }
        var hasher = Hasher()
        let compared = userCode ?? Array(value)
        unsafe compared.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
        let mark = hasher.finalize()
        if !values.contains(mark) { values.append(mark) }
    }

    /// The prefixes of the names of pushed requests (RFC 9126 section 2.2), as in JSON and in a
    /// query.
    private static let prefixes = [
        "urn:ietf:params:oauth:request_uri:", "urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A",
    ]

    private static func withoutPrefix(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let prefix = prefixes.first { value.starts(with: $0.utf8) }
        return value.dropFirst(prefix?.utf8.count ?? 0)
    }

    private static let userCodeCount = 8

    /// The code that a person types for a device (RFC 8628 section 6.1), in one spelling; nil for
    /// other values.
    private static func userCode(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        guard (userCodeCount..<valueBytesMin).contains(value.count) else { return nil }
        let letters = value.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }
            .map(\.lowercased)
        let isCode =
            letters.count == userCodeCount
            && letters.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
        return isCode ? letters : nil
    }

    /// A query, a fragment or a form.
    package mutating func add(form: ArraySlice<UInt8>) {
        var rest = form.prefix(Self.searchedBytesMax)
        while !rest.isEmpty {
            let pairEnd = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
            let pair = rest[..<pairEnd]
            if let nameEnd = pair.firstIndex(of: UInt8(ascii: "=")), Self.isName(pair[..<nameEnd]) {
                add(pair[(nameEnd + 1)...])
            }
            rest = rest[pairEnd...].dropFirst()
        }
    }

    /// JSON, a form, or a page with a form.
    package mutating func add(body: [UInt8]) {
        let body = body.prefix(Self.searchedBytesMax)
        guard let first = body.first(where: { $0 > 0x20 }) else { return }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "<") else {
            return add(form: body)
        }
        var index = body.startIndex
        while let text = Self.text(after: index, in: body) {
            index = text.endIndex + 1
            guard Self.isName(text), let value = Self.value(after: index, in: body) else {
                continue
            }
            add(value)
            index = value.endIndex + 1
        }
    }

    private static let quotationMark = UInt8(ascii: "\"")

    /// The next text in quotation marks. An escaped quotation mark ends it too early, which does
    /// not matter, because tokens contain none.
    private static func text(after start: Int, in body: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard start < body.endIndex, let first = body[start...].firstIndex(of: quotationMark),
            let last = body[(first + 1)...].firstIndex(of: quotationMark)
        else { return nil }
        return body[(first + 1)..<last]
    }

    /// `: "…"`, or ` value="…"`.
    private static func value(
        after start: Int, in body: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        guard start < body.endIndex else { return nil }
        let rest = body[start...].drop { $0 <= 0x20 }
        let isMember = rest.first == UInt8(ascii: ":")
        guard isMember || rest.starts(with: "value=".utf8) else { return nil }
        let before = rest.dropFirst(isMember ? 1 : 6).drop { $0 <= 0x20 }
        guard before.first == quotationMark else { return nil }
        return text(after: before.startIndex, in: body)
    }

    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        guard (4...20).contains(name.count) else { return false }
        return names.contains(
            name.filter { $0 != UInt8(ascii: "_") }.map(\.lowercased))
    }
}
