internal import Bytes
internal import EmulatorBase
internal import HTTP

/// Protects the control API from web pages: `/_emulator/…`, and the identity providers' endpoints
/// for tests.
///
/// A page of the app's origin may come from a function, and a page of the AWS endpoint's origin
/// from an object opened by a presigned URL. So the controls have their own origin; on the other
/// ports they accept programs only, which send neither `Origin` nor fetch metadata
/// (https://www.w3.org/TR/fetch-metadata/).
struct ControlAccess {
    let options: ServeOptions
    let addresses: EmulatorAddresses

    /// Answers `/_emulator/…` on the ports of the app and of AWS; nil if the request is admitted.
    func answer(_ request: ServerRequest) -> ServerResponse? {
        redirection(request) ?? refusal(request)
    }

    /// Redirects a visit by a browser to the control port, so that no script of this origin can
    /// access the page.
    func redirection(_ request: ServerRequest) -> ServerResponse? {
        guard isVisit(request), LocalRequestPolicy.isNamed(request, options),
            let host = LocalRequestPolicy.hostname(request)
        else { return nil }
        let place = "http://\(host):\(addresses.controlPort)\(request.target)"
        return ServerResponse(
            status: 307,
            headers: [HTTPHeader("Location", place), HTTPHeader("Cache-Control", "no-store")])
    }

    func refusal(_ request: ServerRequest) -> ServerResponse? {
        guard LocalRequestPolicy.isNamed(request, options) else {
            return LocalRequestPolicy.refusal
        }
        guard request.header("origin") == nil, !request.isOfPage else {
            return .error(
                403,
                "Forbidden: web pages cannot use the controls on this port. Open "
                    + "\(addresses.controlURL)/_emulator/ in a browser; programs send neither "
                    + "Origin nor Sec-Fetch-Site.")
        }
        return mediaTypeRefusal(request)
    }

    /// The check for requests on the control port, and on the playground's port for the controls
    /// that the playground may use; nil if the request is admitted.
    func refusalOnOwnPort(_ request: ServerRequest) -> ServerResponse? {
        guard LocalRequestPolicy.isNamed(request, options) else {
            return LocalRequestPolicy.refusal
        }
        guard hasOwnOrigin(request),
            !request.isOfPage || request.isOfSameOrigin || isTopLevelVisit(request)
        else {
            return .error(
                403,
                "Forbidden: only for pages of this port, and for programs, which "
                    + "send neither Origin nor Sec-Fetch-Site.")
        }
        return mediaTypeRefusal(request)
    }

    /// Checks `Content-Type` against cross-site requests. Any page can post a form to any address,
    /// and a script can post any body as a form, as plain text or without a type. For other types
    /// the browser first sends a preflight, which is refused. So a change must have the type JSON,
    /// or neither a type nor a body nor an origin. There is one exception, which other pages cannot
    /// send: an import of `state`, because its type needs a preflight.
    private func mediaTypeRefusal(_ request: ServerRequest) -> ServerResponse? {
        guard ["POST", "PUT", "DELETE", "PATCH"].contains(request.method) else { return nil }
        let type = request.header("content-type")?.prefix { $0 != ";" && $0 != " " }
        let isAdmitted =
            switch type?.lowercased() {
            case "application/json": true
            case "application/x-ndjson": request.path == "\(ControlAPI.prefix)state"
            case nil: request.body.isEmpty && request.header("origin") == nil
            default: false
            }
        guard !isAdmitted else { return nil }
        return .error(
            415,
            "Unsupported media type: send a change with Content-Type: application/json, or without "
                + "a type and a body.")
    }

    /// The host was checked before, and the control port has no TLS.
    private func hasOwnOrigin(_ request: ServerRequest) -> Bool {
        guard let origin = request.header("origin") else { return true }
        return request.header("host").map { "http://\($0)".isSame(as: origin) } ?? false
    }

    /// Browsers that send no fetch metadata are recognised by a request for HTML.
    private func isVisit(_ request: ServerRequest) -> Bool {
        guard request.method == "GET", request.header("origin") == nil else { return false }
        if request.header("sec-fetch-mode") == "navigate" { return true }
        return !request.isOfPage && request.asksForHTML
    }

    /// Whether the page is opened in its own tab, where no other page can read it.
    private func isTopLevelVisit(_ request: ServerRequest) -> Bool {
        request.method == "GET" && request.header("sec-fetch-mode") == "navigate"
            && request.header("sec-fetch-dest") == "document"
    }
}

extension EmulatorServices {
    var controlAccess: ControlAccess { ControlAccess(options: options, addresses: addresses) }
}

extension ServerRequest {
    /// Whether the request asks for HTML, as browsers do for a page.
    var asksForHTML: Bool {
        method == "GET" && header("accept")?.contains("text/html") == true
    }
}

// `Sec-Fetch-Site`: the origin of the page that made a browser send the request. Programs do not
// send it. For an address that a person has typed, it is `none`.
extension ServerRequest {
    fileprivate var isOfPage: Bool { header("sec-fetch-site").map { $0 != "none" } ?? false }
    fileprivate var isOfSameOrigin: Bool { header("sec-fetch-site") == "same-origin" }
}
