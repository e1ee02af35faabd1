internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

/// What an operator should know although everything works.
struct SystemWarnings {
    private(set) var texts: [String] = []

    init(_ auth: AuthServices, _ state: SystemState, _ request: Request) {
        let risky = state.roleHolders.filter { auth.hasRiskyRole($0) }
        if !risky.isEmpty {
            let names = risky.prefix(5).map { $0.displayName ?? $0.id.text }
            let more = risky.count > names.count ? " and \(risky.count - names.count) more" : ""
            texts.append(
                "An account with a role has no second factor: \(names.joined(separator: ", "))"
                    + "\(more). Whoever learns its password, or can read its mail, has the role. "
                    + "Ask for an authenticator app or passkeys.")
        }
        if auth.issuer.hasPrefix("http://") {
            texts.append(
                "ISSUER is \(auth.issuer): without HTTPS, this server is for this machine only.")
        }
        if let mail = auth.setting("MAIL_URL") ?? auth.setting("MAIL") {
            if mail.value?.hasPrefix("folder:") == true {
                texts.append("Mails are written to a folder, and nobody receives them (MAIL_URL).")
            }
        } else {
            texts.append("No mail can be sent (MAIL_URL).")
        }
        if auth.setting("RATE_LIMITS")?.value?.isSame(as: "off") == true {
            texts.append("Guesses are not limited (RATE_LIMITS=off).")
        }
        if auth.setting("DEBUG")?.value?.isSame(as: "true") == true {
            texts.append("Requests over plain HTTP are accepted (DEBUG=true).")
        }
        let hops = auth.setting("TRUSTED_HOPS")?.value ?? "0"
        if request.isServedDirectly, hops.isSame(as: "0"),
            request.header("x-forwarded-for") != nil
        {
            texts.append(
                "A proxy forwards requests, but TRUSTED_HOPS is 0: all clients share the limits "
                    + "of the proxy's address, and events name it.")
        }
    }

    var html: HTML {
        guard !texts.isEmpty else { return HTML() }
        let items = texts.map { HTML("<li><span>\($0)</span></li>\n") }
        return "<h2>Warnings</h2>\n<ul class=\"rows warnings\">\n\(HTML(joining: items))</ul>"
    }
}
