import LatchkeyClient

/// An action of a user in an app.
enum ClientCall: String, CaseIterable, Sendable {
    case register, resendVerification, verifyByLink, verifyByCode
    case logIn, logInWrongly, logInAsAnother, signInWithProvider, replayIdentityToken
    case requestLink, redeemLink, redeemCode
    case forgotPassword, resetByLink, resetByCode, changePassword
    case profile, manyProfiles, refresh, cancelledRefresh, listSessions
    case signOut, signOutEverywhere, signOutOthers, endAnotherSession
    case credentials, beginAsGuest, deleteAccount, guessPasswords
    case enrolFactor, removeFactor, keepGuest
    case signUpWithPasskey, signInWithPasskey, addPasskey, removePasskey
    // These calls do not use the client.
    case startApp, killApp, copyDevice, replayRequest, copyIdentityToken
    case disableUser, enableUser, signOutUser, deploy, rotateKey, retireKey
    // These calls occur only in runs with `Feature.accountChanges`.
    case changeEmail, requestConfirmation, confirmEmail, undoEmail, undoChange
    case linkIdentity, removeMethod, addPassword, confirmPassword
    case stepUp, mergeSessions, signInOnPage
    // These calls occur only in runs with `Feature.provider`.
    case grantAccess, useAccess, refreshAccess, abuseAccess, revokeAccess
    case removeApplication, leaveBrowser, answerForAnother, changeProgram, registerProgram
    // These calls occur only in runs with the provider's own features.
    case abuseKey, changeDocument, deleteProgram
    case beginDevice, typeCode, pollDevice, abuseDevice, leaveByProgram, stopReceiver

    var changesAccount: Bool {
        switch self {
        case .changeEmail, .requestConfirmation, .confirmEmail, .undoEmail, .undoChange,
            .linkIdentity, .removeMethod, .addPassword, .confirmPassword, .stepUp,
            .mergeSessions, .signInOnPage:
            true
        default: false
        }
    }

    /// Whether programs of other parties make the call, or are its subject.
    var isOfProvider: Bool {
        switch self {
        case .grantAccess, .useAccess, .refreshAccess, .abuseAccess, .revokeAccess,
            .removeApplication, .leaveBrowser, .answerForAnother, .changeProgram,
            .registerProgram, .abuseKey, .changeDocument, .deleteProgram, .beginDevice,
            .typeCode, .pollDevice, .abuseDevice, .leaveByProgram, .stopReceiver:
            true
        default: false
        }
    }

    /// The feature that a run needs for this call; nil if every run has the call.
    var feature: Feature? {
        switch self {
        case .abuseKey: .boundTokens
        case .changeDocument: .clientDocuments
        case .deleteProgram: .programsEnd
        case .beginDevice, .typeCode, .pollDevice, .abuseDevice: .devices
        case .leaveByProgram, .stopReceiver: .logout
        default: isOfProvider ? .provider : changesAccount ? .accountChanges : nil
        }
    }

    /// How often this call is drawn, relative to the others.
    var weight: Int {
        switch self {
        case .profile, .manyProfiles, .refresh: 10
        case .grantAccess: 16
        case .abuseKey, .beginDevice, .typeCode, .pollDevice: 12
        case .useAccess, .refreshAccess, .abuseAccess, .leaveByProgram: 10
        case .logIn, .register, .verifyByLink, .abuseDevice, .stopReceiver, .deleteProgram: 6
        case .signInWithProvider, .requestLink, .redeemLink, .signOut, .killApp: 4
        case .verifyByCode, .redeemCode, .changePassword, .credentials, .cancelledRefresh: 3
        case .startApp, .listSessions, .forgotPassword, .replayIdentityToken, .replayRequest: 3
        case .resetByLink, .resetByCode, .copyIdentityToken, .disableUser, .enableUser, .deploy,
            .enrolFactor, .keepGuest, .signInWithPasskey, .addPasskey, .beginAsGuest:
            2
        case .resendVerification, .logInWrongly, .logInAsAnother, .guessPasswords,
            .signOutEverywhere, .signOutOthers, .endAnotherSession, .removeFactor,
            .signUpWithPasskey, .removePasskey, .deleteAccount, .copyDevice, .signOutUser,
            .rotateKey, .retireKey, .requestConfirmation, .undoChange, .confirmPassword,
            .mergeSessions:
            1
        case .changeEmail: 6
        case .revokeAccess, .removeApplication, .leaveBrowser, .answerForAnother, .changeProgram,
            .registerProgram, .changeDocument,
            .confirmEmail, .undoEmail, .linkIdentity, .removeMethod, .addPassword, .stepUp,
            .signInOnPage:
            3
        }
    }
}

