import JSON
import LatchkeyClient
import LatchkeyContracts

/// The names that a contract uses on the wire for features of `latchkey`. Observers and checks use
/// only the names of `latchkey`.
struct Dialect: Sendable {
    let contract: ClientContract
    /// The prefix of most paths.
    private var prefix = ""
    /// Paths that differ from the paths of `latchkey`.
    private var paths: [(general: String, own: String)] = []
    /// Members that differ from the members of `latchkey`.
    private var members: [(general: String, own: String)] = []
    /// Whether a sign-in contains a provider and a nonce.
    private var namesProvider = true
    /// Whether a password needs several kinds of characters, and is sent a second time as a
    /// confirmation.
    private var hasStrictPasswords = false

    /// nil for an unknown contract, or for one without sessions.
    static func named(_ name: String) -> Dialect? {
        switch name {
        case "latchkey": Dialect(contract: .latchkey)
        case "whateat": Dialect(contract: .whateat, prefix: "/api/v1")
        case "livlogios":
            Dialect(
                contract: .livlogios, prefix: "/api/v1",
                paths: [
                    ("/auth/signin", "/api/v1/auth/apple"),
                    ("/auth/signout", "/api/v1/auth/logout"),
                    ("/auth/methods", "/api/v1/auth/methods/apple"),
                ], members: [("idToken", "identityToken")], namesProvider: false)
        case "news_app":
            Dialect(
                contract: .newsApp, paths: [("/auth/signin", "/auth/apple")],
                members: [
                    ("idToken", "id_token"), ("accessToken", "access_token"),
                    ("refreshToken", "refresh_token"),
                ], namesProvider: false)
        case "shell":
            Dialect(
                contract: .shell,
                paths: [
                    ("/auth/signout", "/auth/logout"),
                    ("/auth/magic-link/redeem", "/auth/magic-link/verify"),
                    ("/auth/email/confirm", "/auth/verify-email"),
                    ("/auth/email/confirmation", "/auth/verify-email/send"),
                ], hasStrictPasswords: true)
        default: nil
        }
    }

    static let names = ["latchkey", "whateat", "livlogios", "news_app", "shell"]

    private var isGeneral: Bool { contract.name == "latchkey" }

    // MARK: From the contract

    func operation(_ request: WireRequest) -> String {
        "\(request.method) \(general(request.path))"
    }

    private func general(_ path: String) -> String {
        if let named = paths.first(where: { $0.own == path }) { return named.general }
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }

    func body(_ json: JSON) -> JSON {
        guard !members.isEmpty, var object = json.objectValue else { return json }
        for (general, own) in members {
            guard let value = object[own] else { continue }
            object[own] = nil
            object[general] = value
        }
        return .object(object)
    }

    /// - Parameter operation: the operation's name in `latchkey`.
    func answer(_ json: JSON, to operation: String, status: Int) -> JSON {
        guard !isGeneral else { return json }
        var object = body(json).objectValue ?? JSONObject()
        guard status >= 400 else { return .object(object) }
        let nested = json["error"]?["code"]?.stringValue
        let flat = json["code"]?.stringValue ?? json["error"]?.stringValue
        var error: JSONObject = ["code": .string(nested ?? flat ?? "")]
        // The clients of these contracts end the session after this response.
        if operation == "POST /auth/refresh", status == 401 { error["action"] = "reauthenticate" }
        object["error"] = .object(error)
        return .object(object)
    }

    // MARK: To the contract

    func request(_ request: WireRequest) -> WireRequest {
        guard !isGeneral else { return request }
        let path = paths.first { $0.general == request.path }?.own ?? prefix + request.path
        var body = (try? JSON.parse(request.body, limits: .event))?.objectValue
        for (general, own) in members {
            guard let value = body?[general] else { continue }
            body?[general] = nil
            body?[own] = value
        }
        if !namesProvider { body?["provider"] = nil }
        if hasStrictPasswords, request.path != "/auth/login",
            let password = body?["newPassword"] ?? body?["password"]
        {
            body?["confirmPassword"] = password
        }
        return WireRequest(
            method: request.method, path: path, query: request.query, headers: request.headers,
            body: body.map(\.serialized) ?? [])
    }

    func password(_ text: String) -> String { hasStrictPasswords ? "A1!" + text : text }

    // MARK: Features

    func has(_ operation: ClientOperation) -> Bool { contract.supports(operation) }

    /// Whether the contract has the features that only `latchkey` has: codes and secrets of mails,
    /// nonces, step-up, passkeys.
    var hasEverything: Bool { isGeneral }

    func supports(_ call: ClientCall) -> Bool {
        switch call {
        case .register: has(.register)
        case .resendVerification: has(.resendVerification)
        case .verifyByLink: has(.verifyEmail)
        case .logIn, .logInWrongly, .logInAsAnother, .guessPasswords: has(.logIn)
        case .signInWithProvider: has(.signIn)
        case .requestLink: has(.requestLink)
        case .redeemLink: has(.redeemLink)
        case .forgotPassword: has(.forgotPassword)
        case .resetByLink: has(.resetPassword)
        case .changePassword: has(.changePassword)
        case .deleteAccount: has(.deleteAccount)
        case .enrolFactor: has(.enrolFactor)
        case .removeFactor: has(.removeFactor)
        case .profile, .manyProfiles, .refresh, .cancelledRefresh, .signOut, .startApp, .killApp,
            .copyDevice, .replayRequest, .disableUser, .enableUser, .signOutUser, .deploy,
            .rotateKey, .retireKey:
            true
        case .verifyByCode, .redeemCode, .resetByCode, .replayIdentityToken, .copyIdentityToken,
            .listSessions, .signOutEverywhere, .signOutOthers, .endAnotherSession, .credentials,
            .beginAsGuest, .keepGuest, .signUpWithPasskey, .signInWithPasskey, .addPasskey,
            .removePasskey, .changeEmail, .requestConfirmation, .confirmEmail, .undoEmail,
            .undoChange, .linkIdentity, .removeMethod, .addPassword, .confirmPassword, .stepUp,
            .mergeSessions, .signInOnPage, .grantAccess, .useAccess, .refreshAccess,
            .abuseAccess, .revokeAccess, .removeApplication, .leaveBrowser, .answerForAnother,
            .changeProgram, .registerProgram, .abuseKey, .changeDocument, .deleteProgram,
            .beginDevice, .typeCode, .pollDevice, .abuseDevice, .leaveByProgram, .stopReceiver:
            isGeneral
        }
    }
}
