internal import Foundation
internal import HTTP
internal import HTTPClient
internal import Synchronization

/// A request that does not depend on the types of the client or of libcurl.
struct Exchange: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]
    }

    enum Failure: Error {
        case notSent, lost, answerTooLarge, cancelled
    }

    typealias Outcome = Result<Answer, Failure>

    let method: String
    let url: String
    let headers: [String: String]
    let body: [UInt8]
    let milliseconds: Int
    let answerBytesMax: Int
}

/// Runs exchanges on its own threads, because libcurl blocks its thread.
final class Exchanges: Sendable {
    private static let atOnceMax = 16
    private static let connectMillisecondsMax = 10_000

    private let transport = CurlTransport(
        trust: CertificateTrust { ProcessInfo.processInfo.environment[$0] })
    private let queue: OperationQueue

    init() {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = Self.atOnceMax
    }

    func run(_ exchange: Exchange) async -> Exchange.Outcome {
        let isCancelled = Flag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.addOperation { [transport] in
                    // The task may have been cancelled while the operation was queued.
                    continuation.resume(
                        returning: isCancelled.isSet
                            ? .failure(.cancelled) : Self.perform(exchange, with: transport))
                }
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    private static func perform(
        _ exchange: Exchange, with transport: CurlTransport
    ) -> Exchange.Outcome {
        guard let method = HTTPRequest.Method(rawValue: exchange.method) else {
            return .failure(.notSent)
        }
        let request = HTTPRequest(
            method, exchange.url,
            headers: exchange.headers.map { HTTPHeader($0.key, $0.value) }, body: exchange.body,
            limits: HTTPLimits(
                connectMillisecondsMax: min(exchange.milliseconds, connectMillisecondsMax),
                totalMillisecondsMax: exchange.milliseconds,
                responseBytesMax: exchange.answerBytesMax))
        do throws(HTTPFailure) {
            let response = try transport.send(request)
            // Joins header lines of the same name (RFC 9110 section 5.3).
            let headers = response.headers.reduce(into: [:]) { headers, header in
                headers[header.name] = (headers[header.name].map { "\($0), " } ?? "") + header.value
            }
            return .success(
                Exchange.Answer(status: response.status, headers: headers, body: response.body))
        } catch {
            switch error {
            case .invalidURL, .connectFailed: return .failure(.notSent)
            case .timedOut, .interrupted: return .failure(.lost)
            case .responseTooLarge: return .failure(.answerTooLarge)
            }
        }
    }
}
