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
    package static func delete(_ path: String) -> Route { Route("DELETE", path, takesBody: false) }

    /// The names of its `{…}` segments.
    var parameterNames: [String] {
        path.split(separator: "/").filter { $0.first == "{" && $0.last == "}" }
            .map { String($0.dropFirst().dropLast()) }
    }

    /// The values of `{…}` segments if `path` matches.
    package func match(_ path: String) -> [String: String]? {
        let pattern = self.path.utf8.split(separator: slash, omittingEmptySubsequences: false)
        let actual = path.utf8.split(separator: slash, omittingEmptySubsequences: false)
        guard pattern.count == actual.count else { return nil }
        var parameters: [String: String] = [:]
        for (expected, segment) in zip(pattern, actual) {
            if expected.first == UInt8(ascii: "{"), expected.last == UInt8(ascii: "}") {
                guard !segment.isEmpty else { return nil }
                let name = String(Substring(expected.dropFirst().dropLast()))
                parameters[name] = String(Substring(segment))
            } else if !expected.elementsEqual(segment) {
                return nil
            }
        }
        return parameters
    }
}

private let slash = UInt8(ascii: "/")
