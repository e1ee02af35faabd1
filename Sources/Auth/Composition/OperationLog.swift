internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import Time

extension LogEvent {
    static let answered = LogEvent("answered")
    static let refused = LogEvent("refused")
    static let failed = LogEvent("failed")
    static let adminPasswordNotHashed = LogEvent("admin_password_not_hashed")
    static let httpsNotRequired = LogEvent("https_not_required")
    static let noProviderConfigured = LogEvent("no_identity_provider_configured")
    static let storeFailed = LogEvent("store_failed")
    static let providerKeysUnavailable = LogEvent("provider_keys_unavailable")
    static let mailSent = LogEvent("mail_sent")
    static let mailWritten = LogEvent("mail_written")
    static let mailNotWritten = LogEvent("mail_not_written")
    static let mailFailed = LogEvent("mail_failed")
    static let mailDropped = LogEvent("mail_dropped")
    static let mailWithheld = LogEvent("mail_withheld")
    static let accountMoved = LogEvent("account_moved")
    static let webhookSent = LogEvent("webhook_sent")
    static let webhookFailed = LogEvent("webhook_failed")
    static let webhookDead = LogEvent("webhook_dead")
    static let webhookEventMissing = LogEvent("webhook_event_missing")
    static let logoutNoticeSent = LogEvent("logout_notice_sent")
    static let logoutNoticeFailed = LogEvent("logout_notice_failed")
    static let logoutNoticeDead = LogEvent("logout_notice_dead")
    static let accountErased = LogEvent("account_erased")
    static let accountErasureFailed = LogEvent("account_erasure_failed")
    static let accountRemoved = LogEvent("account_removed")
    static let providerTokenNotRevoked = LogEvent("provider_token_not_revoked")
    static let auditChains = LogEvent("audit_chains")
    static let auditHead = LogEvent("audit_head")
    static let hookFailed = LogEvent("hook_failed")
    static let breachedPasswordsUnavailable = LogEvent("breached_passwords_unavailable")
    static let masterKeyReplacement = LogEvent("master_key_replacement")
    /// Without HTTPS, browsers drop the cookie of the answer: use HTTPS, `localhost` or an SSH
    /// tunnel.
    static let secureCookieOverHTTP = LogEvent("secure_cookie_over_http")
    static let clientNotUsable = LogEvent("client_not_usable")
    static let rateLimitsOff = LogEvent("rate_limits_off")
}

// The log values of operations: names of cases, IDs of users and sessions. Texts in errors (such as
// field names) are literals in our source; nothing here comes from a client.
extension Log {
    /// - Parameters:
    ///   - duration: the time from the request to the response.
    ///   - refused: the details for the log if the request was refused.
    func report(
        _ request: Request, _ outcome: Router.Outcome, _ refused: RefusedRequest?,
        after duration: Span, store: String
    ) {
        var values: [(StaticString, LogValue)] = [
            ("operation", .identifier(outcome.loggedOperation)),
            ("status", .count(outcome.answer.status)), ("milliseconds", .milliseconds(duration)),
        ]
        let facts = outcome.facts
        if let provider = facts.provider { values.append(("provider", .identifier(provider))) }
        if let client = facts.client { values.append(("client", .identifier(client))) }
        let leftOut = facts.scopesLeftOut.joined(separator: " ")
        if !leftOut.isEmpty { values.append(("scopesLeftOut", .failureDetail(leftOut))) }
        if let act = facts.actForOthers, let maker = act.maker {
            values += [("audited", .identifier(act.event)), ("by", .identifier(maker))]
            if let user = act.user { values.append(("user", .identifier(user.text))) }
        }
        if let sent = facts.sentError {
            values.append(("error", .identifier(sent.name)))
            values += APIError.auth(.oauth(sent.error)).cause
        }
        if let (error, code) = outcome.failure {
            values.append(("code", .identifier(code.text)))
            values += error.cause
            if case .auth(.notConfigured(let feature)) = error {
                values.append(("missing", .failureDetail(feature.settings)))
            }
        }
        if let refused {
            values += refused.values
        } else if form == .text, request.form == .http {
            values += [("method", .method(request.method)), ("path", .path(request.path))]
        }
        let metrics =
            embedsMetrics
            ? outcome.embed(
                into: &values, store: store, RequestScope.current.takeStoreMicroseconds()) : []
        if outcome.failure == nil, refused == nil {
            info(.answered, values, metrics: metrics)
        } else if outcome.answer.status >= 500 {
            error(.failed, values, metrics: metrics)
        } else {
            info(.refused, values, metrics: metrics)
        }
    }

