public import Foundation

/// A request of the app, or of the client itself.
public struct HTTPRequest: Sendable {
    public var method: String
    public var url: URL
    /// The headers by name. Names are not case-sensitive.
    public var headers: [String: String]
    public var body: Data?
    /// Whether the request may be sent again after a 401. The value is false for a body that can be
    /// read only once.
    public var isReplayable: Bool
    /// The limit for the whole exchange.
    public var timeout: Duration
    /// A longer response is refused.
    public var answerBytesMax: Int

    public init(
        _ method: String = "GET", _ url: URL, headers: [String: String] = [:], body: Data? = nil,
        isReplayable: Bool = true, timeout: Duration = .seconds(30),
        answerBytesMax: Int = 16 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isReplayable = isReplayable
        self.timeout = timeout
        self.answerBytesMax = answerBytesMax
    }
}

/// A response with any status.
public struct HTTPResponse: Sendable {
    public let status: Int
    public let body: Data
    private let fields: [String: String]

    /// - Parameters:
    ///   - status: the status code of HTTP.
    ///   - headers: by name, in upper or lower case.
    ///   - body: the body without any content coding.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.body = body
        fields = headers.reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
    }

    /// The value of a header. Names are not case-sensitive.
    public func header(_ name: String) -> String? { fields[name.lowercased()] }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    // Headers and bodies are left out: they contain tokens and passwords.
    public var description: String { "\(method) \(url.path)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "status \(status), \(body.count) bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
