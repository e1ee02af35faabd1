internal import Bytes
internal import EmulatorBase
internal import EmulatorMail
internal import EmulatorServer
internal import HTTP

/// Keeps web pages away from the controls: `/_emulator/…`, and what the identity providers have for
/// tests.
///
/// A page of the app's origin may come from a function, and one of the AWS endpoint's from an object
/// that was opened by a presigned URL. So the controls have an origin of their own, and on the other
/// ports they are for programs, which send neither `Origin` nor fetch metadata
/// (https://www.w3.org/TR/fetch-metadata/).
struct ControlAccess {
    let options: ServeOptions
    let addresses: EmulatorAddresses

    /// For `/_emulator/…` on the ports of the app and of AWS: nil if the request is admitted.
    func answer(_ request: ServerRequest) -> ServerResponse? {
        redirection(request) ?? refusal(request)
    }

    /// A visit by a browser goes to the control port, so that no script of this origin can reach
    /// into the page.
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
        return mediaTypeRefusal(request, isOwnForm: false)
    }

    /// For the control port itself.
    func refusalOnOwnPort(_ request: ServerRequest) -> ServerResponse? {
        guard LocalRequestPolicy.isNamed(request, options) else {
            return LocalRequestPolicy.refusal
        }
        guard hasOwnOrigin(request),
            !request.isOfPage || request.isOfSameOrigin || isTopLevelVisit(request)
        else {
            return .error(
                403,
                "Forbidden: only for the pages of \(addresses.controlURL), and for programs, which "
                    + "send neither Origin nor Sec-Fetch-Site.")
        }
        let isOwnForm =
            MailService.serves(path: request.path)
            && (request.isOfSameOrigin || request.header("origin") != nil)
        return mediaTypeRefusal(request, isOwnForm: isOwnForm)
    }

    /// Any page can post a form to any address, and a script any body that is declared as a form,
    /// as plain text or not at all; for other types the browser first asks with OPTIONS, which is
    /// refused. So a change has the type JSON, or has neither a type nor a body nor an origin. Two
    /// exceptions cannot be posted from elsewhere: what `state` exports, which has a type that the
    /// browser asks for, and the forms of the mailbox, if the browser says that they are on a page
    /// of the control port.
    private func mediaTypeRefusal(
        _ request: ServerRequest, isOwnForm: Bool
    ) -> ServerResponse? {
        guard ["POST", "PUT", "DELETE", "PATCH"].contains(request.method) else { return nil }
        let type = request.header("content-type")?.prefix { $0 != ";" && $0 != " " }
        let isAdmitted =
            switch type?.lowercased() {
            case "application/json": true
            case "application/x-ndjson": request.path == "\(ControlAPI.prefix)state"
            case "application/x-www-form-urlencoded": isOwnForm
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

    /// Browsers that send no fetch metadata are known by asking for HTML.
    private func isVisit(_ request: ServerRequest) -> Bool {
        guard request.method == "GET", request.header("origin") == nil else { return false }
        if request.header("sec-fetch-mode") == "navigate" { return true }
        return !request.isOfPage && IndexPage.wantsHTML(request)
    }

    /// What shows the page in a tab of its own, where no other page can read it.
    private func isTopLevelVisit(_ request: ServerRequest) -> Bool {
        request.method == "GET" && request.header("sec-fetch-mode") == "navigate"
            && request.header("sec-fetch-dest") == "document"
    }
}

extension EmulatorServices {
    var controlAccess: ControlAccess { ControlAccess(options: options, addresses: addresses) }
}

// `Sec-Fetch-Site`: where the page is from which a browser sends the request. Programs do not have it,
// and for an address that was typed it is `none`.
extension ServerRequest {
    fileprivate var isOfPage: Bool { header("sec-fetch-site").map { $0 != "none" } ?? false }
    fileprivate var isOfSameOrigin: Bool { header("sec-fetch-site") == "same-origin" }
}