    /// Logs which kind of message it was, and never the recipient.
    func report(_ outcome: MailOutcome) {
        switch outcome {
        case .sent(let kind, let attempt):
            counted(
                "mailSent", .mailSent,
                [("kind", .code(kind)), ("attempt", .count(Int(clamping: attempt)))])
        case .failed(let kind, let attempt, let failure):
            counted(
                "mailFailed", .mailFailed,
                [
                    ("kind", .identifier(kind?.rawValue ?? "unknown")),
                    ("attempt", .count(Int(clamping: attempt))), ("reason", .code(failure)),
                ], isError: true)
        case .dropped(let kind, let reason):
            counted(
                "mailDropped", .mailDropped,
                [
                    ("kind", .identifier(kind?.rawValue ?? "unknown")), ("reason", .code(reason)),
                ], isError: true)
        case .withheld(let kind, let limit):
            // If one recipient's limit is reached, the operator need not act; if the deployment's
            // is, the operator must.
            counted(
                "mailWithheld", by: [[], ["limit"]], .mailWithheld,
                [("kind", .code(kind)), ("limit", .code(limit))], isError: limit != .recipient)
        }
    }

    func report(_ result: Result<MailFolder.Written, MailFolder.Failure>) {
        let mail: MailFolder.Written
        switch result {
        case .success(let written): mail = written
        case .failure(let failure):
            return error(.mailNotWritten, ["detail": .failureDetail(failure.text)])
        }
        var values: [(StaticString, LogValue)] = [
            ("kind", .code(mail.kind)), ("file", .failureDetail(mail.file)),
        ]
        if let link = mail.link { values.append(("link", .linkOfUndeliveredMail(link))) }
        counted("mailSent", .mailWritten, values)
    }

    /// A log line that counts as one event of a metric.
    func counted(
        _ metric: StaticString, by dimensions: [[StaticString]] = [[]], _ event: LogEvent,
        _ values: [(StaticString, LogValue)], isError: Bool = false
    ) {
        let own = embedsMetrics ? [(metric, LogValue.count(1))] : []
        let metrics = [EmbeddedMetrics(by: dimensions, [(metric, .count)])]
        if isError {
            error(event, values + own, metrics: metrics)
        } else {
            info(event, values + own, metrics: metrics)
        }
    }

    func report(_ report: ErasureReport) {
        switch report {
        case .failed(let user, let part, let failure):
            error(
                .accountErasureFailed,
                [
                    "user": .identifier(user.text), "part": .code(part), "reason": .code(failure),
                ])
        case .providerTokenNotRevoked(let user):
            error(.providerTokenNotRevoked, ["user": .identifier(user.text)])
        case .moved(let user): info(.accountMoved, ["user": .identifier(user.text)])
        case .erased(let user): info(.accountErased, ["user": .identifier(user.text)])
        case .removed(let user): info(.accountRemoved, ["user": .identifier(user.text)])
        }
    }

    func report(_ report: ClientReport) {
        switch report {
        case .notUsable(let client, let problem):
            error(
                .clientNotUsable,
                [
                    "client": .identifier(client),
                    "problem": .failureDetail("\(problem.member) \(problem.rule)"),
                ])
        }
    }

