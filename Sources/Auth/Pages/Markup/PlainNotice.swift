internal import AuthOperations
internal import Contracts
internal import FunctionRuntime
internal import HTML

extension PageRequest {
    /// Whether other people on the network can read typed text.
    var isPlain: Bool { PlainConnection(request, issuer: auth.issuer) != nil }

    /// The text of a page over such a connection, before a password is typed.
    var plainNote: HTML {
        guard isPlain else { return "" }
        let base = auth.issuer.hasSuffix("/") ? String(auth.issuer.dropLast()) : auth.issuer
        let remedy: HTML
        if base.hasPrefix("https://") {
            let address = base + LocalPath(of: request).text
            remedy = "\(texts(.plainSecure)) <a href=\"\(address)\">\(address)</a>"
        } else {
            remedy = "\(texts(.plainLocal, [("address", base)]))"
        }
        return """
            <div class="says bad" role="alert"><p>\(texts(.plainAbout))</p><p>\(remedy)</p></div>

            """
    }
}
