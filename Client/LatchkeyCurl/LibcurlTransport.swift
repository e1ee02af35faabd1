internal import Foundation
public import LatchkeyClient

/// A transport over libcurl, for servers on Linux: there `URLSession` cannot end an exchange that
/// is cancelled, and can deadlock or crash (swift-corelibs-foundation issues 5412, 5469 and 3497).
///
/// Trusts the certificate authorities of the system, or of the file that the variable
/// `SSL_CERT_FILE` names. At most 16 exchanges are under way at once; others wait. Methods are
/// `GET`, `HEAD`, `POST`, `PUT`, `PATCH` and `DELETE`.
public final class LibcurlTransport: Transport {
    private let exchanges = Exchanges()

    public init() {}

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let exchange = Exchange(
            method: request.method, url: request.url.absoluteString, headers: request.headers,
            body: Array(request.body ?? Data()),
            milliseconds: max(1, Int(min(request.timeout / .milliseconds(1), 86_400_000))),
            answerBytesMax: request.answerBytesMax)
        let outcome = await race(
            request.timeout, on: SystemClock(), late: .failure(.lost),
            cancelled: .failure(.cancelled)
        ) { [exchanges] in await exchanges.run(exchange) }
        switch outcome {
        case .success(let answer):
            return HTTPResponse(
                status: answer.status, headers: answer.headers, body: Data(answer.body))
        case .failure(.notSent): throw .notSent
        case .failure(.lost): throw .lost
        case .failure(.answerTooLarge): throw .answerTooLarge
        case .failure(.cancelled): throw .cancelled
        }
    }
}
