internal import Bytes
package import FunctionRuntime
internal import JSON

/// Parses the body of a request according to the rule of its endpoint.
package enum RequestBody {
    private static let formFieldsMax = 64

    package static func read(
        _ request: Request, _ rule: BodyRule, _ rules: RequestRules
    ) throws(RequestError) -> Fields {
        if let payload = request.payload { return Fields(payload) }
        guard rule != .none, rule != .parameters else { return Fields([:]) }
        if request.defect == .bodyTooLarge || request.body.count > rules.bodyBytesMax {
            throw .bodyTooLarge(bytesMax: rules.bodyBytesMax)
        }
        guard request.body.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
            return Fields([:])
        }
        let type = mediaType(request.header("content-type"))
        if rule != .json, type?.isSame(as: "application/x-www-form-urlencoded") == true {
            guard isSameOrigin(request) else { throw .foreignForm }
            return try form(request.body)
        }
        guard rule != .form, isJSON(type) else { throw .unsupportedMediaType }
        return try json(request.body, rules)
    }

    /// Pages of other sites can submit forms but not JSON (CSRF). A missing type counts as JSON,
    /// because scripts often omit it.
    private static func isJSON(_ type: String?) -> Bool {
        guard let type else { return true }
        return type.isSame(as: "application/json")
            || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }

    private static func mediaType(_ header: String?) -> String? {
        header.map { header in
            String(header.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }).asciiLowercased
        }
    }

    private static func json(
        _ bytes: [UInt8], _ rules: RequestRules
    ) throws(RequestError) -> Fields {
        let json: JSON
        do throws(JSONFailure) {
            json = try JSON.parse(bytes, limits: .request)
        } catch {
            if case .tooLarge = error { throw .bodyTooLarge(bytesMax: rules.bodyBytesMax) }
            throw .bodyNotJSON
        }
        guard let object = json.objectValue else { throw .bodyNotAnObject }
        return Fields(object)
    }

    /// `application/x-www-form-urlencoded` (URL Standard section 5.1); duplicate names are refused.
    package static func form(_ bytes: [UInt8]) throws(RequestError) -> Fields {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let pairs = PercentEncoding.parseForm(text, pairsMax: formFieldsMax) else {
            throw .bodyNotAForm
        }
        var fields = JSONObject()
        for (name, value) in pairs {
            guard fields[name] == nil else { throw .bodyNotAForm }
            fields[name] = .string(value)
        }
        return Fields(fields)
    }

    /// Browsers send the origin of a form (Fetch Standard section 3.1; Fetch Metadata): a request
    /// without it is not from a form of the server's own pages.
    static func isSameOrigin(_ request: Request) -> Bool {
        if let site = request.header("sec-fetch-site") { return site.isSame(as: "same-origin") }
        guard let origin = request.header("origin"), let host = request.header("host"),
            let schemeEnd = origin.utf8.firstOccurrence(of: "://")?.upperBound
        else { return false }
        return String(origin[schemeEnd...]).asciiLowercased.isSame(as: host.asciiLowercased)
    }
}
