internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import IdentityProviders

/// The message about a refused form, for the person who sent it.
struct PageProblem: Sendable {
    let status: Int
    /// The input next to which the message is shown; nil for the whole form.
    private(set) var field: String?
    let headers: [(name: String, value: String)]
    private var message: PageText
    private let values: [(name: String, value: String)]
    /// What the developer of a client should know.
    private var detail: String?

    /// Whether a passkey was refused, for one of several reasons.
    var isRefusedPasskey: Bool { message == .problemPasskey }

    /// Whether the link or the code of a mail is no longer valid.
    var isSpentMail: Bool { message == .problemLink || message == .problemCode }

    func text(_ texts: PageTexts) -> String { texts(message, values) }

    /// A message in the person's language, and below it what only a developer can use, in English.
    func html(_ texts: PageTexts) -> HTML {
        guard let detail else { return "\(text(texts))" }
        return "\(text(texts))<span class=\"hint\" lang=\"en\">\(detail)</span>"
    }

    /// Says something else about a link that is no longer valid.
    mutating func replaceLink(by text: PageText) {
        if message == .problemLink { message = text }
    }

    /// - Parameters:
    ///   - response: the standard response to the error, which has its status and field.
    ///   - fields: the fields of the form.
    ///   - returnAddress: the return address that the app has requested.
    ///   - unlisted: the redirect address that a client has requested, if it is not registered.
    ///   - client: the ID of the client that requests an authorization.
    init(
        _ error: APIError, _ response: ErrorResponse, of fields: Fields,
        returnAddress: String? = nil, unlisted: UnlistedAddress? = nil, client: String? = nil
    ) {
        var values: [(name: String, value: String)] = []
        switch error {
        case .request(let error):
            let text = Self.message(error)
            let isHere = returnAddress.map(Self.isOfThisMachine) ?? false
            message = text == .problemUnlisted && isHere ? .problemUnlistedHere : text
            values = [("address", returnAddress.map(Self.shown) ?? "…")]
        case .auth(.password(.refused(let defect))):
            (message, values) = Self.message(defect)
        case .auth(.rateLimited(let seconds)):
            let (text, count) = Self.wait(seconds)
            message = text
            values = [("count", "\(count)")]
        case .auth(.oauth(.invalidRequest)) where unlisted != nil:
            message = .problemRedirect
            values = Self.values(unlisted)
        case .auth(.oauth(let error)):
            let known: [(OAuthError, PageText)] = [
                (.unknownRequest, .problemRequest), (.wrongUserCode, .problemDeviceCode),
                (.accessDenied, .problemRefused),
            ]
            message = known.first { $0.0 == error }?.1 ?? .problemClient
            if message == .problemClient {
                detail = response.message
                if case .invalidClient = error, let client { detail? += " (\(Self.shown(client)))" }
            }
        case .auth(let error): message = Self.message(error)
        }
        self.values = values
        // A browser cannot answer the challenge for a client.
        if case .auth(.oauth(.invalidClient)) = error {
            status = 400
        } else {
            status = response.status
        }
        field = response.field
        if case .auth(.secondFactor(.wrongCode)) = error {
            field = fields.has("recoveryCode") ? "recoveryCode" : "code"
        }
        // Challenges are removed: they are for clients that send tokens.
        headers = response.headers.filter { $0.name == "retry-after" }
    }

    private static func values(
        _ unlisted: UnlistedAddress?
    ) -> [(name: String, value: String)] {
        guard let unlisted else { return [] }
        return [
            ("client", unlisted.clientName ?? shown(unlisted.client)),
            ("address", shown(unlisted.address)),
        ]
    }

    /// Developers often confuse `localhost` and `127.0.0.1`, but a list of addresses distinguishes
    /// them.
    private static func isOfThisMachine(_ address: String) -> Bool {
        address.hasPrefix("http://") && Authority(of: address).isLoopback
    }

