internal import Bytes
internal import EmulatorBase
internal import Time

/// A request to the mailbox API.
struct MailRequest {
    let method: String
    /// The path components below the prefix.
    let path: [String]
    let prefersHTML: Bool
    private let parameters: [(String, String)]

    private static let parametersMax = 32

    init(_ request: ServerRequest) throws(MailError) {
        method = request.method
        let below = request.path.dropFirst(MailService.prefix.utf8.count)
        var path: [String] = []
        for piece in below.split(separator: "/") {
            guard let piece = PercentEncoding.decode(piece, plusIsSpace: false) else {
                throw .badRequest("The path is not percent-encoded UTF-8")
            }
            path.append(piece)
        }
        self.path = path
        guard
            let parameters = PercentEncoding.parseForm(
                String(request.query ?? ""), pairsMax: Self.parametersMax)
        else { throw .badRequest("The query is malformed") }
        self.parameters = parameters
        prefersHTML = Self.prefersHTML(request.header("accept") ?? "")
    }

    /// Whether HTML comes before JSON, as browsers do and scripts do not.
    private static func prefersHTML(_ accept: String) -> Bool {
        let types = accept.utf8.split(separator: UInt8(ascii: ",")).map { type in
            String(decoding: Array(type.prefix { $0 != UInt8(ascii: ";") }).trimmed, as: UTF8.self)
                .asciiLowercased
        }
        guard let html = types.firstIndex(of: "text/html") else { return false }
        return types.firstIndex(of: "application/json").map { html < $0 } ?? true
    }

    /// nil if it is missing or empty.
    subscript(name: String) -> String? {
        parameters.first { $0.0.isSame(as: name) && !$0.1.isEmpty }?.1
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(MailError) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .badRequest(
                "\(name) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func filter() throws(MailError) -> MailFilter {
        var filter = MailFilter()
        filter.to = self["to"]?.trimmed
        filter.subject = self["subject"]
        if let text = self["since"] {
            guard
                let since = Instant(iso8601: text)
                    ?? Int64(text).map({ Instant(milliseconds: $0) })
            else {
                throw .badRequest("since is neither an ISO 8601 time nor milliseconds since 1970")
            }
            filter.since = since
        }
        filter.after = try integer("after", in: 0...Int64.max) ?? 0
        filter.before = try integer("before", in: 0...Int64.max) ?? .max
        return filter
    }
}

/// An error response of the mailbox API.
struct MailError: Error {
    let status: Int
    let message: String

    static func badRequest(_ message: String) -> MailError {
        MailError(status: 400, message: message)
    }
    static func notFound(_ message: String) -> MailError {
        MailError(status: 404, message: message)
    }
    static func methodNotAllowed() -> MailError {
        MailError(status: 405, message: "Method not allowed")
    }
}
