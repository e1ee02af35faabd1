internal import AuthDomain
internal import KeyValueStore

/// `ClientGrant` in the row of its session.
enum GrantAttributes {
    static func set(_ grant: ClientGrant, in attributes: inout Attributes) {
        attributes["client"] = .text(grant.client)
        attributes["scope"] = .text(Words.text(grant.scope))
        attributes["resources"] = .text(Words.text(grant.resources))
        attributes["browser"] = .text(grant.browser.text)
        attributes["offline"] = .flag(grant.isOffline)
        attributes["refreshes"] = .flag(grant.refreshes)
        ClaimsAttributes.set(grant.claims, in: &attributes)
        ClientEpoch.set(grant.clientEpoch, in: &attributes)
    }

    /// nil in the session of a device.
    static func grant(_ read: AttributeReader) throws(StoreFailure) -> ClientGrant? {
        guard let client = try read.optionalText("client") else { return nil }
        guard let browser = SessionID(parsing: try read.text("browser")) else {
            throw read.unreadable("browser")
        }
        return ClientGrant(
            client: client, scope: Words.list(try read.text("scope")),
            resources: Words.list(try read.text("resources")), browser: browser,
            isOffline: try read.flag("offline"), refreshes: try read.flag("refreshes"),
            claims: try ClaimsAttributes.claims(read), clientEpoch: try ClientEpoch.read(read))
    }
}

/// Scopes or addresses in one text, separated by spaces, as OAuth writes scopes.
enum Words {
    static func text(_ words: [String]) -> String { words.joined(separator: " ") }
    static func list(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
