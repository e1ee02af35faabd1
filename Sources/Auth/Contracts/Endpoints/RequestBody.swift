internal import Bytes
internal import FunctionRuntime
internal import JSON

/// Reads the body of a request as its endpoint takes it.
enum RequestBody {
    private static let formFieldsMax = 64

    static func read(
        _ request: Request, _ rule: BodyRule, _ rules: RequestRules
    ) throws(RequestError) -> Fields {
        if let payload = request.payload { return Fields(payload) }
        guard rule != .none else { return Fields([:]) }
        if request.defect == .bodyTooLarge || request.body.count > rules.bodyBytesMax {
            throw .bodyTooLarge(bytesMax: rules.bodyBytesMax)
        }
        guard request.body.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
            return Fields([:])
        }
        let type = mediaType(request.header("content-type"))
        if rule != .json, type?.isSame(as: "application/x-www-form-urlencoded") == true {
            guard isFromOwnPage(request) else { throw .foreignForm }
            return try form(request.body)
        }
        guard rule != .form, isJSON(type) else { throw .unsupportedMediaType }
        return try json(request.body, rules)
    }

    /// A page of another site can send a form without asking; it cannot send JSON. A missing type
    /// is taken for JSON, as scripts leave it out.
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

    /// `application/x-www-form-urlencoded`, as the URL Standard section 5.1 has it; a repeated name
    /// is refused rather than one of its values chosen.
    private static func form(_ bytes: [UInt8]) throws(RequestError) -> Fields {
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

    /// Browsers say where a form comes from (Fetch Standard section 3.1; Fetch Metadata): a request
    /// that says nothing is not from a browser, and no page of ours.
    static func isFromOwnPage(_ request: Request) -> Bool {
        if let site = request.header("sec-fetch-site") { return site.isSame(as: "same-origin") }
        guard let origin = request.header("origin"), let host = request.header("host"),
            let schemeEnd = origin.utf8.firstRange(of: "://".utf8)?.upperBound
        else { return false }
        return String(origin[schemeEnd...]).asciiLowercased.isSame(as: host.asciiLowercased)
    }
}
