/// A request, parsed once: for the service, for faults and for traces.
package struct S3Call: Sendable {
    let http: ServiceCall
    let request: Result<S3Request, S3Failure>
    let operation: Result<S3Operation, S3Failure>

    package init(_ http: ServiceCall) {
        self.http = http
        let request = Result { () throws(S3Failure) in try S3Request(http) }
        self.request = request
        operation = Result { () throws(S3Failure) in try S3Operation(request.get()) }
    }

    /// AWS's name; nil for an operation that is not supported.
    package var name: String? { (try? operation.get())?.rawValue }
    package var bucket: String? { (try? request.get())?.bucket }
    package var key: String? { (try? request.get())?.key }

    package static let operations = S3Operation.allCases.map(\.rawValue)
}
