#if DEBUG
    import LatchkeyClient
    import SwiftUI

    /// Signs in at the emulator, whose `mint` makes a token for any user, because Apple's sheet
    /// cannot use the emulator.
    @MainActor func signInAtEmulator(_ model: SessionModel) async {
        await model.signIn { client throws(AuthError) in
            try await client.signIn(try await emulatorCredential(client))
        }
    }

    func emulatorCredential(
        _ client: LatchkeyClient
    ) async throws(AuthError) -> IdentityCredential {
        let nonce = try await client.challenge().nonce
        do {
            let token = try await mintedToken(at: client.baseURL, nonce: nonce)
            return IdentityCredential(provider: "apple", idToken: token, nonce: nonce)
        } catch is URLError {
            throw .offline
        } catch {
            // Only an emulator answers with a token.
            throw .unsupported("/_idp/apple/mint")
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
