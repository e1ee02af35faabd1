internal import AuthComposition
internal import Bytes
internal import HTTP
internal import HTTPClient
internal import JSON

/// The checks that are possible from this machine. Each has a time limit, and a result in one line.
struct SettingChecks {
    private static let nameSecondsMax = 5

    let file: SettingsFile
    let transport: HTTPTransport

    /// Returns whether all succeeded.
    func run() -> Bool {
        var isGood = true
        func report(_ what: String, _ problem: String?, good: String) {
            if problem != nil { isGood = false }
            Terminal.say(problem.map { "  bad  \(what): \($0)" } ?? "  ok   \(what): \(good)")
        }
        if let issuer = file.value("ISSUER"), let host = Self.host(of: issuer) {
            let found = NameLookup.finds(host, within: Self.nameSecondsMax)
            report("ISSUER", found ? nil : Self.unresolved(host), good: "\(host) has an address")
        }
        for (name, issuer) in providers {
            report(name, discoveryProblem(issuer), good: "\(issuer) answers with its document")
        }
        return isGood
    }

    private static func unresolved(_ host: String) -> String {
        "\(host) has no address that this machine finds within \(nameSecondsMax) s: add an A or "
            + "AAAA record at your domain's provider"
    }

    private var providers: [(name: String, issuer: String)] {
        var found: [(String, String)] = []
        if SettingGroup.isOn("GOOGLE_WEB_CLIENT_ID", file) {
            found.append(
                ("GOOGLE_CLIENT_IDS", file.value("GOOGLE_ISSUER") ?? "https://accounts.google.com"))
        }
        if SettingGroup.isOn("APPLE_WEB_CLIENT_ID", file) {
            found.append(
                ("APPLE_CLIENT_IDS", file.value("APPLE_ISSUER") ?? "https://appleid.apple.com"))
        }
        for name in file.list("OIDC_PROVIDERS") {
            let upper = name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
            let setting = "OIDC_\(upper)_ISSUER"
            if let issuer = file.value(setting) { found.append((setting, issuer)) }
        }
        return found
    }

    /// nil if the document belongs to the issuer (OpenID Connect Discovery 1.0 section 4.3).
    private func discoveryProblem(_ issuer: String) -> String? {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let url = "\(base)/.well-known/openid-configuration"
        do throws(HTTPFailure) {
            let response = try transport.send(HTTPRequest(.get, url, limits: .standard))
            guard response.status == 200 else {
                return "\(url) answers \(response.status), not 200"
            }
            guard let document = try? JSON.parse(response.body, limits: .response) else {
                return "\(url) is not JSON"
            }
            guard let named = document["issuer"]?.stringValue, named == issuer else {
                return "\(url) is of another issuer: copy the issuer exactly, with or without a / "
                    + "at its end"
            }
            guard document["jwks_uri"]?.stringValue != nil else { return "\(url) names no keys" }
            return nil
        } catch {
            return "\(url) cannot be reached: \(error.detail)"
        }
    }

    static func host(of url: String) -> String? {
        guard let start = url.utf8.firstOccurrence(of: "://")?.upperBound else { return nil }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" }).nonEmpty
    }
}

extension SettingsFile {
    /// What is unusual about `ISSUER`, but not wrong.
    var notesOnIssuer: [String] {
        let issuer = value("ISSUER") ?? ""
        guard !issuer.hasSuffix("/") else {
            return [
                "ISSUER ends with a slash, and so does the iss of every token: remove the slash, "
                    + "unless apps already expect it"
            ]
        }
        let parts = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, value("BASE_PATH") == nil else { return [] }
        return [
            "ISSUER has a path: set BASE_PATH=/\(parts[3]), unless the proxy in front removes it "
                + "from requests"
        ]
    }
}
