import EmulatorAWS
import TestSupport
import Testing

import EmulatorAWS

@Suite("Names of operations")
struct OperationTests {
    @Test(
        arguments: [
            ("GET", "/", "ListBuckets"), ("PUT", "/b", "CreateBucket"),
            ("GET", "/b", "ListObjects"),
            ("GET", "/b?list-type=2", "ListObjectsV2"), ("GET", "/b?cors", "GetBucketCors"),
            ("GET", "/b?lifecycle", nil), ("PATCH", "/b", nil), ("PUT", "/b/k", "PutObject"),
            ("PUT", "/b/k?acl", "PutObjectAcl"),
            ("PUT", "/b/k?uploadId=1&partNumber=1", "UploadPart"),
            ("POST", "/b/k?uploads", "CreateMultipartUpload"), ("GET", "/b/%zz", nil),
        ] as [(String, String, String?)])
    func `a request's operation has the name that AWS uses`(
        method: String, target: String, name: String?
    ) {
        let call = S3Call(
            ServiceCall(
                method: method, target: target, headers: [], body: [], sourceAddress: "127.0.0.1"))
        expectEqual(call.name, name)
        #expect(name.map(S3Call.operations.contains) ?? true)
    }
}
