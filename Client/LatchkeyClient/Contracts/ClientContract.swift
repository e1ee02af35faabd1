import Foundation

/// A wire format: paths, names and forms of bodies, and which refusals of a refresh token end the
/// session.
///
/// There are six, one for each contract of the server. An operation that a contract lacks throws
/// `unsupported`.
public struct ClientContract: Sendable {
    public let name: String
    /// An access token is replaced this long before it expires, unless its whole lifetime is
    /// shorter.
    public var margin: Duration

    let routes: [ClientOperation: Route]
    let names: Names
    let refresh: RefreshRules
    let problem: @Sendable (ErrorBody) -> Problem?

    package init(
        name: String, margin: Duration = .seconds(60), routes: [ClientOperation: Route],
        names: Names, refresh: RefreshRules,
        problem: @escaping @Sendable (ErrorBody) -> Problem?
    ) {
        (self.name, self.margin) = (name, margin)
        (self.routes, self.names) = (routes, names)
        (self.refresh, self.problem) = (refresh, problem)
    }

    public func supports(_ operation: ClientOperation) -> Bool { routes[operation] != nil }
}

/// The names of members that differ between contracts.
package struct Names: Sendable {
    package var accessToken = "accessToken"
    package var refreshToken = "refreshToken"
    package var idToken = "idToken"
    /// Whether a sign-in names its provider.
    package var hasProvider = true
    /// Whether a full name is one string, not an object with parts.
    package var hasPlainFullName = false
    /// Whether a request contains a new password twice, the second time as a confirmation.
    package var confirmsPasswords = false
    /// Whether a mailed code needs the secret of the app that requested the mail.
    package var hasRequestSecret = false
    /// Whether sign-ins describe their device.
    package var hasDevices = false

    package init(_ change: (inout Names) -> Void = { _ in }) { change(&self) }
}

package struct RefreshRules: Sendable {
    /// Whether the server answers a repeated refresh token with the same successor for a while, so
    /// that a lost response can be requested again.
    let isResendSafe: Bool
    /// Whether a sign-out needs an access token that is still valid.
    let signOutNeedsAccess: Bool
    /// The lifetime of an access token if the answer does not state it.
    let lifetime: Double
    /// Whether a refusal means that the refresh token is no longer valid. Only such a refusal ends
    /// a session.
    let isFinal: @Sendable (_ status: Int, Problem) -> Bool

    package init(
        isResendSafe: Bool, signOutNeedsAccess: Bool, lifetime: Double,
        isFinal: @escaping @Sendable (_ status: Int, Problem) -> Bool
    ) {
        (self.isResendSafe, self.lifetime) = (isResendSafe, lifetime)
        self.signOutNeedsAccess = signOutNeedsAccess
        self.isFinal = isFinal
    }
}

/// What an error says.
package struct Problem: Equatable, Sendable {
    package private(set) var code: String?
    package private(set) var message: String?
    var field: String?
    var reason: String?
    var action: String?
    var merge: String?

    package init(code: String? = nil, message: String? = nil, field: String? = nil) {
        (self.code, self.message, self.field) = (code, message, field)
    }

    /// `{"error": {"code", "message", …}}`.
    package static func nested(_ body: ErrorBody) -> Problem? {
        let error = body["error"]
        guard let code = error["code"].text else { return nil }
        var problem = Problem(
            code: code, message: error["message"].text, field: error["field"].text)
        problem.reason = error["reason"].text
        problem.action = error["action"].text
        problem.merge = body["merge"].text
        return problem
    }
}

/// The JSON of an error, for contracts in other modules.
package struct ErrorBody {
    let json: JSON?

    package subscript(name: String) -> ErrorBody { ErrorBody(json: json?[name]) }
    package var text: String? { json?.text }
    package var items: [ErrorBody] { json?.items?.map { ErrorBody(json: $0) } ?? [] }
}

extension ClientContract {
    /// The contract with every feature of the server.
    public static let latchkey = ClientContract(
        name: "latchkey",
        routes: [
            .challenge: .post("/auth/challenge"), .signIn: .post("/auth/signin"),
            .register: .post("/auth/register"), .verifyEmail: .post("/auth/verify-email"),
            .resendVerification: .post("/auth/resend-verification"),
            .logIn: .post("/auth/login"), .forgotPassword: .post("/auth/forgot-password"),
            .resetPassword: .post("/auth/reset-password"),
            .changePassword: .post("/auth/change-password"),
            .requestLink: .post("/auth/magic-link"), .redeemLink: .post("/auth/magic-link/redeem"),
            .requestConfirmation: .post("/auth/email/confirmation"),
            .confirmEmail: .post("/auth/email/confirm"), .changeEmail: .post("/auth/email"),
            .undoEmail: .post("/auth/email/undo"), .undoChange: .post("/auth/undo"),
            .refresh: .post("/auth/refresh"),
            .signOut: .post("/auth/signout"), .profile: .get("/auth/me"),
            .changeName: .patch("/auth/me"), .deleteAccount: .delete("/auth/account"),
            .export: .get("/auth/export"), .audit: .get("/auth/audit"),
            .listSessions: .get("/auth/sessions"), .endSession: .delete("/auth/sessions/{id}"),
            .storageCredentials: .post("/auth/credentials"),
            .secondFactor: .post("/auth/second-factor"), .enrolFactor: .post("/auth/totp"),
            .confirmFactor: .post("/auth/totp/confirm"),
            .replaceRecoveryCodes: .post("/auth/totp/recovery-codes"),
            .removeFactor: .post("/auth/totp/remove"), .listDevices: .get("/auth/devices"),
            .trustDevice: .post("/auth/devices/{id}/trust"),
            .forgetDevice: .delete("/auth/devices/{id}"), .listMethods: .get("/auth/methods"),
            .linkIdentity: .post("/auth/methods"), .removeMethod: .delete("/auth/methods/{id}"),
            .addPassword: .post("/auth/methods/password"),
            .confirmPassword: .post("/auth/methods/password/confirm"),
            .passkeyOptions: .post("/auth/passkeys/options"),
            .passkeySignUp: .post("/auth/passkeys/signup"),
            .passkeySignIn: .post("/auth/passkeys/signin"), .listPasskeys: .get("/auth/passkeys"),
            .addPasskey: .post("/auth/passkeys"), .renamePasskey: .patch("/auth/passkeys/{id}"),
            .removePasskey: .delete("/auth/passkeys/{id}"), .stepUp: .post("/auth/step-up"),
            .guest: .post("/auth/guest"), .merge: .post("/auth/merge"),
            .openPage: .get("/auth/ui/{id}"), .redeemPageCode: .post("/auth/ui/token"),
        ],
        names: Names {
            $0.hasRequestSecret = true
            $0.hasDevices = true
        },
        refresh: RefreshRules(
            isResendSafe: true, signOutNeedsAccess: false, lifetime: 900
        ) { status, problem in
            (status == 401 || status == 403) && problem.action == "reauthenticate"
        },
        problem: Problem.nested)
}
