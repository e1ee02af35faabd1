internal import Bytes
internal import JSON

/// The response to one event.
struct FunctionAnswer {
    let result: RunResult
    /// stdout as JSON; nil if it is not JSON, or not in the form that the folder's settings
    /// require.
    let json: JSON?

    init(_ result: RunResult, isStrict: Bool) {
        self.result = result
        let json = try? JSON.parse(result.output, limits: .response)
        let isCompact = json.map { $0.serialized + [0x0A] == result.output } ?? false
        self.json = isStrict && !isCompact ? nil : json
    }

    /// The body without its envelope.
    var body: JSON? {
        guard let json, json["statusCode"] != nil, let text = json["body"]?.stringValue else {
            return self.json
        }
        return try? JSON.parse(text, limits: .event)
    }

    /// A direct call's response has no status: an error is recognised by its member `error`.
    var status: Int64 {
        guard result.exit == 0, let json else { return result.exit == 0 ? 200 : 500 }
        return Self.status(of: json)
    }

    static func status(of answer: JSON) -> Int64 {
        if let status = answer["statusCode"]?.int64Value { return status }
        if answer["errorType"] != nil { return 500 }
        return answer["error"] == nil ? 200 : 400
    }

    /// The error and the stack trace of a function that failed; nil for any other answer.
    static func failure(in answer: JSON) -> String? {
        guard let type = answer["errorType"]?.stringValue,
            let message = answer["errorMessage"]?.stringValue
        else { return nil }
        // Python has one member, Node.js the other.
        let trace = (answer["stackTrace"] ?? answer["trace"])?.arrayValue ?? []
        let lines = trace.compactMap(\.stringValue).flatMap { $0.split(separator: "\n") }
        return "the function failed: \(type): \(message)"
            + lines.map { "\n    \($0)" }.joined()
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The output without the cookies of a redirect. A page that redirects may set the session's
    /// cookie again. The session's secrets are only in this cookie.
    var withoutCookiesOfRedirect: [UInt8] {
        guard (300..<400).contains(status), var members = json?.objectValue else {
            return result.output
        }
        members["cookies"] = nil
        return JSON.object(members).serialized
    }

    /// The text at a path of the body such as `user.id` or `sessions.0.id`. `location?code` is a
    /// parameter of the address to which the answer redirects.
    func text(at path: String) -> String? {
        if path.hasPrefix("location?") { return redirectParameter(path.dropFirst(9)) }
        var found = body
        for member in path.split(separator: ".") {
            if let list = found?.arrayValue, let index = Int(member) {
                found = list.indices.contains(index) ? list[index] : nil
            } else {
                found = found?[String(member)]
            }
        }
        return found?.stringValue
    }

    private func redirectParameter(_ name: Substring) -> String? {
        json?["headers"]?["location"]?.stringValue?.split(separator: "?", maxSplits: 1).last?
            .split(separator: "&").first { $0.hasPrefix("\(name)=") }
            .flatMap {
                PercentEncoding.decode($0.dropFirst(name.utf8.count + 1), plusIsSpace: true)
            }
    }
}