    /// The beginning of an address, without characters with which it could look like a sentence of
    /// the page.
    private static func shown(_ address: String) -> String {
        let start = address.utf8.prefix { byte in
            byte.isLetterOrDigit || "-._~:/?#&=%+@[]".utf8.contains(byte)
        }
        let isWhole = start.count == address.utf8.count && start.count <= addressBytesMax
        return String(decoding: start.prefix(addressBytesMax), as: UTF8.self) + (isWhole ? "" : "…")
    }

    private static let addressBytesMax = 100

    /// The number is rounded up, and never one, so that no language needs a singular.
    private static func wait(_ seconds: Int64) -> (PageText, count: Int64) {
        switch seconds {
        case ..<60: (.problemLimit, max(2, seconds))
        case ..<7200: (.problemLimitMinutes, max(2, (seconds + 59) / 60))
        default: (.problemLimitHours, (seconds + 3599) / 3600)
        }
    }

    private static func message(_ error: RequestError) -> PageText {
        switch error {
        case .missingField: .problemRequired
        case .invalidField(_, .notEmailAddress): .problemEmail
        case .foreignForm: .problemForm
        case .invalidField("redirect_uri", _): .problemUnlisted
        case .invalidField(let name, _) where PageReturn.parameters.contains(name): .problemReturn
        case .foreignHost, .insecureScheme, .undecodablePath, .tooManyFields, .notFound,
            .methodNotAllowed, .bodyTooLarge, .unsupportedMediaType, .bodyNotJSON,
            .bodyNotAnObject, .bodyNotAForm, .invalidField:
            .problemOther
        }
    }

    private static func message(
        _ defect: PasswordDefect
    ) -> (PageText, [(name: String, value: String)]) {
        switch defect {
        case .tooShort(let count): (.problemTooShort, [("count", "\(count)")])
        case .tooLong: (.problemTooLong, [])
        case .lacks: (.problemLacks, [])
        case .common: (.problemCommon, [])
        case .breached: (.problemBreached, [])
        case .containsAddress: (.problemContainsAddress, [])
        }
    }

    private static func message(_ error: AuthError) -> PageText {
        switch error {
        case .password(.wrongCredentials): .problemCredentials
        case .password(.wrongCurrentPassword): .problemCurrentPassword
        case .password: .problemPassword
        case .emailLink(.invalidCode): .problemCode
        case .emailLink(.alreadyVerified): .problemSameAddress
        case .emailLink: .problemLink
        case .secondFactor(.ticketInvalid), .signIn(.codeInvalid): .problemTicket
        case .secondFactor(.wrongCode): .problemWrongCode
        case .secondFactor(.recoveryCodeRequired): .problemRecoveryOnly
        case .secondFactor(.addressNotVerified): .problemUnconfirmed
        case .secondFactor: .problemOther
        case .passkey(.refused), .passkey(.registrationRefused): .problemPasskey
        case .passkey(.alreadyRegistered): .problemPasskeyTaken
        case .passkey(.tooMany): .problemTooManyPasskeys
        case .hook(.refused(.beforeSignUp, _)): .problemSignUpRefused
        case .hook(.signUpClosed): .problemSignUpClosed
        case .hook(.refused(.beforeSignIn, _)): .problemSignInRefused
        case .hook(.secondFactorNeeded): .problemSecondFactorNeeded
        case .hook(.unavailable): .problemUnavailable
        case .account(.disabled): .problemDisabled
        case .account(.emailTaken): .problemTaken
        case .account(.guest): .problemOther
        case .accessToken: .problemSignedOut
        case .session(.notFound): .problemSession
        case .session: .problemRecent
        case .unavailable, .notConfigured, .signIn(.identityRejected(.keysUnavailable)):
            .problemUnavailable
        case .method(.last): .problemLastMethod
        case .method: .problemMethod
        case .signIn, .refreshToken, .proof, .passkey, .device, .storage, .oauth,
            .notificationRejected, .administration, .rateLimited, .fault:
            .problemOther
        }
    }
}
