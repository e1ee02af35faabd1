import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

protocol RequestInterceptor {
    func adapt(_ request: URLRequest) async throws -> URLRequest
    func retry(_ request: URLRequest, with error: any Error) async throws -> Bool
}

/// A refused request. The original app looks for the status in a `URLError`, which never contains
/// it.
struct RefusedRequest: Error {
    let response: HTTPURLResponse

    var status: Int { response.statusCode }
}
