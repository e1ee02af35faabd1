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
    @State private var waiting: WaitingAction?

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
        .sheet(item: $waiting) { action in
            ConfirmationView(user: user, providers: profile?.authProviders ?? []) { proof in
                await finish(action, proof)
            }
        }
        .task {
            await loadProfile()
            await followAppleCredential()
        }
    }

    private func addPasskey() async {
        await confirmed { client throws(AuthError) in
            let ceremony = try await client.passkeyOptions(for: .add())
            let sheet = PasskeyAuthorization(anchor: try keyWindow)
            _ = try await client.addPasskey(try await sheet.respond(to: ceremony))
        }
        await loadProfile()
    }

    private func deleteAccount() async {
        await confirmed { client throws(AuthError) in try await client.deleteAccount() }
    }

    /// Some actions need a recent proof of who the user is, with one of the account's sign-in
    /// methods.
    private func confirmed(_ action: @escaping WaitingAction.Action) async {
        let needsProof = await model.perform { client throws(AuthError) in
            do throws(AuthError) {
                try await action(client)
                return false
            } catch .refused(let refusal) where refusal.stepUp != nil {
                return true
            }
        }
        if needsProof == true { waiting = WaitingAction(perform: action) }
    }

    private func finish(_ action: WaitingAction, _ proof: ConfirmationView.Proof) async {
        waiting = nil
        await model.perform { client throws(AuthError) in
            try await client.stepUp(try await proof(client))
            try await action.perform(client)
        }
        await loadProfile()
    }

    private func loadProfile() async {
        profile = (try? await model.client.profile()) ?? profile
    }

    /// Apple also notifies the server, which then ends the session.
    private func followAppleCredential() async {
        guard !appleUserID.isEmpty, profile?.authProviders.contains("apple") == true else { return }
        let name = ASAuthorizationAppleIDProvider.credentialRevokedNotification
        var changes = NotificationCenter.default.notifications(named: name).makeAsyncIterator()
        repeat {
            // The notification does not name a user. Without an answer the session continues.
            let provider = ASAuthorizationAppleIDProvider()
            let state = try? await provider.credentialState(forUserID: appleUserID)
            if state == .revoked { await endSession() }
        } while await changes.next() != nil
    }

    private func endSession() async {
        appleUserID = ""
        await model.signOut()
    }
}

/// An action that waits for a proof of who the user is.
struct WaitingAction: Identifiable {
    typealias Action = @MainActor (LatchkeyClient) async throws(AuthError) -> Void

    /// Only one action waits at a time, so a constant is enough.
    let id = "confirmation"
    let perform: Action
}
