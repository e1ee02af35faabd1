package import AuthDomain
internal import Bytes
internal import Time

/// A message as it would be sent.
package struct MailPreview: Equatable, Sendable {
    package let language: String
    package let subject: String
    package let text: String
    package let html: String
    /// Whether a file of the operator's folder (`MAIL_TEMPLATES`) is its template.
    package let isCustom: Bool

    package init(
        language: String, subject: String, text: String, html: String, isCustom: Bool
    ) {
        self.language = language
        self.subject = subject
        self.text = text
        self.html = html
        self.isCustom = isCustom
    }
}

/// Renders messages without sending them, with the templates and the name of the deployment.
package struct MailPreviews: Sendable {
    package typealias Render = @Sendable (Mail) -> MailPreview?

    /// The languages, sorted.
    package let languages: [String]
    package let standardLanguage: String
    /// The sender's name, if there is one, and address.
    package let sender: String
    /// nil if the template cannot be rendered.
    let render: Render

    package init(
        languages: [String], standardLanguage: String, sender: String,
        render: @escaping Render
    ) {
        self.languages = languages
        self.standardLanguage = standardLanguage
        self.sender = sender
        self.render = render
    }
}

extension AuthServices {
    /// The messages of this deployment.
    package var mailKinds: [Mail.Kind] {
        Mail.Kind.allCases.filter { kind in
            switch kind {
            case .verifyEmail, .invitation, .resetPassword, .passwordChanged:
                policy.passwords != nil
            case .alreadyRegistered, .signInMethods:
                policy.passwords != nil || policy.magicLinks != nil
            case .magicLink: policy.magicLinks != nil
            case .newDevice: policy.devices != nil
            case .newApplication: policy.oauth != nil
            case .secondFactorChanged, .secondFactorRemoval, .wrongCodes:
                policy.secondFactors != nil
            case .addressChanged: policy.accounts.followsProvider
            case .emailChanged: policy.emailChanges != nil
            case .methodAdded, .methodRemoved, .accountDeleted: true
            }
        }
    }

    /// The message with examples instead of its values: no code, link or address of a user.
    ///
    /// - Returns: nil if its template cannot be rendered.
    package func preview(
        _ kind: Mail.Kind, in language: String, _ previews: MailPreviews
    ) throws(AuthError) -> MailPreview? {
        let values = try exampleValues(of: kind).filter { kind.values.contains($0.key) }
        return previews.render(
            Mail(kind, to: "user@example.com", language: language, values: values))
    }

    /// Example values. No real token has seven characters, so the links do nothing.
    private func exampleValues(of kind: Mail.Kind) throws(AuthError) -> [String: String] {
        var notice = [
            "time": "2026-01-31T12:00:00Z", "address": "192.0.2.1", "device": "Example device",
            "until": "2026-02-01T12:00:00Z",
            "method": "example", "count": "\(SecondFactor.reported[0])",
            "limit": "\(SecondFactor.consecutiveFailuresMax)",
        ]
        notice["link"] = pageOfNotice(kind)
        switch kind {
        case .verifyEmail:
            var values = try exampleLink(.verifyEmail, policy.passwords?.verificationLifetime)
            if policy.passwords?.registration == .afterVerification(repeatsPassword: false) {
                values["chosenAt"] = notice["time"]
            }
            return values
        case .resetPassword:
            return try exampleLink(.resetPassword, policy.passwords?.resetLifetime)
        case .invitation:
            return try exampleLink(.resetPassword, policy.passwords?.invitationLifetime)
        case .magicLink: return try exampleLink(.magicLink, policy.magicLinks?.lifetime)
        case .emailChanged: return try exampleUndo(.undoEmail, as: "link", notice)
        case .secondFactorChanged:
            notice["added"] = notice["time"]
            return try exampleUndo(.undoChange, as: "undo", notice)
        case .methodAdded:
            return try exampleUndo(.undoChange, as: "undo", notice)
        case .alreadyRegistered: return signInLink
        case .signInMethods:
            let requested = policy.magicLinks == nil ? "passwordRequested" : "linkRequested"
            var values = signInLink
            values["methods"] = "Apple, Google"
            values[requested] = notice["time"]
            return values
        case .newDevice: return notice
        case .newApplication: return notice.merging(["application": "Photo Printer"]) { $1 }
        case .passwordChanged, .methodRemoved, .secondFactorRemoval, .wrongCodes,
            .addressChanged, .accountDeleted:
            return notice.filter { !$0.key.isSame(as: "device") }
        }
    }

    private func exampleUndo(
        _ purpose: LinkPolicy.Purpose, as name: String, _ notice: [String: String]
    ) throws(AuthError) -> [String: String] {
        var values = notice.filter { !$0.key.isSame(as: "device") }
        guard let lifetime = policy.emailChanges?.undoLifetime else { return values }
        values[name] = try exampleLink(purpose, lifetime)["link"]
        values["days"] = "\(lifetime.seconds / 86_400)"
        return values
    }

    private func exampleLink(
        _ purpose: LinkPolicy.Purpose, _ lifetime: Span?
    ) throws(AuthError) -> [String: String] {
        let now = clock.now()
        var values = try linkValues(
            purpose, "EXAMPLE", until: now + (lifetime ?? .zero), now)
        if policy.mailCodes != nil { values["code"] = "00000000" }
        return values
    }
}
