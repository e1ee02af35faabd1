/// `POST /auth/signin`, `DELETE /auth/sessions/{id}`.
package struct Route: Equatable, Sendable {
    package let method: String
    package let path: String

    let takesBody: Bool

    private init(_ method: String, _ path: String, takesBody: Bool) {
        self.method = method
        self.path = path
        self.takesBody = takesBody
    }

    package static func get(_ path: String) -> Route { Route("GET", path, takesBody: false) }
    package static func post(_ path: String) -> Route { Route("POST", path, takesBody: true) }
    package static func put(_ path: String) -> Route { Route("PUT", path, takesBody: true) }
    package static func patch(_ path: String) -> Route { Route("PATCH", path, takesBody: true) }
    package static func delete(_ path: String, takesBody: Bool = false) -> Route {
        Route("DELETE", path, takesBody: takesBody)
    }

    /// The names of the route's `{…}` segments. A segment that ends with `+` is the rest of the
    /// path.
    var parameterNames: [String] {
        path.split(separator: "/").filter { $0.first == "{" && $0.last == "}" }
            .map { String($0.dropFirst().dropLast().prefix { $0 != "+" }) }
    }

    /// The values of `{…}` segments if `path` matches.
    ///
    /// The path is not split into segments, which would be slow: a server compares a request with
    /// all routes of a contract.
    package func match(_ path: String) -> [String: String]? {
        let (pattern, actual) = (self.path.utf8.span, path.utf8.span)
        var parameters: [String: String] = [:]
        var (place, position) = (0, 0)
        while place < pattern.count {
            guard let close = Self.closeOfParameter(in: pattern, at: place) else {
                guard position < actual.count, actual[position] == pattern[place] else {
                    return nil
                }
                place += 1
                position += 1
                continue
            }
            let isRest = pattern[close - 1] == UInt8(ascii: "+")
            let end =
                isRest ? actual.count : Self.endOfSegment(in: actual, from: position)
            guard end > position else { return nil }
            let name = self.path.bytes(place + 1..<(isRest ? close - 1 : close))
            parameters[name] = path.bytes(position..<end)
            place = close + 1
            position = end
        }
        return position == actual.count ? parameters : nil
    }

    /// The place of `}` if a `{…}` segment begins at `place`.
    private static func closeOfParameter(in pattern: Span<UInt8>, at place: Int) -> Int? {
        guard pattern[place] == UInt8(ascii: "{"), place == 0 || pattern[place - 1] == slash else {
            return nil
        }
        let close = endOfSegment(in: pattern, from: place) - 1
        return pattern[close] == UInt8(ascii: "}") ? close : nil
    }

    private static func endOfSegment(in text: Span<UInt8>, from place: Int) -> Int {
        var end = place
        while end < text.count, text[end] != slash { end += 1 }
        return end
    }
}

private let slash = UInt8(ascii: "/")

extension String {
    fileprivate func bytes(_ range: Range<Int>) -> String {
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return String(Substring(utf8[start..<utf8.index(start, offsetBy: range.count)]))
    }
}
