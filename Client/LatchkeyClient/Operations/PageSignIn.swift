public import Foundation

/// A sign-in on the server's pages, which `LatchkeyClient.beginPageSignIn` has begun. It can be
/// used for one sign-in, within thirty minutes.
public struct PageSignIn: Sendable {
    /// The page that is shown first. Each page has links to the others.
    public enum Page: String, Sendable {
        case signIn = "signin"
        case register
    }

    /// The page to open in the browser.
    public let url: URL
    /// The scheme of the address to which the browser returns.
    public let callbackScheme: String
    let flow: AuthorizationFlow
    /// The server's pages keep the app's address for the same thirty minutes, because a user who
    /// registers has to wait for the mail.
    static let lifetime = Duration.seconds(1800)
    /// The code is valid for a minute, which is enough to try again after an outage of the server
    /// or the network.
    static let exchangesMax = 3
    /// The machine's `intent` when the user began the sign-in.
    let intent: Int
}

extension LatchkeyClient {
    /// Begins a sign-in on the server's pages, which offer every sign-in method of the server. On
    /// Apple's systems `signInWithPage(returnTo:page:anchor:prefersEphemeralSession:)` does both
    /// steps.
    ///
    /// - Parameters:
    ///   - address: an address in the server's setting `UI_RETURN`, such as
    ///     `com.example.app:/signed-in`.
    ///   - page: the first page.
    public func beginPageSignIn(
        returnTo address: String, page: PageSignIn.Page = .signIn
    ) throws(AuthError) -> PageSignIn {
        guard let scheme = URLComponents(string: address)?.scheme else {
            throw .unsupported("the address to return to")
        }
        let flow = AuthorizationFlow(
            redirectURI: address, clock: clock, options: options, lifetime: PageSignIn.lifetime)
        let url = try url(
            .openPage, id: page.rawValue,
            query: [
                "response_type": "code", "redirect_uri": address, "state": flow.state,
                "code_challenge": flow.codeChallenge, "code_challenge_method": "S256",
            ])
        return PageSignIn(url: url, callbackScheme: scheme, flow: flow, intent: intent)
    }

    /// Ends a sign-in on the server's pages: exchanges the code for the session.
    ///
    /// Throws `refused` if the URL belongs to another sign-in, or the code was used or is too old.
    ///
    /// - Parameters:
    ///   - begun: the sign-in whose page the browser has shown.
    ///   - callback: the URL to which the browser has returned.
    public func signIn(
        _ begun: PageSignIn, callback: URL
    ) async throws(AuthError) -> Session {
        let code = try await begun.flow.code(in: callback)
        let answer = try await exchange(code, begun.flow.codeVerifier)
        return try await beginSession(answer, before: begun.intent)
    }

    private func exchange(_ code: String, _ verifier: String) async throws(AuthError) -> Answer {
        let body = JSON.members(["code": code.json, "codeVerifier": verifier.json])
        var attempt = 1
        while true {
            do throws(AuthError) {
                return try await callOpen(.redeemPageCode, body: body)
            } catch {
                let pause = error.retryAfter ?? .seconds(attempt)
                guard error == .offline || error.isUnavailable, attempt < PageSignIn.exchangesMax,
                    pause <= .seconds(8)
                else { throw error }
                attempt += 1
                do { try await clock.sleep(for: pause) } catch { throw .cancelled }
            }
        }
    }
}
