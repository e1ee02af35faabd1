import AppSupport
import Foundation
import LatchkeyClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's existing HTTP layer, with an interceptor.
struct HTTPLayer: Sendable {
    let base: URL
    let interceptor: AuthRequestInterceptor
    let network: any Transport

    func data(_ path: String, method: String = "GET", body: Data? = nil) async throws -> Data {
        var request = URLRequest(url: base.appending(path: path))
        request.httpMethod = method
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let adapted = try await interceptor.adapt(request)
        do {
            return try await exchange(adapted)
        } catch {
            guard try await interceptor.retry(adapted, with: error) else { throw error }
            return try await exchange(try await interceptor.adapt(request))
        }
    }

    private func exchange(_ request: URLRequest) async throws -> Data {
        guard let url = request.url else { throw AuthError.invalidResponse }
        let answer: HTTPResponse
        do throws(TransportError) {
            answer = try await network.send(
                HTTPRequest(
                    request.httpMethod ?? "GET", url, headers: request.allHTTPHeaderFields ?? [:],
                    body: request.httpBody))
        } catch {
            throw AuthError.networkError(TryAgain())
        }
        if (200..<300).contains(answer.status) { return answer.body }
        guard
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: nil, headerFields: nil)
        else { throw AuthError.invalidResponse }
        throw RefusedRequest(response: response)
    }
}
