internal import Bytes
internal import Cryptography
internal import HTTP

/// How a service canonicalises the path.
package struct PathRule: Sendable, Equatable {
    /// Whether `//`, `.` and `..` are resolved.
    let normalizes: Bool
    /// Whether the URL's path is encoded once more, so that `%20` becomes `%2520`.
    let encodesAgain: Bool

    /// The rule for all services except S3.
    package static let standard = PathRule(normalizes: true, encodesAgain: true)
    /// The rule for S3, whose object keys may contain `..` and `//`.
    package static let s3 = PathRule(normalizes: false, encodesAgain: false)
    /// The rule for API Gateway and other services that keep dot segments.
    package static let verbatim = PathRule(normalizes: false, encodesAgain: true)

    package static func of(service: String) -> PathRule { service == "s3" ? .s3 : .standard }

    func canonical(_ path: String) -> String {
        if path.isEmpty || path == "/" { return "/" }
        // Most object keys need no encoding.
        if !normalizes, path.utf8.allSatisfy({ $0 == 0x2F || URIEncoding.isPlain($0) }) {
            return path
        }
        let resolved = normalizes ? Self.normalized(Array(path.utf8)) : Array(path.utf8)
        // Each segment is encoded separately, because a `%2F` inside a segment is not a separator.
        let segments = resolved.split(separator: 0x2F, omittingEmptySubsequences: false)
            .map { URIEncoding.encode(encodesAgain ? Array($0) : URIEncoding.decode($0)) }
        return segments.joined(separator: "/")
    }

    private static func normalized(_ path: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        for segment in path.split(separator: 0x2F) {
            if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
            } else if !segment.elementsEqual(".".utf8) {
                kept.append(segment)
            }
        }
        let end: [UInt8] = path.last == 0x2F && !kept.isEmpty ? [0x2F] : []
        return kept.isEmpty ? [0x2F] : kept.flatMap { [0x2F] + $0 } + end
    }
}

/// The canonical request of Signature Version 4, which both sides hash.
package struct CanonicalRequest: Sendable, Equatable {
    private let bytes: [UInt8]
    /// Lower-case names in byte order, separated by `;`.
    package let signedHeaders: String

    /// `signing` lists the signed headers, in lower case.
    package init(
        _ request: SignableRequest, signing names: some Sequence<String>, payloadHash: String,
        path rule: PathRule
    ) {
        let sorted = Self.inOrder(Array(names))
        signedHeaders = sorted.joined(separator: ";")
        // The text is appended to one array, because concatenating strings dominates the cost of a
        // signature.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1024)
        bytes += request.method.utf8
        bytes.append(line: rule.canonical(request.path))
        bytes.append(line: Self.canonical(query: request.query))
        for name in sorted {
            bytes.append(line: name)
            var separator = UInt8(ascii: ":")
            for header in request.headers where header.isNamed(name) {
                bytes.append(separator)
                bytes += Self.trimmed(header.value).utf8
                separator = UInt8(ascii: ",")
            }
            if separator == UInt8(ascii: ":") { bytes.append(separator) }
        }
        for line in ["", signedHeaders, payloadHash] { bytes.append(line: line) }
        self.bytes = bytes
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Most clients send the names in byte order and without duplicates.
    private static func inOrder(_ names: [String]) -> [String] {
        if zip(names, names.dropFirst()).allSatisfy(isAscending) { return names }
        return names.sorted(by: isAscending).reduce(into: []) { kept, name in
            if kept.last?.isSame(as: name) != true { kept.append(name) }
        }
    }

    private static func isAscending(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    package var hash: String { Hex.encode(SHA256.hash(bytes)) }

    // The parts are encoded before they are sorted, because `%E1` sorts before `P`.
    private static func canonical(query: String) -> String {
        if query.isEmpty { return "" }
        return query.utf8.split(separator: 0x26).map(field).sorted { left, right in
            left.name == right.name
                ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
                : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
        .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private static func field(_ pair: Substring.UTF8View) -> (name: String, value: String) {
        let mark = pair.firstIndex(of: 0x3D)
        let name = pair[..<(mark ?? pair.endIndex)]
        let value = pair[(mark.map { pair.index(after: $0) } ?? pair.endIndex)...]
        return (
            URIEncoding.encode(URIEncoding.decode(name)),
            URIEncoding.encode(URIEncoding.decode(value))
        )
    }

    private static func trimmed(_ value: String) -> String {
        guard !value.utf8.allSatisfy({ $0 > 0x20 }) else { return value }
        let words = value.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
        return words.map { String(Substring($0)) }.joined(separator: " ")
    }
}

extension [UInt8] {
    fileprivate mutating func append(line: String) {
        append(UInt8(ascii: "\n"))
        self += line.utf8
    }
}
