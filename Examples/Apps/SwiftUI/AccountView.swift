import AuthenticationServices
import LatchkeyClient
import SwiftUI

/// The signed-in user's account.
struct AccountView: View {
    let user: User?
    @Environment(SessionModel.self) private var model
    @AppStorage("appleUserID") private var appleUserID = ""
    @State private var profile: Profile?
    @State private var isDeletionAsked = false

    var body: some View {
        Form {
            Section("Account") {
                LabeledContent("Name", value: user?.displayName ?? "")
                LabeledContent("Address", value: user?.email ?? "")
                LabeledContent(
                    "Signs in by", value: profile?.authProviders.joined(separator: ", ") ?? "")
            }
            Section {
                Button("Add a passkey") { Task { await addPasskey() } }
                Button("Sign out") { Task { await model.signOut() } }
            }
            Section {
                Button("Delete the account", role: .destructive) { isDeletionAsked = true }
            }
            if !model.isStored { Text("You will have to sign in again after the next start.") }
        }
        .navigationTitle("Account")
        .confirmationDialog("Delete the account?", isPresented: $isDeletionAsked) {
            Button("Delete", role: .destructive) { Task { await deleteAccount() } }
        }
        .task { profile = try? await model.client.profile() }
        .task { await followAppleCredential() }
    }

    private func addPasskey() async {
        await confirmed { client throws(AuthError) in
            let ceremony = try await client.passkeyOptions(for: .add())
            let sheet = PasskeyAuthorization(anchor: keyWindow)
            _ = try await client.addPasskey(try await sheet.respond(to: ceremony))
        }
    }

    private func deleteAccount() async {
        await confirmed { client throws(AuthError) in try await client.deleteAccount() }
    }

    /// Some actions need a recent proof of who the user is: here by a passkey.
    private func confirmed(_ action: (LatchkeyClient) async throws(AuthError) -> Void) async {
        await model.perform { client throws(AuthError) in
            do throws(AuthError) {
                try await action(client)
            } catch .refused(let refusal) where refusal.stepUp != nil {
                let ceremony = try await client.passkeyOptions(for: .stepUp)
                let sheet = PasskeyAuthorization(anchor: keyWindow)
                try await client.stepUp(.passkey(try await sheet.respond(to: ceremony)))
                try await action(client)
            }
        }
    }

    /// The server is told by Apple too, and then ends the session.
    private func followAppleCredential() async {
        guard !appleUserID.isEmpty else { return }
        let provider = ASAuthorizationAppleIDProvider()
        let state = try? await provider.credentialState(forUserID: appleUserID)
        if state == .revoked { await model.signOut() }
        let name = ASAuthorizationAppleIDProvider.credentialRevokedNotification
        for await _ in NotificationCenter.default.notifications(named: name) {
            await model.signOut()
        }
    }
}
