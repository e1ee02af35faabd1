import Foundation

struct GoogleOAuthConfiguration: Sendable {
    var clientID: String
    var redirectURI: String
    var scopes = ["openid", "email", "profile"]
    var authorizationEndpoint = google("https://accounts.google.com/o/oauth2/v2/auth")
    var tokenEndpoint = google("https://oauth2.googleapis.com/token")
    var keysEndpoint = google("https://www.googleapis.com/oauth2/v3/certs")
    var issuers = ["https://accounts.google.com", "accounts.google.com"]

    private static func google(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}

extension GoogleOAuthConfiguration {
    /// The configuration for the emulator's Google.
    init(emulatorAt server: URL, clientID: String, redirectURI: String) {
        self.init(clientID: clientID, redirectURI: redirectURI)
        let google = server.appending(path: "_idp/google")
        authorizationEndpoint = google.appending(path: "o/oauth2/v2/auth")
        tokenEndpoint = google.appending(path: "token")
        keysEndpoint = google.appending(path: "oauth2/v3/certs")
        issuers = [google.absoluteString]
    }
}
