internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON
internal import Time

/// What an administrator can do to an account, by a form or as JSON.
enum UserAction: String, CaseIterable {
    case signOut = "signout"
    case disable, enable
    case mailPasswordLink = "mail-password-link"
    case mailVerificationLink = "mail-verification-link"
    case setEmail = "email"
    case removeSecondFactor = "remove-second-factor"
    case stopFactorRemoval = "stop-second-factor-removal"
    case removeMethod = "remove-method"
    case export, delete

    /// Those of a contract without mail and without housekeeping.
    static let basic: [UserAction] = [.signOut, .disable, .enable]

    /// Those that `UserEndpoints` serves as JSON by this enumeration.
    var isOwnEndpoint: Bool {
        switch self {
        case .signOut, .disable, .enable, .setEmail: false
        case .mailPasswordLink, .mailVerificationLink, .removeSecondFactor, .stopFactorRemoval,
            .removeMethod, .export, .delete:
            true
        }
    }

    var isDestructive: Bool {
        switch self {
        case .signOut, .disable, .enable, .mailPasswordLink, .mailVerificationLink, .setEmail,
            .stopFactorRemoval, .export:
            false
        case .removeSecondFactor, .removeMethod, .delete: true
        }
    }

    /// Whether the administrator must prove again who they are: for what cannot be undone, could
    /// be used to take over the account, or shows all of it.
    var needsProof: Bool { isDestructive || self == .setEmail || self == .export }

    var role: AdminRole {
        switch self {
        case .signOut, .disable, .enable, .mailPasswordLink, .mailVerificationLink,
            .stopFactorRemoval:
            .support
        case .setEmail, .removeSecondFactor, .removeMethod, .export, .delete: .administrator
        }
    }

    var needs: ServiceNeeds {
        switch self {
        case .signOut, .disable, .enable, .stopFactorRemoval: []
        case .export: [.adminPassword]
        case .mailPasswordLink, .mailVerificationLink: [.mail, .links]
        case .setEmail: [.mail, .links, .adminPassword]
        case .removeSecondFactor, .removeMethod: [.adminPassword, .notices]
        case .delete: [.sessions, .adminPassword, .notices, .erasure, .hooks]
        }
    }

    /// The operation of the JSON interface.
    var operation: AuthOperation {
        switch self {
        case .signOut: .signOutUser
        case .disable: .disableUser
        case .enable: .enableUser
        case .mailPasswordLink: .mailUserPasswordLink
        case .mailVerificationLink: .mailUserVerificationLink
        case .setEmail: .setUserEmail
        case .removeSecondFactor: .removeUserFactor
        case .stopFactorRemoval: .stopFactorRemoval
        case .removeMethod: .removeUserMethod
        case .export: .exportUserData
        case .delete: .deleteUser
        }
    }

    /// - Returns: the answer of the JSON interface.
    func perform(
        _ call: Call, on id: String, because reason: String?, by administrator: Administrator,
        _ auth: AuthServices
    ) throws -> Answer {
        let change: AdministerUser.Change
        switch self {
        case .signOut: change = .signOut
        case .disable: change = .disable
        case .enable: change = .enable
        case .setEmail: change = .setEmail(try call.body.email())
        case .removeSecondFactor:
            let from = try auth.lostSecondFactor.begin(
                of: id, because: reason, by: administrator, call.caller)
            if let from {
                return Answer(202, ["removableFrom": .string(from.iso8601Seconds)])
            }
            change = .removeSecondFactor
        case .stopFactorRemoval:
            try auth.lostSecondFactor.stop(
                of: id, because: reason, by: administrator, call.caller)
            return .noContent
        case .removeMethod:
            change = .removeMethod(SignInMethod(name: try call.body.required("method")))
        case .delete: change = .delete
        case .mailPasswordLink:
            try auth.mailPasswordLink(to: id, because: reason, by: administrator, call.caller)
            return .noContent
        case .mailVerificationLink:
            try auth.mailVerificationLink(
                to: id, because: reason, by: administrator, call.caller)
            return .noContent
        case .export:
            let export = try auth.exportUser(
                id, after: call.query("after"), because: reason, by: administrator, call.caller)
            return Answer(
                200, LatchkeyBodies.export(export),
                headers: [("content-disposition", "attachment; filename=\"account.json\"")])
        }
        _ = try auth.administerUser(
            id, change, because: reason, by: administrator, call.caller)
        return .noContent
    }
}

