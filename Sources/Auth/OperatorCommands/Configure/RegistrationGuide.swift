internal import AuthComposition

/// The values that the operator enters at Google and at Apple.
struct RegistrationGuide {
    let file: SettingsFile

    var lines: [String] { google + apple }

    private var issuer: String { file.value("ISSUER") ?? "http://localhost:8080" }

    private var base: String { issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer }

    private var origins: [String] {
        let origin = UnlistedOrigins.origin(of: issuer) ?? base
        return [origin] + file.list("ALLOWED_ORIGINS").filter { $0 != origin && $0 != "*" }
    }

    /// The web apps to which the pages return, but which could not complete a sign-in.
    var unlistedOrigins: UnlistedOrigins {
        let returns = file.value("UI") == "off" ? [] : file.list("UI_RETURN")
        return UnlistedOrigins(of: returns, listed: file.list("ALLOWED_ORIGINS"), issuer: issuer)
    }

    private var google: [String] {
        guard SettingGroup.isOn("GOOGLE_WEB_CLIENT_ID", file) else { return [] }
        guard let client = file.value("GOOGLE_WEB_CLIENT_ID") else {
            let missing = ["GOOGLE_WEB_CLIENT_ID", "GOOGLE_CLIENT_SECRET"].filter { name in
                file.value(name) == nil
            }
            return [
                "Google: nothing to register for the client ids of apps. For sign-in on the pages",
                "  set \(missing.joined(separator: " and ")).",
            ]
        }
        return [
            "At Google (https://console.cloud.google.com/apis/credentials), client \(client):",
            "  Authorized redirect URI         \(base)/auth/ui/callback/google",
        ] + origins.map { "  Authorized JavaScript origin    \($0)" }
    }

    private var apple: [String] {
        guard SettingGroup.isOn("APPLE_WEB_CLIENT_ID", file) else { return [] }
        var lines = [
            "At Apple (https://developer.apple.com/account/resources/identifiers), at the app:",
            "  Server-to-server notifications  \(base)/auth/apple/notifications",
        ]
        guard let service = file.value("APPLE_WEB_CLIENT_ID") else { return lines }
        lines += [
            "and at the Services ID \(service), Sign in with Apple, Configure:",
            "  Domain                          \(SettingChecks.host(of: issuer) ?? issuer)",
            "  Return URL                      \(base)/auth/ui/callback/apple",
        ]
        if !base.hasPrefix("https://") {
            lines.append("  Apple takes https addresses of a domain only: set ISSUER to one.")
        }
        return lines
    }
}
