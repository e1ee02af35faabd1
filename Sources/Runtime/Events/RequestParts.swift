internal import Bytes
internal import HTTP

// Fills a request from the parts that all event formats share, and enforces the limits.
extension Request {
    /// An escaped slash is data and separates no segments (RFC 3986 section 2.2), and no route has
    /// one in a segment. If it were decoded, a request could bypass a proxy that compares the
    /// encoded paths.
    mutating func setPath(encoded path: String) {
        guard path.utf8.count <= RequestLimits.pathBytesMax, !path.hasEscapedSlash,
            let decoded = PercentEncoding.decode(path, plusIsSpace: false)
        else { return refuse(.path) }
        setPath(decoded: decoded)
    }

    mutating func setPath(decoded: String) {
        guard decoded.utf8.count <= RequestLimits.pathBytesMax,
            !decoded.utf8.contains(where: \.isControl)
        else { return refuse(.path) }
        path = decoded.utf8.first == UInt8(ascii: "/") ? decoded : "/" + decoded
    }

    /// Removes the base path if the path begins with it.
    mutating func stripPrefix(_ prefix: String) {
        let rest = path.droppingSegments(prefix)
        guard rest.utf8.count < path.utf8.count else { return }
        path = rest
        basePath = prefix
    }

    mutating func setQuery(encoded text: String) {
        guard !text.isEmpty else { return }
        guard text.utf8.count <= RequestLimits.queryBytesMax,
            text.utf8.split(separator: UInt8(ascii: "&")).count
                <= RequestLimits.queryParametersMax
        else { return refuse(.tooManyFields) }
        let parameters = PercentEncoding.parseForm(
            text, pairsMax: RequestLimits.queryParametersMax)
        guard let parameters else { return refuse(.query) }
        query = parameters.map { (name: $0.0, value: $0.1) }
    }

    /// False beyond the limit: the caller can stop.
    mutating func addQueryParameter(_ name: String, _ value: String) -> Bool {
        let bytes = query.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard query.count < RequestLimits.queryParametersMax,
            bytes + name.utf8.count + value.utf8.count <= RequestLimits.queryBytesMax
        else {
            refuse(.tooManyFields)
            return false
        }
        query.append((name, value))
        return true
    }

    /// Adds one value of a header. False beyond the limit: the caller can stop.
    ///
    /// The values of a repeated header are joined by copying, which is cheap within the limits.
    mutating func addHeader(_ name: String, _ value: String) -> Bool {
        guard countHeader(bytes: name.utf8.count + value.utf8.count) else { return false }
        let name = name.asciiLowercased
        if name.isSame(as: "cookie") { return addCookies(in: value) }
        if let index = headers.firstIndex(where: { $0.name.isSame(as: name) }) {
            headers[index] = HTTPHeader(name, headers[index].value + "," + value)
        } else {
            headers.append(HTTPHeader(name, value))
        }
        return true
    }

    /// Adds the cookies that the gateway lists separately, as `name=value`.
    mutating func addCookies(listed text: String) -> Bool {
        // The cookies were sent as a `Cookie` header, so both their bytes and their number count.
        headerUse.bytes += text.utf8.count
        guard headerUse.bytes <= RequestLimits.headerBytesMax else {
            refuse(.tooManyFields)
            return false
        }
        return addCookies(in: text)
    }

    private mutating func countHeader(bytes: Int) -> Bool {
        headerUse.values += 1
        headerUse.bytes += bytes
        guard headerUse.values <= RequestLimits.headersMax,
            headerUse.bytes <= RequestLimits.headerBytesMax
        else {
            refuse(.tooManyFields)
            return false
        }
        return true
    }

    /// Adds the cookies of one `Cookie` header. An entry without `=` is ignored (RFC 6265 section
    /// 5.2).
    private mutating func addCookies(in text: String) -> Bool {
        for piece in text.utf8.split(separator: UInt8(ascii: ";")) {
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
            guard cookies.count < RequestLimits.cookiesMax else {
                refuse(.tooManyFields)
                return false
            }
            let name = Substring(piece[..<equals]).trimmingBlanks
            let value = Substring(piece[piece.index(after: equals)...]).trimmingBlanks
            cookies.append((name, value))
        }
        return true
    }

    /// The first defect is reported.
    mutating func refuse(_ found: RequestDefect) { defect = defect ?? found }
}

extension String {
    fileprivate var hasEscapedSlash: Bool {
        asciiUppercased.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
            .dropFirst().contains { $0.starts(with: "2F".utf8) }
    }

    /// The path without `prefix`, if it begins with these segments; otherwise the whole path.
    func droppingSegments(_ prefix: String) -> String {
        let rest = utf8.dropFirst(prefix.utf8.count)
        guard !prefix.isEmpty, utf8.starts(with: prefix.utf8) else { return self }
        guard let next = rest.first else { return "/" }
        return next == UInt8(ascii: "/") ? String(Substring(rest)) : self
    }
}
