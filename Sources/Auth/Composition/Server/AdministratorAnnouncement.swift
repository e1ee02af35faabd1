internal import Contracts

/// How the first administrator signs in. It is shown at a terminal and in the journal, never as a
/// log line, so that log processors do not collect a secret.
struct AdministratorAnnouncement: Sendable {
    /// Set if the first administrator can be created with a form.
    var link: String?
    /// The password, if it was generated at this start. It is shown only once.
    var password: String?

    func text(issuer: String) -> String? {
        var lines: [String] = []
        if let link {
            lines += ["Create the first administrator (once, within 24 hours):", link, ""]
        }
        if let password {
            lines += [
                (link == nil ? "Administer" : "Or administer")
                    + " without an account: \(issuer)\(AdminEndpoints.loginPath)",
                "The password, shown only now, is \(password)", "",
            ]
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n") + "\n"
    }
}
