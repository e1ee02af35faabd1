import AppSupport
import Foundation
import LatchkeyClient

/// The original app's manager. The client stores and refreshes the tokens, and repeats requests.
struct AuthManager {
    let client: LatchkeyClient

    /// Apple returns the name only at the first sign-in. It is sent if present.
    func handleAppleSignIn(
        idToken: String, fullName: PersonNameComponents?, provider: String = "apple"
    ) async {
        await signIn {
            IdentityCredential(
                provider: provider, idToken: idToken, givenName: fullName?.givenName,
                familyName: fullName?.familyName)
        }
    }

    func signIn(_ credential: @MainActor () async throws(ClientError) -> IdentityCredential) async {
        do throws(ClientError) {
            let result = try await client.signIn(try await credential())
            print("✅ Signed in as: \(result.session?.user?.id ?? "")")
        } catch .refused(let refusal) {
            let remedy = Remedy(code: refusal.code)
            print("❌ Sign in failed: \(refusal.code ?? ""): \(remedy?.rawValue ?? "try later")")
        } catch {
            print("❌ Sign in failed: \(error)")
        }
    }

    /// Returns a token that is valid for five more minutes, as the contract requires, if the server
    /// can be reached.
    func getValidAccessToken() async throws -> String {
        do throws(ClientError) {
            return try await client.validToken().value
        } catch {
            throw error.inApp
        }
    }

    func signOut() async {
        if let error = await client.signOut().serverError {
            // The tokens are always removed from this device.
            print("Sign out request failed: \(error)")
        }
    }

    func authenticatedRequest(
        path: String, method: String = "GET", body: [String: Any]? = nil
    ) async throws -> Data {
        let request = HTTPRequest(
            method, client.baseURL.appending(path: "api/v1" + path),
            headers: ["Content-Type": "application/json"],
            body: try body.map { try JSONSerialization.data(withJSONObject: $0) })
        let answer: HTTPResponse
        do throws(ClientError) {
            answer = try await client.send(request)
        } catch {
            throw error.inApp
        }
        guard (200..<300).contains(answer.status) else {
            throw APIError(statusCode: answer.status)
        }
        return answer.body
    }
}
