#if DEBUG
    import LatchkeyClient
    import SwiftUI

    /// Apple's sheet cannot use the emulator, whose `mint` makes a token for any user.
    @MainActor func signInAtEmulator(_ model: SessionModel) async {
        await model.signIn { client throws(AuthError) in
            let nonce = try await client.challenge().nonce
            let token: String
            do {
                token = try await mintedToken(at: client.baseURL, nonce: nonce)
            } catch {
                throw .offline
            }
            return try await client.signIn(
                IdentityCredential(provider: "apple", idToken: token, nonce: nonce))
        }
    }

    private func mintedToken(at server: URL, nonce: String) async throws -> String {
        struct Minted: Decodable { let idToken: String }
        var request = URLRequest(url: server.appending(path: "_idp/apple/mint"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(["email": "ada@example.com", "nonce": nonce])
        let (body, _) = try await URLSession.shared.data(for: request)
        return try JSONDecoder().decode(Minted.self, from: body).idToken
    }
#endif
