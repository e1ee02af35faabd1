/// Where the mails of a deployment go, according to its settings.
package enum MailDestination: Equatable, Sendable {
    /// The hook `send`: the application delivers the mails.
    case hook
    /// A folder, into which the mails are written instead of being sent.
    case folder
    case mailSystem
    case nowhere

    /// - Parameters:
    ///   - url: the value of `MAIL_URL`, which a hook replaces.
    ///   - isSentByHook: whether there is a hook `send`.
    package init(_ url: String?, isSentByHook: Bool) {
        if isSentByHook {
            self = .hook
        } else if let url {
            self = url.hasPrefix("folder:") ? .folder : .mailSystem
        } else {
            self = .nowhere
        }
    }
}

extension AuthServices {
    /// The destination according to the settings of this process.
    package var mailDestination: MailDestination {
        let setting = setting("MAIL_URL") ?? setting("MAIL")
        return MailDestination(
            // The value may be secret.
            setting.map { $0.value ?? "" }, isSentByHook: hooks?.has(.send) ?? false)
    }
}
