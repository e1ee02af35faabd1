internal import Bytes
internal import HTTP

// What the events have in common: filling a request from parts, with the limits in one place.
extension Request {
    mutating func setPath(encoded path: String) {
        guard let decoded = PercentEncoding.decode(path, plusIsSpace: false) else {
            defect = defect ?? .path
            return
        }
        setPath(decoded: decoded)
    }

    mutating func setPath(decoded: String) {
        guard !decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            defect = defect ?? .path
            return
        }
        path = decoded.utf8.first == UInt8(ascii: "/") ? decoded : "/" + decoded
    }

    /// Takes off the stage or the base path, where the path has it in front.
    mutating func stripPrefix(_ prefix: String) { path = path.droppingSegments(prefix) }

    mutating func setQuery(encoded text: String) {
        let pieces = text.utf8.split(separator: UInt8(ascii: "&")).count
        guard pieces <= RequestLimits.queryParametersMax else {
            defect = defect ?? .tooManyFields
            return
        }
        let parameters = PercentEncoding.parseForm(
            text, pairsMax: RequestLimits.queryParametersMax)
        guard let parameters else {
            defect = defect ?? .query
            return
        }
        query = parameters.map { (name: $0.0, value: $0.1) }
    }

    mutating func addQueryParameter(_ name: String, _ value: String) {
        guard query.count < RequestLimits.queryParametersMax else {
            defect = defect ?? .tooManyFields
            return
        }
        query.append((name, value))
    }

    mutating func addHeader(_ name: String, _ value: String) {
        let name = name.asciiLowercased
        guard !name.isSame(as: "cookie") else { return addCookies(value) }
        if let index = headers.firstIndex(where: { $0.name.isSame(as: name) }) {
            headers[index] = HTTPHeader(name, headers[index].value + "," + value)
        } else if headers.count < RequestLimits.headersMax {
            headers.append(HTTPHeader(name, value))
        } else {
            defect = defect ?? .tooManyFields
        }
    }

    /// Adds the cookies of one `Cookie` header; what has no `=` is no cookie (RFC 6265).
    mutating func addCookies(_ text: String) {
        for piece in text.utf8.split(separator: UInt8(ascii: ";")) {
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
            guard cookies.count < RequestLimits.cookiesMax else {
                defect = defect ?? .tooManyFields
                return
            }
            let name = Substring(piece[..<equals]).trimmingBlanks
            let value = Substring(piece[piece.index(after: equals)...]).trimmingBlanks
            cookies.append((name, value))
        }
    }
}

extension String {
    /// Only A to Z: `lowercased()` would turn the Kelvin sign into a `k`.
    package var asciiLowercased: String {
        guard utf8.contains(where: { $0 &- 0x41 < 26 }) else { return self }
        return String(decoding: utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    var asciiUppercased: String {
        String(decoding: utf8.map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }, as: UTF8.self)
    }

    /// The path behind `prefix`, if the prefix is there as whole segments.
    func droppingSegments(_ prefix: String) -> String {
        let rest = utf8.dropFirst(prefix.utf8.count)
        guard !prefix.isEmpty, utf8.starts(with: prefix.utf8) else { return self }
        guard let next = rest.first else { return "/" }
        return next == UInt8(ascii: "/") ? String(Substring(rest)) : self
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let start = utf8.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(start[...last]))
    }
}
