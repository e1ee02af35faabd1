internal import Bytes
internal import Contracts

/// The origins in `UI_RETURN` that may not call the server, because `ALLOWED_ORIGINS` lacks them. A
/// web app without a back end would notice that only after the sign-in, when the browser hides the
/// answer of `/auth/ui/token` (Fetch Standard, "CORS protocol").
package struct UnlistedOrigins: Sendable {
    package let origins: [String]
    /// The origins that should be listed: those in `ALLOWED_ORIGINS`, and the missing ones.
    private let wanted: [String]

    /// - Parameters:
    ///   - returns: the addresses of `UI_RETURN`.
    ///   - listed: the origins of `ALLOWED_ORIGINS`.
    package init(of returns: [String], listed: [String], issuer: String) {
        var found: [String] = []
        let known = listed + [Self.origin(of: issuer) ?? ""]
        for origin in returns.compactMap(Self.origin(of:))
        where !(known + found).contains(where: origin.isSame) { found.append(origin) }
        origins = found
        wanted = listed + found
    }

    /// A warning for the operator; nil if there are no such origins.
    package var advice: (problem: String, remedy: String)? {
        guard !origins.isEmpty else { return nil }
        return (
            "no page of \(origins.joined(separator: ", ")) may call this server",
            "for a web app without a back end set ALLOWED_ORIGINS=\(wanted.joined(separator: ","))"
        )
    }

    /// The origin in the form that browsers send (HTML Standard, "ASCII serialization of an
    /// origin"); nil unless it is an address of the web.
    package static func origin(of address: String) -> String? {
        guard let scheme = ["https", "http"].first(where: { address.hasPrefix("\($0)://") }) else {
            return nil
        }
        let authority = Authority(of: address)
        let isStandard = ["", scheme == "https" ? "443" : "80"].contains(authority.port ?? "")
        return "\(scheme)://\(isStandard ? authority.name : authority.text)"
    }
}
