import AuthenticationServices
import LatchkeyClient
import SwiftUI

/// Asks for a proof of who the user is, with the account's sign-in methods.
struct ConfirmationView: View {
    typealias Proof = @MainActor (LatchkeyClient) async throws(AuthError) -> StepUpProof

    let user: User?
    let providers: [String]
    let onProof: @MainActor (@escaping Proof) async -> Void
    @Environment(SessionModel.self) private var model
    @Environment(\.dismiss) private var dismiss
    @State private var password = ""
    @State private var code = ""
    @State private var mailedCode = ""
    @State private var mail: MailSent?

    var body: some View {
        Form {
            Text("Please confirm that it is you.")
            // The alert of the view below the sheet would not be visible.
            if let error = model.error { Text(error.localizedDescription) }
            if providers.contains("apple") { apple }
            if providers.contains("email") { passwordAndMail }
            // The server does not say whether the account has one.
            Section("If you use an authenticator app") {
                TextField("Code of the app", text: $code).asCode()
                Button("Confirm with the app's code") { confirm(.code(code)) }.disabled(
                    code.isEmpty)
            }
            Section {
                if providers.contains("passkey") {
                    Button("Passkey") { Task { await confirmWithPasskey() } }
                }
                Button("Cancel", role: .cancel) {
                    model.error = nil
                    dismiss()
                }
            }
        }
        .padding()
        .disabled(model.isBusy)
    }

    @ViewBuilder private var apple: some View {
        Section {
            AppleButton { result, nonce in
                await onProof { _ throws(AuthError) in
                    .identity(try IdentityCredential(apple: result, nonce: nonce))
                }
            }
            .frame(height: 50)
            #if DEBUG
                Button("The emulator's Apple") {
                    Task {
                        await onProof { client throws(AuthError) in
                            .identity(try await emulatorCredential(client))
                        }
                    }
                }
            #endif
        }
    }

    @ViewBuilder private var passwordAndMail: some View {
        Section {
            SecureField("Password", text: $password).asPassword()
            Button("Confirm with the password") { confirm(.password(password)) }
                .disabled(password.isEmpty)
        }
        if let address = user?.email {
            Section {
                if mail == nil {
                    Button("Mail a code to \(address)") { Task { await sendMail(to: address) } }
                } else {
                    TextField("Code in the mail", text: $mailedCode).asCode()
                    Button("Confirm with the mail's code") { confirm(.mail(.code(mailedCode))) }
                        .disabled(mailedCode.isEmpty)
                }
            }
        }
    }

    private func confirm(_ proof: StepUpProof) {
        Task { await onProof { _ throws(AuthError) in proof } }
    }

    private func confirmWithPasskey() async {
        await onProof { client throws(AuthError) in
            let ceremony = try await client.passkeyOptions(for: .stepUp)
            let sheet = PasskeyAuthorization(anchor: try keyWindow)
            return .passkey(try await sheet.respond(to: ceremony))
        }
    }

    private func sendMail(to address: String) async {
        mail = await model.perform { client throws(AuthError) in
            try await client.requestLink(email: address)
        }
    }
}