    func report(_ notice: HousekeepingNotice) {
        switch notice {
        case .masterKeyReplaced(let report):
            info(
                .masterKeyReplacement,
                [
                    "renewed": .count(report.renewed), "left": .count(report.left),
                    "unreadable": .count(report.unreadable),
                    "sessionDaysLeft": .count(report.sessionDaysLeft),
                    "auditDaysLeft": .count(report.auditDaysLeft),
                ])
        case .auditHead(let head):
            // A verification accepts an anchor in this form.
            info(
                .auditHead,
                [
                    "chain": .chain(head.chain), "sequence": .count(Int(head.sequence)),
                    "link": .identifier(Hex.encode(head.link)),
                    "expiresAt": .count(Int(head.expiresAt.milliseconds)),
                ])
        case .auditChains(let census):
            info(
                .auditChains,
                [
                    "shard": .count(census.shard), "chains": .count(census.chains),
                    "events": .count(Int(census.events)), "complete": .flag(census.isComplete),
                ])
        }
    }

    func report(_ decision: Result<Authorize.Decision, AuthError>) {
        switch decision {
        case .success(.allowed(let principal)):
            info(.answered, ["user": .identifier(principal?.user.id.text ?? "anonymous")])
        case .success(.allowedClient(let access)):
            info(
                .answered,
                access.owner.map { ["user": .identifier($0.user.id.text)] }
                    ?? ["client": .identifier(access.token.client)])
        case .success(.insufficientScope):
            info(.refused, ["reason": .word("insufficientScope")])
        case .success(.refused(let error)):
            info(.refused, ["reason": .identifier(error.reason)])
        case .failure(let error):
            self.error(.failed, ["reason": .identifier(error.reason)])
        }
    }
}

extension LogValue {
    /// A chain that belongs to no account, address or network.
    fileprivate static func chain(_ name: String) -> LogValue {
        for chain in ["ADMINISTRATION", "ADMINISTRATION#ATTEMPTS", "MAIL"] as [StaticString]
        where chain.description.isSame(as: name) {
            return .word(chain)
        }
        return .identifier(name)
    }
}

extension APIError {
    /// The error case and its associated values, separated by dots. Alarms and dashboards depend on
    /// these strings, so they must not change.
    var reason: String {
        switch self {
        case .request(let error): error.reason
        case .auth(let error): error.reason
        }
    }
}

extension RequestError {
    fileprivate var reason: String {
        switch self {
        case .insecureScheme: "insecureScheme"
        case .undecodablePath: "malformed.badPath"
        case .tooManyFields: "malformed.tooManyFields"
        case .notFound: "noSuchRoute"
        case .methodNotAllowed: "methodNotAllowed"
        case .bodyTooLarge: "malformed.tooLarge"
        case .unsupportedMediaType: "malformed.unsupportedMediaType"
        case .foreignForm: "malformed.foreignForm"
        case .foreignHost: "foreignHost"
        case .bodyNotJSON: "malformed.notJSON"
        case .bodyNotAnObject: "malformed.notAnObject"
        case .bodyNotAForm: "malformed.notAForm"
        case .missingField(let field): "missing.\(field)"
        // The name of an unknown member comes from the client, so it is not logged.
        case .invalidField(_, .unknown): "unknownMember"
        case .invalidField(let field, _): "invalid.\(field)"
        }
    }
}

extension AuthError {
    fileprivate var reason: String {
        switch self {
        case .signIn(let error): error.reason
        case .accessToken(.missing): "accessTokenMissing"
        case .accessToken(.administratorsOnly): "notPermitted"
        case .accessToken(let error): "accessTokenRejected.\(error.rawValue)"
        case .refreshToken(.sessionEnded): "refreshTokenRejected.ended"
        case .refreshToken(let error): "refreshTokenRejected.\(error.rawValue)"
        case .proof(let error): "proofRejected.\(error.rawValue)"
        case .account(.disabled): "accountDisabled"
        case .account(.emailTaken): "emailTaken"
        case .account(.guest): "guestAccount"
        case .method(let error): "method.\(error.rawValue)"
        case .password(let error): error.reason
        case .emailLink(.invalid): "emailLinkInvalid"
        case .emailLink(.invalidCode): "emailCodeInvalid"
        case .emailLink(.alreadyVerified): "emailAlreadyVerified"
        case .emailLink(.noAddress): "noEmailAddress"
        case .secondFactor(let error): "secondFactor.\(error.rawValue)"
        case .passkey(let error): "passkey.\(error.rawValue)"
        case .hook(.refused(let kind, _)): "hook.refused.\(kind.rawValue)"
        case .hook(.secondFactorNeeded): "hook.secondFactorNeeded"
        case .hook(.signUpClosed): "signUpClosed"
        case .hook(.unavailable(let kind)): "hook.unavailable.\(kind.rawValue)"
        case .device(let error): "device.\(error.rawValue)"
        case .session(.notFound): "sessionNotFound"
        case .notificationRejected(let failure):
            "notificationRejected.\(SignInError.words(failure))"
        case .session(.recentSignInRequired): "recentSignInRequired"
        case .session(.stepUpRequired): "stepUpRequired"
        case .storage(.refused): "storageRefused"
        case .storage(let error): error.rawValue
        case .administration(let error): error.rawValue
        case .oauth(let error): "oauth.\(error.reason)"
        case .rateLimited: "rateLimited"
        case .unavailable(let dependency): "unavailable.\(dependency.rawValue)"
        case .notConfigured(let feature): "notConfigured.\(feature.rawValue)"
        case .fault(let fault): "fault.\(fault.rawValue)"
        }
    }
}

