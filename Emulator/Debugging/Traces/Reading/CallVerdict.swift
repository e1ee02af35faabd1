/// The outcome of a call.
package enum CallVerdict: String, Sendable {
    case ok
    /// A rule has refused the call: 4xx, or no concurrency left.
    case refused
    /// 5xx, a function's error, a time-out or a closed connection.
    case failed
}

extension RecordedCall {
    package var verdict: CallVerdict {
        switch ending {
        case .answered(let status, _): status < 400 ? .ok : status < 500 ? .refused : .failed
        case .returned: .ok
        case .notRun: .refused
        case .reset, .failed, .timedOut: .failed
        }
    }

    package var status: Int? {
        if case .answered(let status, _) = ending { status } else { nil }
    }

    /// `403`, `reset`, `error`.
    package var outcome: String {
        switch ending {
        case .answered(let status, _): "\(status)"
        case .reset: "reset"
        case .returned: "ok"
        case .failed: "error"
        case .timedOut: "timeout"
        case .notRun: "not run"
        }
    }

    package var reason: String? {
        switch ending {
        case .answered(_, let detail): CallReason.text(detail)
        case .failed(let object): CallReason.text(object)
        case .notRun(let reason): reason
        case .timedOut: "the function did not answer in time"
        case .reset: "the connection was closed without an answer"
        case .returned: nil
        }
    }

    /// `POST /auth/signin`, `dynamodb GetItem Sessions`.
    package var title: String {
        let words =
            switch service {
            case .route: [operation, resource]
            case .function where form == .span: [kind, operation, resource]
            case .function: [resource]
            case .dynamodb, .sts, .s3, .ses, .secrets, .provider, .receiver:
                [kind, operation, resource]
            }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
