internal import AuthOperations

/// Mails that a public server writes to a folder instead of sending them.
package enum UndeliveredMails {
    /// - Parameters:
    ///   - mail: the value of `MAIL_URL`; nil for the folder of a server without it.
    ///   - hooks: the value of `HOOKS`.
    package static func problem(issuer: String, mail: String?, hooks: String?) -> String? {
        let isSentByHook = HookSetting.parse(hooks ?? "").hooks.contains { $0.kind == .send }
        let destination = MailDestination(mail ?? "folder:", isSentByHook: isSentByHook)
        guard issuer.hasPrefix("https://"), destination == .folder else { return nil }
        return "Mails are written to a folder, and nobody receives them (MAIL_URL)"
    }
}
