/// Well-known URIs of a resource that has a path.
package enum WellKnownURL {
    /// The path of the well-known name for a URL, inserted between its host and its path (RFC 8414
    /// section 3.1, RFC 9728 section 3.1): `/.well-known/NAME/mcp` for `https://example.com/mcp`.
    ///
    /// - Parameter url: absolute, and without a fragment.
    /// - Returns: the origin, and the path with the query, if the URL has one.
    package static func inserting(
        _ name: String, into url: String
    ) -> (origin: String, path: String) {
        let bytes = url.utf8
        let scheme = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.startIndex
        // The authority begins after the colon and two slashes.
        let authority = bytes.index(scheme, offsetBy: 3, limitedBy: bytes.endIndex)
        let end =
            bytes[(authority ?? bytes.endIndex)...].firstIndex { "/?".utf8.contains($0) }
            ?? bytes.endIndex
        var rest = bytes[end...]
        // The slash after the host is left out if no path follows it.
        if rest.elementsEqual("/".utf8) || rest.starts(with: "/?".utf8) { rest = rest.dropFirst() }
        return (String(Substring(bytes[..<end])), "/.well-known/\(name)\(Substring(rest))")
    }

    /// RFC 9728 section 3.
    package static let protectedResource = "oauth-protected-resource"
}
