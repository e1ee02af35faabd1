/// Derives the names of S3's operations, which requests do not contain.
package enum S3OperationName {
    static let all = [
        "ListBuckets", "CreateBucket", "HeadBucket", "DeleteBucket", "ListObjects",
        "ListObjectsV2", "ListMultipartUploads", "DeleteObjects", "GetObject", "HeadObject",
        "PutObject", "CopyObject", "DeleteObject", "CreateMultipartUpload", "UploadPart",
        "UploadPartCopy", "ListParts", "CompleteMultipartUpload", "AbortMultipartUpload",
    ]

    /// nil if it is none of these, such as a subresource.
    package static func of(
        method: String, hasBucket: Bool, hasKey: Bool, fields: [String], isCopy: Bool
    ) -> String? {
        guard hasBucket else { return method == "GET" ? "ListBuckets" : nil }
        func has(_ name: String) -> Bool { fields.contains(name) }
        guard hasKey else {
            switch method {
            case "HEAD": return "HeadBucket"
            case "PUT": return fields.isEmpty ? "CreateBucket" : nil
            case "DELETE": return fields.isEmpty ? "DeleteBucket" : nil
            case "POST": return has("delete") ? "DeleteObjects" : nil
            case "GET":
                if has("uploads") { return "ListMultipartUploads" }
                return has("list-type") ? "ListObjectsV2" : "ListObjects"
            default: return nil
            }
        }
        let isPart = has("uploadId")
        switch method {
        case "GET": return isPart ? "ListParts" : "GetObject"
        case "HEAD": return "HeadObject"
        case "PUT":
            if isPart { return isCopy ? "UploadPartCopy" : "UploadPart" }
            return isCopy ? "CopyObject" : "PutObject"
        case "DELETE": return isPart ? "AbortMultipartUpload" : "DeleteObject"
        case "POST":
            if has("uploads") { return "CreateMultipartUpload" }
            return isPart ? "CompleteMultipartUpload" : nil
        default: return nil
        }
    }
}

/// The names of SES operations: those of version 2, and `SendRawEmail` of version 1.
package enum SESOperationName {
    private static let table: [(method: String, path: [String], name: String)] = [
        ("POST", ["outbound-emails"], "SendEmail"),
        ("GET", ["account"], "GetAccount"),
        ("POST", ["identities"], "CreateEmailIdentity"),
        ("GET", ["identities"], "ListEmailIdentities"),
        ("GET", ["identities", "*"], "GetEmailIdentity"),
        ("DELETE", ["identities", "*"], "DeleteEmailIdentity"),
        ("POST", ["templates"], "CreateEmailTemplate"),
        ("GET", ["templates"], "ListEmailTemplates"),
        ("GET", ["templates", "*"], "GetEmailTemplate"),
        ("PUT", ["templates", "*"], "UpdateEmailTemplate"),
        ("DELETE", ["templates", "*"], "DeleteEmailTemplate"),
        ("POST", ["templates", "*", "render"], "TestRenderEmailTemplate"),
    ]

    static var all: [String] { table.map(\.name) + ["SendRawEmail"] }

    /// `path` is the path below `/v2/email/`.
    package static func of(method: String, path: [String]) -> String? {
        table.first { row in
            row.method == method && row.path.count == path.count
                && zip(row.path, path).allSatisfy { $0 == "*" || $0 == $1 }
        }?.name
    }
}
