package import AuthDomain
package import AuthOperations
internal import Bytes
internal import JSON
internal import Time

/// Actions of administrators on an account, by a form or as JSON.
package enum UserAction: String, CaseIterable {
    case signOut = "signout"
    case disable, enable
    case mailPasswordLink = "mail-password-link"
    case mailVerificationLink = "mail-verification-link"
    case setEmail = "email"
    case setName = "name"
    case removeSecondFactor = "remove-second-factor"
    case stopFactorRemoval = "stop-second-factor-removal"
    case removeMethod = "remove-method"
    case removeApplication = "remove-application"
    case export, delete

    /// Actions of a contract without mail and without housekeeping.
    static let basic: [UserAction] = [.signOut, .disable, .enable]

    /// Whether `UserEndpoints` makes the action's JSON endpoint from this enumeration.
    var isOwnEndpoint: Bool {
        switch self {
        case .signOut, .disable, .enable, .setEmail: false
        case .mailPasswordLink, .mailVerificationLink, .setName, .removeSecondFactor,
            .stopFactorRemoval, .removeMethod, .removeApplication, .export, .delete:
            true
        }
    }

    package var isDestructive: Bool {
        switch self {
        case .signOut, .disable, .enable, .mailPasswordLink, .mailVerificationLink, .setEmail,
            .setName, .stopFactorRemoval, .removeApplication, .export:
            false
        case .removeSecondFactor, .removeMethod, .delete: true
        }
    }

    /// Actions that cannot be undone, that could be used to take over the account, or that show all
    /// of its data are only for the role `administrator`, and need a recent proof of identity.
    package var role: AdminRole {
        switch self {
        case .signOut, .disable, .enable, .mailPasswordLink, .mailVerificationLink, .setName,
            .stopFactorRemoval, .removeApplication:
            .support
        case .setEmail, .removeSecondFactor, .removeMethod, .export, .delete: .administrator
        }
    }

    package var needs: ServiceNeeds {
        switch self {
        case .signOut, .disable, .enable, .setName, .stopFactorRemoval, .export: []
        case .mailPasswordLink, .mailVerificationLink, .setEmail: [.mail, .links]
        case .removeSecondFactor, .removeMethod: [.notices]
        case .removeApplication: [.oauth]
        case .delete: [.sessions, .notices, .erasure, .hooks]
        }
    }

    /// The feature that the deployment must have turned on for the action.
    package var feature: SwitchedFeature? { self == .removeApplication ? .oauth : nil }

    /// The operation of the JSON interface.
    var operation: AuthOperation {
        switch self {
        case .signOut: .signOutUser
        case .disable: .disableUser
        case .enable: .enableUser
        case .mailPasswordLink: .mailUserPasswordLink
        case .mailVerificationLink: .mailUserVerificationLink
        case .setEmail: .setUserEmail
        case .setName: .setUserName
        case .removeSecondFactor: .removeUserFactor
        case .stopFactorRemoval: .stopFactorRemoval
        case .removeMethod: .removeUserMethod
        case .removeApplication: .removeUserApplication
        case .export: .exportUserData
        case .delete: .deleteUser
        }
    }

    /// - Returns: the answer of the JSON interface.
    package func perform(
        _ call: Call, on id: String, because reason: String?, by administrator: Administrator,
        _ auth: AuthServices
    ) throws -> Answer {
        let change: AdministerUser.Change
        switch self {
        case .signOut: change = .signOut
        case .disable: change = .disable
        case .enable: change = .enable
        case .setEmail: change = try call.body.emailChange()
        case .setName:
            // An empty name removes the name. A request without the member is a mistake.
            guard call.body.has("name") else { throw RequestError.missingField("name") }
            change = .setName(try call.body.text("name").flatMap(PersonName.cleaned))
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
        case .removeMethod: change = try call.body.methodRemoval()
        case .removeApplication:
            try auth.removeApplication(
                try call.body.required("application"), of: id, because: reason,
                by: administrator, call.caller)
            return .noContent
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
            return .download(export)
        }
        _ = try auth.administerUser(
            id, change, because: reason, by: administrator, call.caller)
        return .noContent
    }
}

extension Fields {
    private static let reasonBytesMax = 500

    /// The change to another address. It needs a reason if it cannot be undone.
    func emailChange() throws(RequestError) -> AdministerUser.Change {
        let email = try email()
        let isFinal = try choice("undo", EmailUndo.self) == EmailUndo.none
        if isFinal { _ = try requiredReason() }
        return .setEmail(email, isFinal: isFinal)
    }

    /// `passkey:ID` is one of the user's passkeys, `passkey` all of them.
    func methodRemoval() throws(RequestError) -> AdministerUser.Change {
        let method = try required("method")
        let prefix = "\(LinkedIdentity.passkeyProvider):"
        guard method.hasPrefix(prefix) else {
            return .removeMethod(SignInMethod(name: method))
        }
        return .removeMethod(.passkey, passkey: String(method.dropFirst(prefix.count)))
    }

    /// An administrator's reason, for the audit log.
    func reason() throws(RequestError) -> String? {
        guard let reason = try optional("reason") else { return nil }
        guard reason.utf8.count <= Self.reasonBytesMax else {
            throw .invalidField("reason", .tooLong(bytesMax: Self.reasonBytesMax))
        }
        let printable = reason.unicodeScalars.filter { !$0.isControl }
        return String(String.UnicodeScalarView(printable))
    }

    package func requiredReason() throws(RequestError) -> String {
        guard let reason = try reason(), reason.utf8.contains(where: { $0 != 0x20 }) else {
            throw .missingField("reason")
        }
        return reason
    }

    /// The new role; nil for the empty text, which removes the role.
    package func role() throws(RequestError) -> AdminRole? {
        guard let text = try text("role"), !text.isEmpty else { return nil }
        return try choice("role", AdminRole.self)
    }
}

/// Whether the former mailbox gets a link that undoes a change of the address.
package enum EmailUndo: String, CaseIterable { case allowed, none }

extension AuthOperation {
    package static let mailUserPasswordLink = administration("mailUserPasswordLink")
    package static let mailUserVerificationLink = administration("mailUserVerificationLink")
    package static let setRole = administration("setRole")
    package static let stopFactorRemoval = administration("stopFactorRemoval")
}