/// The user's input for a call.
struct CallInput: Sendable {
    var email = ""
    var password = ""
    var newPassword = ""
    /// The token in a mail.
    var token: String?
    var code: String?
    var identityToken = ""
    var choice = 0
    /// Whether the app is signed in to an account that has no sign-in method.
    var isGuest = false
    var newEmail = ""
    /// The name of a sign-in method.
    var method = ""
    /// A running app of the same person, on another device.
    var other: App?
    /// The authenticators of another person.
    var othersWallet: Wallet?
}

/// The result of a call, as the app sees it.
enum CallResult: Equatable, Sendable {
    /// The call succeeded. Contains the access token if the call returns one.
    case success(String?)
    case signedOut
    case signInAgain
    /// The call failed, but may succeed later.
    case later(String)
    case refused(String)
    case failed(String)
    /// The call was not made, because a precondition is missing.
    case skipped
    case secondFactor

    var isSuccess: Bool { if case .success = self { true } else { false } }

    var name: String {
        switch self {
        case .success: "done"
        case .signedOut: "signed out"
        case .signInAgain: "sign in again"
        case .later(let why): "later: \(why)"
        case .refused(let code): "refused: \(code)"
        case .failed(let why): "failed: \(why)"
        case .skipped: "skipped"
        case .secondFactor: "second factor"
        }
    }
}

extension App {
    /// Makes a call of the client, as the user interface of an app would.
    func perform(_ call: ClientCall, _ input: CallInput) async -> CallResult {
        do throws(AuthError) {
            return try await attempt(call, input)
        } catch {
            return CallResult(error)
        }
    }

    private func attempt(
        _ call: ClientCall, _ input: CallInput
    ) async throws(AuthError) -> CallResult {
        switch call {
        case .register, .resendVerification, .verifyByLink, .verifyByCode, .forgotPassword,
            .resetByLink, .resetByCode, .changePassword:
            return try await usePassword(call, input)
        case .logIn, .logInWrongly, .logInAsAnother, .signInWithProvider, .requestLink,
            .redeemLink, .redeemCode, .replayIdentityToken:
            return try await signIn(call, input)
        case .profile:
            guard client.contract.supports(.profile) else { return try await renewed() }
            _ = try await client.profile()
            return .success(try await client.validToken().value)
        case .manyProfiles: return await many()
        case .refresh:
            return try await renewed()
        case .cancelledRefresh: return await cancelled()
        case .credentials:
            let answer = try await client.storageCredentials(
                StorageRequest(durationSeconds: input.choice % 2 == 0 ? nil : 900))
            return .success("\(answer.prefix)|\(Int(answer.life / .seconds(1)))")
        case .guessPasswords: try await guessPasswords(input)
        case .listSessions, .signOut, .signOutEverywhere, .signOutOthers, .endAnotherSession:
            return try await endSessions(call, input)
        case .beginAsGuest: _ = try await client.beginAsGuest()
        case .deleteAccount: try await client.deleteAccount()
        case .enrolFactor: try await enrolFactor(input)
        case .removeFactor: return try await removeFactor(input)
        case .keepGuest:
            guard input.isGuest else { return .skipped }
            try await keepGuest(input)
        case .signUpWithPasskey: try await signUpWithPasskey()
        case .signInWithPasskey: return try await signInWithPasskey(input)
        case .addPasskey: try await addPasskey(input)
        case .removePasskey: return try await removePasskey(input)
        case .startApp:
            if try await client.restore() == nil { return .signedOut }
        case .changeEmail, .requestConfirmation, .confirmEmail, .undoEmail, .undoChange,
            .linkIdentity, .removeMethod, .addPassword, .confirmPassword, .stepUp,
            .mergeSessions, .signInOnPage:
            return try await change(call, input)
        case .killApp, .copyDevice, .replayRequest, .copyIdentityToken, .disableUser, .enableUser,
            .signOutUser, .deploy, .rotateKey, .retireKey, .grantAccess, .useAccess,
            .refreshAccess, .abuseAccess, .revokeAccess, .removeApplication, .leaveBrowser,
            .answerForAnother, .changeProgram, .registerProgram, .abuseKey, .changeDocument,
            .deleteProgram, .beginDevice, .typeCode, .pollDevice, .abuseDevice, .leaveByProgram,
            .stopReceiver:
            return .skipped
        }
        return .success(nil)
    }

    private func usePassword(
        _ call: ClientCall, _ input: CallInput
    ) async throws(AuthError) -> CallResult {
        switch call {
        case .register:
            _ = try await client.register(email: input.email, password: input.password)
        case .resendVerification: _ = try await client.resendVerification(email: input.email)
        case .verifyByLink:
            guard let token = input.token else { return .skipped }
            _ = try await client.verifyEmail(.token(token), password: input.password)
        case .verifyByCode:
            guard let code = input.code else { return .skipped }
            _ = try await client.verifyEmail(.code(code), password: input.password)
        case .forgotPassword: _ = try await client.forgotPassword(email: input.email)
        case .resetByLink:
            guard let token = input.token else { return .skipped }
            try await client.resetPassword(.token(token), newPassword: input.newPassword)
        case .resetByCode:
            guard let code = input.code else { return .skipped }
            try await client.resetPassword(.code(code), newPassword: input.newPassword)
        case .changePassword:
            _ = try await client.changePassword(current: input.password, new: input.newPassword)
        default: return .skipped
        }
        return .success(nil)
    }

