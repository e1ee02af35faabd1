import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

protocol RequestInterceptor {
    func adapt(_ request: URLRequest) async throws -> URLRequest
    func retry(_ request: URLRequest, with error: any Error) async throws -> Bool
}

/// A refused request. The seed looks for the status in a `URLError`, where it never is.
struct RefusedRequest: Error {
    let response: HTTPURLResponse

    var status: Int { response.statusCode }
}
