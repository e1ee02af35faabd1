import AppSupport
import Foundation
import LatchkeyClient

/// The app's account: signs in at Google's page and at the function, and keeps the session.
actor AccountManager {
    private(set) var currentUser: PhotolalaUser?
    private(set) var stsCredentials: STSCredentials?
    private(set) var isSignedIn = false
    private let coordinator: GoogleSignInCoordinator
    private let aws: AWSCall
    private let vault: SessionVault
    private let clock: any SessionClock

    init(
        coordinator: GoogleSignInCoordinator, aws: AWSCall, vault: SessionVault,
        clock: any SessionClock
    ) {
        self.coordinator = coordinator
        self.aws = aws
        self.vault = vault
        self.clock = clock
    }

    func signInWithGoogle() async throws -> PhotolalaUser {
        let credential = try await coordinator.performSignIn()
        return try await signIn(idToken: credential.idToken, provider: "google")
    }

    func signIn(idToken: String, provider: String) async throws -> PhotolalaUser {
        let payload = ["idToken": idToken, "provider": provider]
        let result = try await callAuthLambdaWithData(
            "photolala-auth-signin", payloadData: JSONSerialization.data(withJSONObject: payload))
        currentUser = result.user
        stsCredentials = result.credentials
        isSignedIn = true
        try saveSession()
        return result.user
    }

    /// Called at launch. Credentials cannot be refreshed: after they expire, the user signs in
    /// again.
    func restoreSession() throws -> PhotolalaUser? {
        guard let session = try vault.load() else { return nil }
        currentUser = session.user
        stsCredentials = session.credentials
        isSignedIn = session.credentials.expiration > clock.now()
        return session.user
    }

    /// nil if the user has to sign in.
    func storage() throws -> (AWSCall, PhotolalaUser)? {
        guard let currentUser, let stsCredentials, stsCredentials.expiration > clock.now() else {
            isSignedIn = false
            return nil
        }
        return (AWSCall(aws, with: stsCredentials), currentUser)
    }

    func signOut() throws {
        currentUser = nil
        stsCredentials = nil
        isSignedIn = false
        try vault.clear()
    }

    func saveSession() throws {
        guard let currentUser, let stsCredentials else { return }
        try vault.save(SessionVault.Session(user: currentUser, credentials: stsCredentials))
    }

    private func callAuthLambdaWithData(
        _ name: String, payloadData: Data
    ) async throws -> SignInResult {
        let answer = try await aws.send(
            "lambda", .post, "2015-03-31/functions/\(name)/invocations", payloadData)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard answer.status == 200, answer.header("x-amz-function-error") == nil else {
            throw FunctionFailed(status: answer.status)
        }
        if let refused = try? decoder.decode(SignInRefused.self, from: answer.body) {
            throw refused
        }
        return try decoder.decode(SignInResult.self, from: answer.body)
    }
}

struct FunctionFailed: Error {
    let status: Int
}
