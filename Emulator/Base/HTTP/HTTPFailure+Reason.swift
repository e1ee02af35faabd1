package import HTTP

extension HTTPFailure {
    /// Why there is no response, for messages.
    package var reason: String {
        switch self {
        case .invalidURL: "the URL is not valid"
        case .connectFailed(_, let detail): detail
        case .timedOut: "no response in time"
        case .responseTooLarge: "the response is too large"
        case .interrupted(let detail): "the connection ended before the response: \(detail)"
        }
    }
}
