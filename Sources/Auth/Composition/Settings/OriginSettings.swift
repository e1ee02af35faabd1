internal import Bytes

/// `ALLOWED_ORIGINS`: the web apps that may send requests with `fetch`.
enum OriginSettings {
    static let originsMax = 32
    static let originBytesMax = 255

    static func read(_ reader: inout SettingsReader) -> [String] {
        let origins = reader.list("ALLOWED_ORIGINS")
        guard origins.count <= originsMax, origins.allSatisfy(isOrigin) else {
            reader.refuse(
                "ALLOWED_ORIGINS must be at most \(originsMax) origins such as "
                    + "https://app.example.com, as browsers send them: https, or http for this "
                    + "machine, in lower case, without a path, a wildcard or the usual port"
                    + SettingsReader.naming(origin: origins.first { !isOrigin($0) }))
            return []
        }
        return origins
    }

    /// The form that browsers send (HTML Standard, "ASCII serialization of an origin"): any other
    /// spelling would never match. `null` is not accepted, because it is the origin of every
    /// sandboxed page and local file.
    private static func isOrigin(_ text: String) -> Bool {
        let isSecure = text.hasPrefix("https://")
        guard text.utf8.count <= originBytesMax, isSecure || text.hasPrefix("http://") else {
            return false
        }
        let authority = text.dropFirst(isSecure ? 8 : 7)
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end, isHost(authority[..<end]) else { return false }
        let host = String(authority[..<end])
        guard isSecure || ["localhost", "127.0.0.1", "[::1]"].contains(host) else { return false }
        return isPort(authority[end...], standard: isSecure ? 443 : 80)
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            let address = host.dropFirst().dropLast()
            return !address.isEmpty
                && address.utf8.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-_".utf8
        return labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { allowed.contains($0) } }
    }

    /// Whether the text is empty, or `:` and a port other than the scheme's default.
    private static func isPort(_ text: Substring, standard: UInt16) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), digits.utf8.allSatisfy(\.isDigit),
            !digits.hasPrefix("0"), let port = UInt16(digits)
        else { return false }
        return port != standard
    }
}
