internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

/// Warnings for the operator although everything works.
struct SystemWarnings {
    private var warnings: [HTML] = []

    /// - Parameter link: makes a link to the page of a user.
    init(
        _ auth: AuthServices, _ state: SystemState, _ request: Request, _ texts: AdminTexts,
        link: (User) -> HTML
    ) {
        let risky = state.roleHolders.filter { auth.hasRiskyRole($0) }
        if !risky.isEmpty {
            let names = risky.prefix(5).map(link)
            let listed = HTML(trusted: names.map(\.text).joined(separator: ", "))
            let more = risky.count - names.count
            let all =
                more > 0
                ? texts.html(.warningMore, "names", listed, "count", "\(String(more))") : listed
            warnings.append(texts.html(.warningFactor, "names", all))
        }
        if auth.issuer.hasPrefix("http://") {
            warnings.append("\(texts(.warningIssuer, "issuer", auth.issuer))")
        }
        switch auth.mailDestination {
        case .hook, .mailSystem: break
        case .folder: warnings.append("\(texts(.warningFolder))")
        case .nowhere: warnings.append("\(texts(.warningNoMail))")
        }
        if auth.setting("RATE_LIMITS")?.value?.isSame(as: "off") == true {
            warnings.append("\(texts(.warningLimits))")
        }
        if auth.setting("DEBUG")?.value?.isSame(as: "true") == true {
            warnings.append("\(texts(.warningDebug))")
        }
        let hops = auth.setting("TRUSTED_HOPS")?.value ?? "0"
        if request.isServedDirectly, hops.isSame(as: "0"),
            request.header("x-forwarded-for") != nil
        {
            warnings.append("\(texts(.warningHops))")
        }
    }

    var html: HTML {
        guard !warnings.isEmpty else { return HTML() }
        let items = warnings.map { HTML("<li><span>\($0)</span></li>\n") }
        return "<ul class=\"rows warnings\">\n\(HTML(joining: items))</ul>"
    }
}
