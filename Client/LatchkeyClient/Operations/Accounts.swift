import Foundation

/// A requested mail. The store keeps the secret that its link or code needs.
public struct MailSent: Equatable, Sendable {
    /// nil if the contract does not return it.
    public let email: String?
    /// The server's message, which does not reveal whether the account exists.
    public let message: String?
}

/// The secret in a mail: the token of its link, or the code for the app that requested it.
public enum MailProof: Equatable, Sendable {
    case token(String)
    case code(String)
}

/// The purpose of a mail, which determines the secret that its proof needs.
enum MailPurpose: String {
    case verify, link, confirm, password, addition
}

extension LatchkeyClient {
    /// Signs in with an e-mail address and a password.
    public func logIn(
        email: String, password: String, device: Device? = nil
    ) async throws(AuthError) -> SignInResult {
        let before = intent
        var members = await deviceMembers(device)
        members["email"] = email.json
        members["password"] = password.json
        return try await begin(
            try await callOpen(.logIn, body: .object(members)), before: before)
    }

    /// Requests a new account. `latchkey` and `livlogios` mail a link: see
    /// ``verifyEmail(_:password:device:)``.
    public func register(
        email: String, password: String, displayName: String? = nil
    ) async throws(AuthError) -> MailSent {
        var members = passwordMembers(password)
        members["email"] = email.json
        members["displayName"] = displayName?.json
        return try await mail(.register, .verify, .object(members))
    }

    /// Completes a registration, with its password, and signs in.
    public func verifyEmail(
        _ proof: MailProof, password: String, device: Device? = nil
    ) async throws(AuthError) -> Session {
        let before = intent
        var members = try await proofMembers(proof, .verify)
        if contract.names.hasRequestSecret {
            members["password"] = password.json
            members.merge(describing(device ?? options.device)) { $1 }
        }
        let answer = try await callOpen(.verifyEmail, body: .object(members))
        await forget(.verify)
        return try await beginSession(answer, before: before)
    }

    public func resendVerification(email: String) async throws(AuthError) -> MailSent {
        try await mail(.resendVerification, .verify, .members(["email": email.json]))
    }

    /// Mails a link that replaces a forgotten password.
    public func forgotPassword(email: String) async throws(AuthError) -> MailSent {
        try await mail(.forgotPassword, .password, .members(["email": email.json]))
    }

    /// Replaces a forgotten password. Every session of the account ends.
    public func resetPassword(
        _ proof: MailProof, newPassword: String
    ) async throws(AuthError) {
        var members = try await proofMembers(proof, .password)
        members.merge(passwordMembers(newPassword, "newPassword")) { $1 }
        _ = try await callOpen(.resetPassword, body: .object(members))
        await forget(.password)
    }

    /// Replaces the password. Every other session ends, and this one gets new tokens.
    public func changePassword(
        current: String, new: String
    ) async throws(AuthError) -> Session {
        var members = passwordMembers(new, "newPassword")
        members["currentPassword"] = current.json
        let answer = try await call(.changePassword, body: .object(members))
        return try await continueSession(answer)
    }

    /// Mails a link, and in `latchkey` a code, that signs in.
    public func requestLink(email: String) async throws(AuthError) -> MailSent {
        try await mail(.requestLink, .link, .members(["email": email.json]))
    }

    /// Signs in with a mailed link or code, in the app that requested it.
    public func redeemLink(
        _ proof: MailProof, device: Device? = nil
    ) async throws(AuthError) -> SignInResult {
        let before = intent
        var members = await deviceMembers(device)
        members.merge(try await proofMembers(proof, .link)) { $1 }
        let answer = try await callOpen(.redeemLink, body: .object(members))
        await forget(.link)
        return try await begin(answer, before: before)
    }

    /// Creates an account that has no sign-in method yet.
    public func beginAsGuest(device: Device? = nil) async throws(AuthError) -> Session {
        let before = intent
        let members = await deviceMembers(device)
        return try await beginSession(
            try await callOpen(.guest, body: .object(members)), before: before)
    }

    func passwordMembers(_ password: String, _ name: String = "password") -> [String: JSON] {
        var members = [name: password.json]
        if contract.names.confirmsPasswords { members["confirmPassword"] = password.json }
        return members
    }
}

// The secrets of mails.
extension LatchkeyClient {
    func mail(
        _ operation: ClientOperation, _ purpose: MailPurpose, _ body: JSON?, signed: Bool = false
    ) async throws(AuthError) -> MailSent {
        let answer =
            signed
            ? try await call(operation, body: body) : try await callOpen(operation, body: body)
        return try await remember(answer, purpose)
    }

    /// Stores the secret, because the link may start the app anew.
    func remember(_ answer: Answer, _ purpose: MailPurpose) async throws(AuthError) -> MailSent {
        let email = answer.body["email"]?.text
        if let secret = answer.body["requestSecret"]?.text {
            let pending = PendingMail(email: email ?? "", requestSecret: secret)
            try await changeStore(.mail(purpose, pending))
        }
        return MailSent(email: email, message: answer.body["message"]?.text)
    }

    func proofMembers(
        _ proof: MailProof, _ purpose: MailPurpose
    ) async throws(AuthError) -> [String: JSON] {
        var members: [String: JSON] = [:]
        switch proof {
        case .token(let token): members["token"] = token.json
        case .code(let code):
            guard contract.names.hasRequestSecret else { throw .unsupported("codes in mails") }
            members["code"] = code.json
        }
        if contract.names.hasRequestSecret {
            members["requestSecret"] =
                try await storedRecord().mails[purpose.rawValue]?.requestSecret.json
        }
        return members
    }

    /// Forgets the secret of a mail that has been used.
    func forget(_ purpose: MailPurpose) async {
        // If this fails, the used secret remains in the store, which does no harm.
        try? await changeStore(.mail(purpose, nil))
    }
}
