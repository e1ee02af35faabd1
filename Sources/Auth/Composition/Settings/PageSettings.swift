internal import AuthDomain
internal import Bytes
internal import FunctionRuntime

/// `UI`, `UI_LOGO`, `UI_COLOR` and `UI_RETURN`: whether there are pages for people, how they look,
/// and to which apps they return.
enum PageSettings {
    static let logoBytesMax = 16 << 10
    static let returnsMax = 32
    static let returnBytesMax = 512

    private enum Extent: String, CaseIterable { case on, off }

    static func areOn(_ reader: SettingsReader) -> Bool {
        reader.text("UI").map { $0.isSame(as: Extent.on.rawValue) } ?? false
    }

    /// nil if pages are off.
    static func read(
        _ reader: inout SettingsReader, _ standard: PagesPolicy?, proofs: ProofPolicy?
    ) -> PagesPolicy? {
        guard var policy = standard else { return nil }
        let isOn = reader.choice("UI", Extent.self) == .on
        if isOn, proofs?.mode == .required {
            reader.refuse("UI: pages cannot prove a key, which DPOP=required asks for")
        }
        policy.appName = reader.text("APP_NAME")
        policy.logo = logo(&reader)
        policy.returns = returns(&reader)
        if let text = reader.text("UI_COLOR") {
            policy.color = BrandColor(parsing: text)
            if policy.color == nil {
                reader.refuse("UI_COLOR must be a colour such as #2f5bd7")
            }
        }
        return isOn ? policy : nil
    }

    /// The logo becomes part of an attribute and, without its path, of the content security policy,
    /// so it needs plain characters.
    private static func logo(_ reader: inout SettingsReader) -> String? {
        guard let text = reader.text("UI_LOGO") else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
        }
        guard text.utf8.count <= logoBytesMax, isPlain, isRemote(text) || isImage(text) else {
            reader.refuse(
                "UI_LOGO must be an https URL, or data:image/…;base64,… of PNG, SVG or WebP, of "
                    + "at most \(logoBytesMax) bytes")
            return nil
        }
        return text
    }

    private static func returns(_ reader: inout SettingsReader) -> [String] {
        let addresses = reader.list("UI_RETURN")
        guard addresses.count <= returnsMax, addresses.allSatisfy(isReturn) else {
            reader.refuse(
                "UI_RETURN must be at most \(returnsMax) addresses of apps: https, http for this "
                    + "machine, or a scheme of an app with a dot, such as "
                    + "com.example.app:/signed-in, without a fragment"
                    + naming(addresses.first { !isReturn($0) }))
            return []
        }
        // Browsers write the address of an origin with a slash.
        let origins = addresses.filter { address in
            address.hasPrefix("http") && address.split(separator: "/").count == 2
                && !address.utf8.contains(UInt8(ascii: "?")) && !address.hasSuffix("/")
        }
        return addresses + origins.map { $0 + "/" }
    }

    /// The first address that is not valid, and why.
    private static func naming(_ address: String?) -> String {
        guard let address else { return "" }
        let scheme = address.prefix { $0 != ":" }
        let problem: String? =
            if address.contains("#") {
                "has a fragment"
            } else if scheme == "http" {
                "is neither https nor a valid address of this machine"
            } else if scheme != "https", !scheme.contains(".") {
                "has no dot in its scheme"
            } else { nil }
        return problem.map { SettingsReader.naming(address, because: $0) }
            ?? SettingsReader.naming(address)
    }

    /// The address becomes part of a header and, up to its path, of the content security policy.
    private static func isReturn(_ text: String) -> Bool {
        guard text.utf8.count <= returnBytesMax,
            text.utf8.allSatisfy({ byte in
                (0x21...0x7E).contains(byte) && !"\"'<>\\^`{|}#;*@".utf8.contains(byte)
            }), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        if text.hasPrefix("https://") { return isRemote(text) }
        if text.hasPrefix("http://") {
            let host = text.dropFirst(7).prefix { $0 != "/" && $0 != "?" }
            let name = host.hasPrefix("[::1]") ? host.prefix(5) : host.prefix { $0 != ":" }
            let port = host.dropFirst(name.utf8.count)
            return ["localhost", "127.0.0.1", "[::1]"].contains(String(name))
                && (port.isEmpty || port.dropFirst().utf8.allSatisfy(\.isDigit))
        }
        // The scheme must be a reversed domain (RFC 8252 section 7.1), so that no other app and no
        // browser uses it.
        let scheme = text[..<colon]
        return scheme.contains(".") && scheme.utf8.first?.isLetter == true
            && scheme.utf8.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
    }

    private static func isRemote(_ text: String) -> Bool {
        guard text.hasPrefix("https://") else { return false }
        let host = text.dropFirst(8).prefix { $0 != "/" && $0 != "?" }
        return !host.isEmpty
            && host.utf8.allSatisfy { $0.isLetterOrDigit || ".-:".utf8.contains($0) }
    }

    private static func isImage(_ text: String) -> Bool {
        ["png", "svg+xml", "webp"].contains { type in
            let prefix = "data:image/\(type);base64,"
            return text.hasPrefix(prefix)
                && Base64.decode(String(text.dropFirst(prefix.count))) != nil
        }
    }
}
