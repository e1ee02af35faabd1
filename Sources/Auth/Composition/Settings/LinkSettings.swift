internal import AuthDomain
internal import Bytes
internal import FunctionRuntime

/// `LINK_BASE`: the base URL of the links in mails.
enum LinkSettings {
    static let bytesMax = 512

    /// - Parameter standard: the contract's policy, whose base the setting replaces.
    static func read(_ reader: inout SettingsReader, _ standard: LinkPolicy?) -> LinkPolicy? {
        guard let base = reader.text("LINK_BASE") else {
            if standard == nil {
                reader.refuse(
                    "LINK_BASE is required for mail with links: the app's address for links, "
                        + "unless pages are on (UI=on)")
            }
            return standard
        }
        guard isUsable(base) else {
            // The default begins with ISSUER. A wrong ISSUER has already been reported, and
            // needs no second error here.
            let isDefault = reader.environment["LINK_BASE"] == nil
            if isDefault, reader.problems.contains(where: { $0.hasPrefix("ISSUER ") }) {
                return standard
            }
            reader.refuse(
                "LINK_BASE must be an https URL or a scheme of the app's own (myapp://auth), "
                    + "without a query and without a / at its end")
            return standard
        }
        return LinkPolicy(base: base, paths: standard?.paths ?? [:])
    }

    /// Plain HTTP would reveal the token to the network, so it is accepted only for this machine.
    static func isUsable(_ base: String) -> Bool {
        let parts = base.utf8.firstOccurrence(of: "://")
        guard let parts, base.utf8.count <= bytesMax, !base.hasSuffix("/"),
            base.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !forbidden.contains($0) })
        else { return false }
        let scheme = base[..<parts.lowerBound]
        let rest = base[parts.upperBound...]
        guard let first = scheme.utf8.first, first.isLetter, !rest.isEmpty,
            scheme.utf8.allSatisfy({ $0.isLetterOrDigit || "+-.".utf8.contains($0) }),
            !["javascript", "data", "file", "vbscript"].contains(String(scheme).asciiLowercased)
        else { return false }
        guard String(scheme).asciiLowercased.isSame(as: "http") else { return true }
        return rest.prefix { $0 != ":" && $0 != "/" }.utf8.elementsEqual("localhost".utf8)
            || rest.hasPrefix("127.0.0.1") || rest.hasPrefix("[::1]")
    }

    private static let forbidden = Array("?#\"<>\\^`{|}".utf8)
}
