package import AuthOperations
internal import Bytes
package import FunctionRuntime
internal import JSON

/// The body of a request of the provider: a form that a program sends, in which a name may repeat.
package enum OAuthForm {
    private static let pairsMax = 64
    private static let bytesMax = 64 << 10
    private static let type = "application/x-www-form-urlencoded"

    /// - Parameter isOptional: whether the body may be missing.
    static func parameters(
        of request: Request, isOptional: Bool = false
    ) throws(AuthError) -> RequestParameters {
        if isOptional, request.payload == nil, request.body.isEmpty,
            request.header("content-type") == nil
        {
            return RequestParameters([])
        }
        if let payload = request.payload { return RequestParameters(pairs(payload)) }
        return RequestParameters(try pairs(of: request).map { (name: $0.0, value: $0.1) })
    }

    package static func pairs(of request: Request) throws(AuthError) -> [(String, String)] {
        guard request.defect != .bodyTooLarge, request.body.count <= bytesMax else {
            throw .oauth(.invalidRequest("The body is too large."))
        }
        let given = request.header("content-type")?.prefix { $0 != ";" }
            .filter { $0 != " " && $0 != "\t" }
        guard let given, given.asciiLowercased.isSame(as: type) else {
            throw .oauth(
                .invalidRequest("The body must be application/x-www-form-urlencoded."))
        }
        guard let text = String(validating: request.body, as: UTF8.self),
            let pairs = PercentEncoding.parseForm(text, pairsMax: pairsMax)
        else { throw .oauth(.invalidRequest("The body is not a form.")) }
        return pairs
    }

    /// The members of a direct invocation. A list becomes a name that occurs several times.
    private static func pairs(_ payload: JSONObject) -> [(name: String, value: String)] {
        payload.members.flatMap { name, value in
            (value.arrayValue ?? [value]).compactMap(\.stringValue).map { (name, $0) }
        }
    }
}

extension RequestParameters {
    func required(_ name: StaticString, _ rule: StaticText) throws(AuthError) -> String {
        guard let value = self[name.description] else { throw .oauth(.invalidRequest(rule)) }
        return value
    }

    /// Throws if a parameter is repeated that may occur only once.
    func single() throws(AuthError) {
        guard !hasRepeated(except: ["resource", "audience"]) else {
            throw .oauth(.invalidRequest("A parameter is repeated."))
        }
    }
}
