internal import Bytes
internal import EmulatorBase
internal import HTTP

/// Where and how the authorization response is sent.
struct RedirectTarget: Sendable {
    /// OAuth 2.0 Multiple Response Type Encoding Practices section 2.1, and Form Post.
    enum Mode: String, Sendable, CaseIterable {
        case query
        case fragment
        case formPost = "form_post"

        init?(name: String) {
            guard let mode = Self.allCases.first(where: { $0.rawValue.isSame(as: name) }) else {
                return nil
            }
            self = mode
        }
    }

    let uri: String
    let mode: Mode
    let state: String?

    func response(_ fields: [(String, String)], scriptNonce: String) -> ServerResponse {
        let all = (state.map { [("state", $0)] } ?? []) + fields
        switch mode {
        case .query:
            let mark = uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            return Self.redirect(uri + mark + PercentEncoding.form(all))
        case .fragment: return Self.redirect(uri + "#" + PercentEncoding.form(all))
        case .formPost:
            return .page(
                FormPostPage(action: uri, fields: all, scriptNonce: scriptNonce).html,
                scriptNonce: scriptNonce)
        }
    }

    private static func redirect(_ url: String) -> ServerResponse {
        // 303, so that the browser does not repeat a POST at the redirect target.
        ServerResponse(
            status: 303,
            headers: [
                HTTPHeader("Location", url), HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader("Referrer-Policy", "no-referrer"),
            ])
    }
}
