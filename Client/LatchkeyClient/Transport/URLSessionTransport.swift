internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A transport over Foundation's `URLSession`.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let observer = NetworkObserver()

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // Foundation on Linux does not call the delegate of a task.
        session = URLSession(configuration: configuration, delegate: observer, delegateQueue: nil)
    }

    // The URL session keeps its delegate until it is invalidated.
    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        var outgoing = URLRequest(url: request.url, timeoutInterval: request.timeout / .seconds(1))
        outgoing.httpMethod = request.method
        outgoing.httpBody = request.body
        for (name, value) in request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: outgoing)
        let (outcomes, reports) = AsyncStream<Result<HTTPResponse, TransportError>>.makeStream()
        observer.follow(task, bytesMax: request.answerBytesMax) { reports.yield($0) }
        // Foundation on Linux ignores the timeout once a response has begun.
        let outcome = await race(
            request.timeout, on: SystemClock(), late: .failure(.lost),
            cancelled: .failure(.cancelled)
        ) {
            await withTaskCancellationHandler {
                task.resume()
                for await outcome in outcomes { return outcome }
                return .failure(.cancelled)
            } onCancel: {
                // On Linux cancelling can deadlock (swift-corelibs-foundation issue 5412), so the
                // task ends by its timeout.
                #if !canImport(FoundationNetworking)
                    task.cancel()
                #endif
            }
        }
        return try outcome.get()
    }
}
