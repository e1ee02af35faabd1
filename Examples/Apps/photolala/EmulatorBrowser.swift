import Foundation
import LatchkeyClient

/// A browser at the emulator's page that chooses an account at once. It also plays an attacker who
/// changes the redirect.
actor EmulatorBrowser: WebAuthenticator {
    enum Attack: String {
        case state, code, response, unavailable
    }

    private let transport = URLSessionTransport()
    private var account = "ada@example.com"
    private var attack: Attack?

    func choose(_ account: String, _ attack: Attack? = nil) {
        self.account = account
        self.attack = attack
    }

    func authenticate(_ page: URL, returnTo address: String) async throws -> URL {
        if attack == .unavailable { throw GoogleSignInError.webAuthenticationUnavailable }
        let chosen = page.appending(queryItems: [
            URLQueryItem(name: "latchkey_account", value: account)
        ])
        let answer = try await transport.send(HTTPRequest("GET", chosen))
        guard let location = answer.header("location"), var parts = URLComponents(string: location)
        else { throw GoogleSignInError.invalidAuthorizationResponse }
        switch attack {
        case .state: parts.queryItems?.removeAll { $0.name == "state" }
        case .code: parts.queryItems?.removeAll { $0.name == "code" }
        case .response: parts.queryItems?.append(URLQueryItem(name: "error", value: "server_error"))
        case .unavailable, nil: break
        }
        guard let url = parts.url, url.absoluteString.hasPrefix(address) else {
            throw GoogleSignInError.invalidAuthorizationResponse
        }
        return url
    }
}