extension OAuthError {
    fileprivate var reason: String {
        switch self {
        case .invalidRequest: "invalidRequest"
        case .invalidClient(let failed, _): "invalidClient.\(failed.rawValue)"
        case .unauthorizedClient: "unauthorizedClient"
        case .unsupportedGrantType: "unsupportedGrantType"
        case .unsupportedResponseType: "unsupportedResponseType"
        case .invalidGrant(let dead): "invalidGrant.\(dead.rawValue)"
        case .invalidScope(_, let refused): "invalidScope.\(refused.rawValue)"
        case .invalidTarget: "invalidTarget"
        case .targetMissing: "targetMissing"
        case .accessDenied: "accessDenied"
        case .loginRequired: "loginRequired"
        case .consentRequired: "consentRequired"
        case .interactionRequired: "interactionRequired"
        case .unmetRequirements: "unmetRequirements"
        case .unknownRequest: "unknownRequest"
        case .authorizationPending: "authorizationPending"
        case .slowDown: "slowDown"
        case .expiredToken: "expiredToken"
        case .wrongUserCode: "wrongUserCode"
        case .unsupported(let parameter): "unsupported.\(parameter.rawValue)"
        case .unacceptable(let problem): "unacceptable.\(problem.member)"
        case .clientNotFound: "clientNotFound"
        case .configuredClient: "configuredClient"
        case .notGranted: "notGranted"
        case .insufficientScope: "insufficientScope"
        case .tokenOfOtherServer: "tokenOfOtherServer"
        case .useNonce: "useNonce"
        }
    }
}

extension PasswordError {
    fileprivate var reason: String {
        switch self {
        case .wrongCredentials: "wrongCredentials"
        case .wrongCurrentPassword: "wrongCurrentPassword"
        case .notSet: "passwordNotSet"
        case .refused(let defect): "passwordRefused.\(defect.reason)"
        }
    }
}

extension PasswordDefect {
    fileprivate var reason: String {
        switch self {
        case .tooShort: "tooShort"
        case .tooLong: "tooLong"
        case .lacks(let character): "lacks.\(character.rawValue)"
        case .common: "common"
        case .breached: "breached"
        case .containsAddress: "containsAddress"
        }
    }
}

extension SignInError {
    fileprivate var reason: String {
        switch self {
        case .unknownProvider: "unknownProvider"
        case .nonceRequired: "missing.nonce"
        // No case of the failure contains a text from outside: `keysUnavailable(.timedOut)` becomes
        // `keysUnavailable.timedOut`.
        case .identityRejected(let failure): "identityRejected.\(Self.words(failure))"
        case .identityTokenReused: "identityTokenSpent"
        case .challengeUnknown: "challengeUnknown"
        case .codeInvalid: "codeInvalid"
        }
    }

    fileprivate static func words(_ failure: some Error) -> String {
        "\(failure)".split { "(): ".contains($0) }
            .map { part in part.split(separator: ".").last.map(String.init) ?? "" }
            .joined(separator: ".")
    }
}
