internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// `--playground`: the files of a web app, on an origin that no function, no object and no control
/// shares. They are read again for each request, so that an edited file is served at once.
struct PlaygroundEndpoint: Sendable {
    let folder: String
    let services: EmulatorServices

    private var addresses: EmulatorAddresses { services.addresses }

    /// The settings of the emulator that the app needs.
    static let addressesPath = "/emulator.json"
    private static let fileBytesMax = 4 << 20
    private static let formBytesMax = 32 << 10

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        if ControlAPI.serves(path: request.path) {
            return PlaygroundControls(services: services).handle(request, slot)
        }
        slot.respondAlways(response(to: request))
    }

    private func response(to request: ServerRequest) -> ServerResponse {
        guard LocalRequestPolicy.isNamed(request, services.options) else {
            return LocalRequestPolicy.refusal
        }
        switch request.method {
        case "GET", "HEAD": return answer(request.path)
        case "POST": return withFragment(request)
        default:
            var refusal = ServerResponse.error(405, "Method not allowed: these are files.")
            refusal.headers.append(HTTPHeader("Allow", "GET, HEAD, POST"))
            return refusal
        }
    }

    private func answer(_ path: Substring) -> ServerResponse {
        if path.utf8.elementsEqual(Self.addressesPath.utf8) {
            return guarded(addresses.json.serialized, type: "application/json")
        }
        guard let name = PlaygroundFile(path: path) else { return Self.missing }
        let file = "\(folder)/\(name.path)"
        guard Files.isRegular(file),
            let bytes = try? Files.read(file, bytesMax: Self.fileBytesMax)
        else { return Self.missing }
        return guarded(bytes, type: name.type)
    }

    /// An identity provider's answer by `form_post` (OAuth 2.0 Form Post Response Mode): the page
    /// gets the form as the fragment of its address, which is not sent to servers.
    private func withFragment(_ request: ServerRequest) -> ServerResponse {
        let type = request.header("content-type")?.prefix { $0 != ";" && $0 != " " }
        guard type?.lowercased() == "application/x-www-form-urlencoded" else {
            return .error(415, "Unsupported media type: a page takes forms only.")
        }
        guard request.body.count <= Self.formBytesMax else {
            return .error(413, "Request too large.")
        }
        let form = PercentEncoding.parseForm(
            String(decoding: request.body, as: UTF8.self), pairsMax: 16)
        guard let form, let page = PlaygroundFile(path: request.path), page.isPage else {
            return .error(400, "Bad request: not a form for a page.")
        }
        return ServerResponse(
            status: 303,
            headers: [
                HTTPHeader("Location", "\(request.path)#\(PercentEncoding.form(form))"),
                HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader("Referrer-Policy", "no-referrer"),
            ])
    }

    private func guarded(_ body: [UInt8], type: String) -> ServerResponse {
        ServerResponse(
            status: 200,
            headers: [
                HTTPHeader("Content-Type", type), HTTPHeader("Cache-Control", "no-cache"),
                HTTPHeader("Content-Security-Policy", policy),
                HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
                HTTPHeader("Referrer-Policy", "no-referrer"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ], body: body)
    }

    /// The content security policy: only scripts and styles of this origin, only connections to
    /// this emulator.
    private var policy: String {
        var places = ["'self'", addresses.appURL, addresses.awsURL]
        if !addresses.issuerURL.isSame(as: addresses.appURL) { places.append(addresses.issuerURL) }
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self'",
            "img-src 'self' blob:", "connect-src \(places.joined(separator: " "))",
            "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static let missing = ServerResponse.error(404, "Not found.")
}

/// A request's path as the name of a file: plain segments, none of which is hidden or leads out of
/// the folder. Without an extension it is the app's page, whose script reads the path.
struct PlaygroundFile: Equatable {
    let path: String
    let type: String
    let isPage: Bool

    private static let pathBytesMax = 256

    init?(path: Substring) {
        guard path.utf8.count <= Self.pathBytesMax, path.utf8.first == UInt8(ascii: "/"),
            path.utf8.allSatisfy({ $0.isLetterOrDigit || "-_./".utf8.contains($0) })
        else { return nil }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 1 || segments.allSatisfy({ !$0.isEmpty }),
            segments.allSatisfy({ $0.utf8.first != UInt8(ascii: ".") })
        else { return nil }
        guard let last = segments.last, let dot = last.lastIndex(of: ".") else {
            (self.path, type, isPage) = ("index.html", "text/html; charset=utf-8", true)
            return
        }
        guard let type = Self.type(last[dot...].dropFirst()) else { return nil }
        (self.path, self.type, isPage) = (segments.joined(separator: "/"), type, false)
    }

    private static func type(_ ending: Substring) -> String? {
        switch ending {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        default: nil
        }
    }
}
