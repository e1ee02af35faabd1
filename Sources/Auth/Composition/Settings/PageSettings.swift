internal import AuthDomain
internal import Bytes
internal import FunctionRuntime

/// `UI`, `UI_LOGO` and `UI_COLOR`: whether there are pages for people, and how they look.
enum PageSettings {
    static let logoBytesMax = 16 << 10

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
        if let text = reader.text("UI_COLOR") {
            policy.color = BrandColor(parsing: text)
            if policy.color == nil {
                reader.refuse("UI_COLOR must be a colour such as #2f5bd7")
            }
        }
        return isOn ? policy : nil
    }

    /// It stands in an attribute and, without its path, in the security policy.
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

    private static func isRemote(_ text: String) -> Bool {
        guard text.hasPrefix("https://") else { return false }
        let host = text.dropFirst(8).prefix { $0 != "/" }
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
