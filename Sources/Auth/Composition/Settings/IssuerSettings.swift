internal import FunctionRuntime

/// `ISSUER`: the URL under which the functions are reached.
enum IssuerSettings {
    /// The default for stores that serve only this machine.
    static let local = "http://localhost:8000"
    private static let bytesMax = 255

    static func read(_ reader: inout SettingsReader, _ store: StoreSettings) -> String {
        guard let issuer = reader.text("ISSUER") else {
            if let name = store.sharedName {
                reader.refuse("ISSUER is required with a \(name) store")
            }
            return local
        }
        let isSecure = issuer.hasPrefix("https://") && issuer.utf8.count > "https://".utf8.count
        let isLocal = ["http://localhost", "http://127.0.0.1", "http://[::1]"].contains { base in
            issuer.utf8.elementsEqual(base.utf8) || issuer.hasPrefix(base + ":")
                || issuer.hasPrefix(base + "/")
        }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        if !isSecure && !isLocal || issuer.utf8.count > bytesMax || !LinkSettings.isUsable(base) {
            reader.refuse("ISSUER must be an https URL (http only for this machine)")
        }
        return issuer
    }
}
