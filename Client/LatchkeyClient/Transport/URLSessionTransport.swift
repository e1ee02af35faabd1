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
        // Linux calls no delegates of tasks.
        session = URLSession(configuration: configuration, delegate: observer, delegateQueue: nil)
    }

    // The session keeps its delegate until then.
    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        var outgoing = URLRequest(url: request.url, timeoutInterval: request.timeout / .seconds(1))
        outgoing.httpMethod = request.method
        outgoing.httpBody = request.body
        for (name, value) in request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
        let exchange = Exchange()
        let task = session.dataTask(with: outgoing)
        observer.follow(task, bytesMax: request.answerBytesMax) { outcome in
            Task { await exchange.end(outcome) }
        }
        task.resume()
        let outcome = await withTaskCancellationHandler {
            await exchange.outcome()
        } onCancel: {
            // On Linux that can deadlock (swift-corelibs-foundation issue 5412): there it ends by
            // its timeout.
            #if !canImport(FoundationNetworking)
                task.cancel()
            #endif
            Task { await exchange.end(.failure(.cancelled)) }
        }
        return try outcome.get()
    }
}

/// The first outcome of an exchange counts.
private actor Exchange {
    typealias Outcome = Result<HTTPResponse, TransportError>

    private var waiter: CheckedContinuation<Outcome, Never>?
    private var result: Outcome?

    func outcome() async -> Outcome {
        if let result { return result }
        return await withCheckedContinuation { waiter = $0 }
    }

    func end(_ outcome: Outcome) {
        guard result == nil else { return }
        result = outcome
        waiter?.resume(returning: outcome)
        waiter = nil
    }
}
