internal import AuthOperations
internal import Bytes
internal import HTTP
internal import Time

/// Fetches the description of a client, from an address that an unknown person has chosen.
struct ClientDocumentRequest: Sendable {
    let transport: HTTPTransport
    let reach: HTTPReach

    private static let limits = HTTPLimits(
        connectMillisecondsMax: 2000, totalMillisecondsMax: 5000, responseBytesMax: 10 << 10)

    /// Returns nil for every failure. The reason is not in the result, so no response can reveal
    /// whether a server exists at the URL.
    func get(_ url: String) -> ClientDocuments.Answer? {
        let request = HTTPRequest(
            .get, url, headers: [HTTPHeader("Accept", "application/json")],
            limits: Self.limits, reach: reach)
        guard let response = try? transport.send(request), response.status == 200 else {
            return nil
        }
        return ClientDocuments.Answer(body: response.body, ageMax: Self.ageMax(response))
    }

    /// `max-age` (RFC 9111 section 5.2.2.1).
    private static func ageMax(_ response: HTTPResponse) -> Span? {
        let directives = (response.header("cache-control") ?? "").asciiLowercased
            .split(separator: ",").map { $0.filter { $0 != " " } }
        return directives.first { $0.hasPrefix("max-age=") }
            .flatMap { Int64($0.dropFirst(8)) }.map { .seconds(min(max($0, 0), 86_400)) }
    }
}
