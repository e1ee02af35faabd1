import AuthenticationServices
import LatchkeyClient
import SwiftUI

/// Sign in with Apple, with a passkey, or on the server's pages with all other methods.
struct SignInView: View {
    /// The reason why the page is shown, unless the user has opened it.
    let notice: String?
    @Environment(SessionModel.self) private var model
    @AppStorage("appleUserID") private var appleUserID = ""
    @State private var code = ""
    @State private var usesRecoveryCode = false

    var body: some View {
        VStack {
            if let notice { Text(notice) }
            if let factor = model.secondFactor {
                secondFactor(factor)
            } else {
                AppleButton { result, nonce in await signInWithApple(result, nonce) }
                Button("Passkey") { Task { await signInWithPasskey() } }
                Button("Other ways") { Task { await signInWithPage(.signIn) } }
                Button("Register") { Task { await signInWithPage(.register) } }
                #if DEBUG
                    Button("The emulator's Apple") { Task { await signInAtEmulator(model) } }
                #endif
            }
        }
        .padding()
        .disabled(model.isBusy)
        .navigationTitle("Sign in")
    }

    @ViewBuilder private func secondFactor(_ factor: SecondFactorChallenge) -> some View {
        Text(usesRecoveryCode ? "A recovery code:" : "The code of your authenticator app:")
        codeField
        Button("Continue") {
            let answer: FactorAnswer = usesRecoveryCode ? .recoveryCode(code) : .code(code)
            Task { await model.answer(answer) }
        }
        Button(usesRecoveryCode ? "Use the authenticator app" : "Use a recovery code") {
            (usesRecoveryCode, code) = (!usesRecoveryCode, "")
        }
        if factor.methods.contains("passkey") {
            Button("Passkey") { Task { await answer(factor) } }
        }
        Button("Cancel", role: .cancel) { model.cancelSecondFactor() }
    }

    @ViewBuilder private var codeField: some View {
        if usesRecoveryCode {
            TextField("XXXX-XXXX-XXXX-XXXX-XXXX-XXXX", text: $code).asRecoveryCode()
        } else {
            TextField("123456", text: $code).asCode()
        }
    }

    private func signInWithApple(
        _ result: Result<ASAuthorization, any Error>, _ nonce: String?
    ) async {
        await model.signIn { client throws(AuthError) in
            let credential = try IdentityCredential(apple: result, nonce: nonce)
            let answer = try await client.signIn(credential)
            appleUserID = credential.userID ?? ""
            return answer
        }
    }

    private func signInWithPasskey() async {
        await model.signIn { client throws(AuthError) in
            let ceremony = try await client.passkeyOptions(for: .signIn)
            let sheet = PasskeyAuthorization(anchor: try keyWindow)
            return try await client.signIn(try await sheet.respond(to: ceremony))
        }
    }

    private func answer(_ factor: SecondFactorChallenge) async {
        let response = await model.perform { client throws(AuthError) in
            let ceremony = try await client.passkeyOptions(for: .secondFactor(factor))
            return try await PasskeyAuthorization(anchor: try keyWindow).respond(to: ceremony)
        }
        if let response { await model.answer(.passkey(response)) }
    }

    private func signInWithPage(_ page: PageSignIn.Page) async {
        await model.perform { client throws(AuthError) in
            try await client.signInWithPage(
                returnTo: Server.returnAddress, page: page, anchor: keyWindow)
        }
    }
}

/// Apple's button, with a nonce from the server.
struct AppleButton: View {
    let onCompletion:
        @MainActor (Result<ASAuthorization, any Error>, _ nonce: String?) async -> Void
    @Environment(SessionModel.self) private var model
    @Environment(\.colorScheme) private var colorScheme
    @State private var challenge: Challenge?
    @State private var requestedNonce: String?
    @State private var attempts = 0
    /// The reason why there is no challenge.
    @State private var failure: AuthError?

    var body: some View {
        SignInWithAppleButton(.continue) { request in
            request.requestedScopes = [.fullName, .email]
            // Apple's token will have this nonce, even if a new one is fetched while the sheet is
            // open.
            requestedNonce = challenge?.nonce
            request.nonce = requestedNonce
        } onCompletion: { result in
            let nonce = requestedNonce
            attempts += 1
            Task { await onCompletion(result, nonce) }
        }
        .signInWithAppleButtonStyle(colorScheme == .dark ? .white : .black)
        .frame(height: 50)
        .disabled(challenge == nil)
        .task(id: attempts) { await renewChallenge() }
        if let failure { Text(failure.localizedDescription) }
    }

    /// A nonce must be fetched before the button needs it, because the button cannot wait. Each
    /// attempt has its own nonce: the server accepts a nonce once.
    private func renewChallenge() async {
        challenge = nil
        while true {
            var next: Challenge?
            var reason: AuthError?
            do throws(AuthError) {
                next = try await model.client.challenge()
            } catch {
                reason = error
            }
            if Task.isCancelled { return }
            (challenge, failure) = (next, reason)
            try? await Task.sleep(for: next.map { $0.expiresIn / 2 } ?? .seconds(5))
        }
    }
}