    private func signIn(
        _ call: ClientCall, _ input: CallInput
    ) async throws(AuthError) -> CallResult {
        switch call {
        case .logIn, .logInWrongly, .logInAsAnother:
            return try await complete(
                try await client.logIn(email: input.email, password: input.password), input)
        case .signInWithProvider:
            let asksForNonce = client.contract.supports(.challenge)
            let nonce = asksForNonce ? try await client.challenge().nonce : nil
            return try await complete(
                try await client.signIn(
                    IdentityCredential(
                        provider: "apple", idToken: input.identityToken, nonce: nonce)),
                input)
        case .replayIdentityToken: return try await replayIdentityToken(input)
        case .requestLink: _ = try await client.requestLink(email: input.email)
        case .redeemLink:
            guard let token = input.token else { return .skipped }
            return try await complete(try await client.redeemLink(.token(token)), input)
        case .redeemCode:
            guard let code = input.code else { return .skipped }
            return try await complete(try await client.redeemLink(.code(code)), input)
        default: return .skipped
        }
        return .success(nil)
    }

    private func endSessions(
        _ call: ClientCall, _ input: CallInput
    ) async throws(AuthError) -> CallResult {
        switch call {
        case .listSessions: _ = try await client.sessions()
        case .signOut:
            let result = await client.signOut()
            if let error = result.storeError { throw error }
        case .signOutEverywhere:
            let result = await client.signOut(.all)
            if let error = result.storeError { throw error }
        case .signOutOthers: try await client.signOutOthers()
        case .endAnotherSession:
            let others = try await client.sessions().filter { !$0.current }
            guard !others.isEmpty else { return .skipped }
            try await client.endSession(id: others[input.choice % others.count].id)
        default: return .skipped
        }
        return .success(nil)
    }

    /// Sends the identity token again, unchanged, altered or with another nonce, concurrently or
    /// after the first request.
    private func replayIdentityToken(
        _ input: CallInput
    ) async throws(AuthError) -> CallResult {
        let (first, second) = (try await client.challenge(), try await client.challenge())
        let credential = IdentityCredential(
            provider: "apple", idToken: input.identityToken, nonce: first.nonce)
        var again = credential
        if input.choice % 2 == 0 {
            again.nonce = second.nonce
        } else {
            again.idToken += "-again"
        }
        guard input.choice % 4 < 2 else {
            _ = try await client.signIn(credential)
            return CallResult(try await client.signIn(again))
        }
        // Sends both requests at the same time.
        let other = again
        let task = Task { try? await client.signIn(credential) }
        let result = CallResult(try await client.signIn(other))
        _ = await task.value
        return result
    }

    /// Guesses more often than any limit admits.
    private func guessPasswords(_ input: CallInput) async throws(AuthError) {
        for _ in 0..<14 {
            do throws(AuthError) {
                _ = try await client.logIn(email: input.email, password: "a wrong guess")
            } catch {
                if case .rateLimited = error { throw error }
            }
        }
    }

    /// Refreshes, and returns the new access token.
    private func renewed() async throws(AuthError) -> CallResult {
        // The requested lifetime is longer than any token's lifetime.
        .success(try await client.validToken(minimumLife: .seconds(4000)).value)
    }

    /// Several requests of one app at the same time.
    private func many() async -> CallResult {
        let tasks = (0..<3).map { _ in Task { await perform(.profile, CallInput()) } }
        var results: [CallResult] = []
        for task in tasks { results.append(await task.value) }
        return results.first { !$0.isSuccess } ?? .success(nil)
    }

    /// Two callers wait for a refresh, and one is cancelled, which does not affect the other.
    private func cancelled() async -> CallResult {
        let first = Task { await perform(.refresh, CallInput()) }
        let second = Task { await perform(.refresh, CallInput()) }
        first.cancel()
        _ = await first.value
        return await second.value
    }
}

extension CallResult {
    init(_ result: SignInResult) { self = result.session == nil ? .secondFactor : .success(nil) }

    init(_ error: AuthError) {
        self =
            switch error {
            case .signedOut: .signedOut
            case .signInAgain: .signInAgain
            case .offline: .later("offline")
            case .unavailable: .later("unavailable")
            case .rateLimited: .later("rate limited")
            case .storeLocked: .later("store locked")
            case .storeFailed: .later("store failed")
            case .cancelled: .later("cancelled")
            case .superseded: .failed("superseded")
            case .unsupported(let what): .failed("unsupported: \(what)")
            case .refused(let refusal): .refused(refusal.code ?? "\(refusal.status)")
            }
    }
}