// MARK: Words

extension UserAction {
    var title: String {
        switch self {
        case .signOut: "Sign out everywhere"
        case .disable: "Disable"
        case .enable: "Enable"
        case .mailPasswordLink: "Mail a link for a new password"
        case .mailVerificationLink: "Mail a link to verify the address"
        case .setEmail: "Change the e-mail address"
        case .removeSecondFactor: "End a lost second factor"
        case .stopFactorRemoval: "Keep the second factor"
        case .removeMethod: "Remove a way to sign in"
        case .export: "Export"
        case .delete: "Delete"
        }
    }

    var effect: String {
        switch self {
        case .signOut: "Ends every session. The user can sign in again."
        case .disable: "Ends every session, and refuses every sign-in."
        case .enable: "Allows sign-in again. Earlier sessions stay ended."
        case .mailPasswordLink: "Sends it to the address that the user signs in with."
        case .mailVerificationLink:
            "Sends it to the address of the account, which is not verified. Limits apply."
        case .setEmail:
            "You vouch for the address. The old one is told, and can undo it for seven days."
        case .removeSecondFactor:
            "First make sure of who asks: call back on a known number, or see a document. "
                + "The user is told by mail. Every session ends when it is removed."
        case .stopFactorRemoval: "Stops the removal that was begun."
        case .removeMethod: "Every session ends, and the user is told by mail."
        case .export:
            "Downloads what is stored about the user, without secrets. More than 1,000 events come "
                + "in parts: send the request again with ?after= and next of the part before."
        case .delete: "Ends the account and erases its data. This cannot be undone."
        }
    }

    var notice: AdminNotice {
        switch self {
        case .signOut: .signedOut
        case .disable: .disabled
        case .enable: .enabled
        case .mailPasswordLink, .mailVerificationLink: .mailed
        case .setEmail: .addressChanged
        case .removeSecondFactor: .factorRemoved
        case .stopFactorRemoval: .factorKept
        case .removeMethod: .methodRemoved
        case .export, .delete: .deleted
        }
    }
}

/// What a page says about the request before the redirect.
enum AdminNotice: String {
    case signedOut, disabled, enabled, deleted, mailed, addressChanged, factorRemoved
    case factorWaits, factorKept, methodRemoved, keyMade, resent, roleSet

    var text: String {
        switch self {
        case .signedOut: "Every session of the user has ended."
        case .disabled: "The user is disabled: every session has ended."
        case .enabled: "The user can sign in again."
        case .deleted: "The account is deleted, and its data is being erased."
        case .mailed: "The link is mailed."
        case .addressChanged: "The address is changed."
        case .factorRemoved: "The second factor is off: every session has ended."
        case .factorWaits:
            "The removal is begun, and the user is told. Come back when the wait has ended."
        case .factorKept: "The second factor stays."
        case .methodRemoved: "The way to sign in is removed: every session has ended."
        case .keyMade: "The next signing key is published. It signs in a day."
        case .resent: "The event is sent again."
        case .roleSet: "The role is changed."
        }
    }
}

extension Fields {
    private static let reasonBytesMax = 500

    /// An administrator's reason, for the audit log.
    func reason() throws(RequestError) -> String? {
        guard let reason = try optional("reason") else { return nil }
        guard reason.utf8.count <= Self.reasonBytesMax else {
            throw .invalidField("reason", .tooLong(bytesMax: Self.reasonBytesMax))
        }
        let printable = reason.unicodeScalars.filter { !$0.isControl }
        return String(String.UnicodeScalarView(printable))
    }

    func requiredReason() throws(RequestError) -> String {
        guard let reason = try reason(), reason.utf8.contains(where: { $0 != 0x20 }) else {
            throw .missingField("reason")
        }
        return reason
    }
}
