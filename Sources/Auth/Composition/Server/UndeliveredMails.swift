internal import Bytes

/// Mails that a public server writes to a folder instead of sending them.
package enum UndeliveredMails {
    /// - Parameter mail: the value of `MAIL_URL`; nil for the folder of a server without it.
    package static func problem(issuer: String, mail: String?) -> String? {
        guard issuer.hasPrefix("https://"), mail?.hasPrefix("folder:") ?? true else { return nil }
        return "Mails are written to a folder, and nobody receives them (MAIL_URL)"
    }
}
