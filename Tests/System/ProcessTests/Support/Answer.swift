import BaseTestSupport

/// The response of a process that has exited with 0.
struct Answer: Sendable {
    let status: Int64
    let body: JSON
    let errorText: String

    /// Throws an error with all output if there was no response.
    init(_ result: ProcessResult) throws {
        try #require(result.end == .exit(0), "\(result.text)\n\(result.errorText)")
        try self.init(document: result)
    }

    private init(document result: ProcessResult) throws {
        errorText = result.errorText
        let document = try JSON.parse(result.output, limits: .event)
        status = try #require(
            document["statusCode"]?.int64Value, "\(result.text)\n\(result.errorText)")
        let text = try #require(document["body"]?.stringValue)
        body = try text.isEmpty ? .null : JSON.parse(Array(text.utf8), limits: .event)
    }

    /// nil if it was killed before its response was complete.
    init?(complete result: ProcessResult) throws {
        guard result.output.last == 0x0A else { return nil }
        try self.init(document: result)
    }

    var action: String? { body["error"]?["action"]?.stringValue }
    var refreshToken: String? { body["refreshToken"]?.stringValue }
}
