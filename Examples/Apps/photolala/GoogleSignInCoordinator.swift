import AppSupport
import Foundation
import LatchkeyClient

/// Shows the provider's page to the user, and returns the redirect URL.
protocol WebAuthenticator: Sendable {
    func authenticate(_ page: URL, returnTo address: String) async throws -> URL
}

/// Sign-in at Google's page. The client's `AuthorizationFlow` provides PKCE, state and nonce.
actor GoogleSignInCoordinator {
    private let configuration: GoogleOAuthConfiguration
    private let web: any WebAuthenticator
    private let transport: any Transport
    private let clock: any SessionClock
    let verifier: IDTokenVerifier

    init(
        configuration: GoogleOAuthConfiguration, web: any WebAuthenticator,
        transport: any Transport, clock: any SessionClock
    ) {
        self.configuration = configuration
        self.web = web
        self.transport = transport
        self.clock = clock
        verifier = IDTokenVerifier(
            configuration: configuration,
            keys: GooglePublicKeyCache(url: configuration.keysEndpoint, transport: transport))
    }

    func performSignIn() async throws -> GoogleCredential {
        let flow = AuthorizationFlow(redirectURI: configuration.redirectURI, clock: clock)
        let page = try flow.pageURL(
            endpoint: configuration.authorizationEndpoint, clientID: configuration.clientID,
            scope: configuration.scopes.joined(separator: " "))
        let callback = try await web.authenticate(
            page, returnTo: configuration.redirectURI)
        let form: Data
        do throws(ClientError) {
            form = try await flow.exchangeForm(
                callback: callback, clientID: configuration.clientID)
        } catch {
            throw Self.error(error)
        }
        let tokens = try await exchange(form)
        let verified = try await verifier.verify(
            tokens.idToken, nonce: flow.nonce, at: clock.now())
        return GoogleCredential(
            idToken: tokens.idToken, accessToken: tokens.accessToken, claims: verified.claims)
    }

    private func exchange(_ form: Data) async throws -> TokenResponse {
        let answer: HTTPResponse
        do throws(TransportError) {
            answer = try await transport.send(
                HTTPRequest(
                    "POST", configuration.tokenEndpoint,
                    headers: ["Content-Type": "application/x-www-form-urlencoded"], body: form,
                    answerBytesMax: 64 << 10))
        } catch {
            throw GoogleSignInError.tokenExchangeFailed("\(error)")
        }
        guard answer.status == 200,
            let tokens = try? JSONDecoder().decode(TokenResponse.self, from: answer.body)
        else { throw GoogleSignInError.tokenExchangeFailed("status \(answer.status)") }
        return tokens
    }

    private static func error(_ error: ClientError) -> GoogleSignInError {
        guard case .refused(let refusal) = error else { return .invalidAuthorizationResponse }
        switch refusal.code {
        case "STATE_MISMATCH": return .stateMismatch
        case "NO_CODE": return .noAuthorizationCode
        case "access_denied": return .userCancelled
        default: return .invalidAuthorizationResponse
        }
    }
}
