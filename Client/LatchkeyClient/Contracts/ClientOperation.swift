/// The operations that contracts may have.
public enum ClientOperation: String, CaseIterable, Hashable, Sendable {
    case challenge, signIn, register, verifyEmail, resendVerification, logIn
    case forgotPassword, resetPassword, changePassword
    case requestLink, redeemLink, requestConfirmation, confirmEmail, changeEmail, undoEmail
    case undoChange
    case refresh, signOut, profile, changeName, deleteAccount, export, audit
    case listSessions, endSession, storageCredentials
    case secondFactor, enrolFactor, confirmFactor, replaceRecoveryCodes, removeFactor
    case listDevices, trustDevice, forgetDevice
    case listMethods, linkIdentity, removeMethod, addPassword, confirmPassword
    case passkeyOptions, passkeySignUp, passkeySignIn
    case listPasskeys, addPasskey, renamePasskey, removePasskey
    case stepUp, guest, merge
    case openPage, redeemPageCode
}

/// The method and path of an operation. `{id}` in a path is replaced.
package struct Route: Sendable {
    let method: String
    let path: String

    package static func get(_ path: String) -> Route { Route(method: "GET", path: path) }
    package static func post(_ path: String) -> Route { Route(method: "POST", path: path) }
    package static func patch(_ path: String) -> Route { Route(method: "PATCH", path: path) }
    package static func delete(_ path: String) -> Route { Route(method: "DELETE", path: path) }
}
