import JSON

/// A request between a client and the functions.
struct WireRequest {
    let method: String
    let path: String
    let query: String
    var headers: [(name: String, value: String)]
    let body: [UInt8]

    static func post(_ path: String, _ body: JSONObject) -> WireRequest {
        WireRequest(
            method: "POST", path: path, query: "",
            headers: [(name: "Content-Type", value: "application/json")], body: body.serialized)
    }
}

struct WireAnswer {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    /// A proxy's response when its server has not responded.
    static let badGateway = WireAnswer(
        status: 502, headers: [("content-type", "text/html")],
        body: Array("<html><body>502 Bad Gateway</body></html>".utf8))
    /// The page of a captive portal or of an outage.
    static let outage = WireAnswer(
        status: 503, headers: [("content-type", "text/html"), ("retry-after", "2")],
        body: Array("<html>unavailable</html>".utf8))
}

/// The sender of requests.
struct Origin {
    let person: Int
    let device: Int
    let process: Int
    /// Whether the tokens were copied from another person's device.
    let isThief: Bool
    /// Whether the request was sent once and has arrived again.
    var isRepetition = false

    /// Each device has its own network address.
    var address: String { "10.0.\(device / 250).\(device % 250 + 1)" }
}
