internal import Bytes
internal import Cryptography
internal import HTTP
internal import XML

/// The S3 operations for erasing a prefix of a bucket, or copying it to another ("Amazon S3 API
/// Reference"): listing, copying and deleting objects, and incomplete uploads. Every call can be
/// repeated.
package struct S3Client: Sendable {
    /// The maximum number of keys in one list, and in one deletion.
    package static let keysMax = 1000
    package static let keyBytesMax = 1024
    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 8000,
        responseBytesMax: documentLimits.bytesMax)
    /// The limits for a list of a thousand percent-encoded keys of 1,024 bytes, with XML elements.
    private static let documentLimits = XMLLimits(
        bytesMax: 8 << 20, depthMax: 16, elementsMax: 30_000)

    package struct Upload: Equatable, Sendable {
        package let key: String
        package let id: String
    }

    let service: AWSService
    let credentials: CredentialsProvider
    let bucketURL: String
    /// The bucket in the form for the source of a copy.
    let bucketPath: String

    /// - Parameter settings: the settings with the region of the bucket.
    package init(
        _ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider,
        bucket: String
    ) {
        service = AWSService(name: .s3, settings: settings, ports: ports)
        self.credentials = credentials
        // Addresses are path-style, because every store with this API supports them, and because
        // certificates do not cover the host name of a bucket with dots.
        bucketPath = "/\(PercentEncoding.encode(bucket))"
        bucketURL = settings.endpoint(of: .s3) + bucketPath
    }

    /// The first keys below a prefix (ListObjectsV2); empty when there are none.
    package func listObjects(prefix: String) throws(AWSFailure) -> [String] {
        let query = [
            ("list-type", "2"), ("encoding-type", "url"), ("max-keys", String(Self.keysMax)),
            ("prefix", prefix),
        ]
        return try list(query, root: "ListBucketResult") { document in
            document.children.filter { $0.name == "Contents" }
                .map { $0["Key"].flatMap(Self.decoded) }
        }
    }

    /// The first uploads below a prefix that are not complete (ListMultipartUploads).
    package func listUploads(prefix: String) throws(AWSFailure) -> [Upload] {
        let query = [
            ("encoding-type", "url"), ("max-uploads", String(Self.keysMax)), ("prefix", prefix),
            ("uploads", ""),
        ]
        return try list(query, root: "ListMultipartUploadsResult") { document in
            document.children.filter { $0.name == "Upload" }.map { upload in
                guard let key = upload["Key"].flatMap(Self.decoded),
                    let id = upload["UploadId"]?.text, !id.isEmpty
                else { return nil }
                return Upload(key: key, id: id)
            }
        }
    }

    /// Deletes up to `keysMax` objects (DeleteObjects). An object that does not exist counts as
    /// deleted.
    package func deleteObjects(_ keys: [String]) throws(AWSFailure) {
        var document = XMLWriter()
        document.element("Delete", namespace: "http://s3.amazonaws.com/doc/2006-03-01/") { xml in
            // The response lists only the objects that were not deleted.
            xml.element("Quiet", "true")
            for key in keys { xml.element("Object") { $0.element("Key", key) } }
        }
        let body = document.bytes
        let request = HTTPRequest(
            .post, "\(bucketURL)?delete=",
            headers: [
                HTTPHeader("Content-Type", "application/xml"),
                HTTPHeader("X-Amz-Checksum-Sha256", Base64.encode(SHA256.hash(body))),
            ], body: body, limits: Self.limits)
        try perform(request) { document -> AWSService.Reading<Void>? in
            guard document.name == "DeleteResult" else { return nil }
            guard let error = document.children.first(where: { $0.name == "Error" }) else {
                return .done(())
            }
            let code = error["Code"]?.text ?? ""
            let isPassing = ["InternalError", "SlowDown", "ServiceUnavailable"].contains(code)
            let refusal = AWSRefusal(status: isPassing ? 503 : 403, code: code)
            return .failed(.refused(refusal), refusal.retry)
        }
    }

    /// Ends an upload and deletes its parts (AbortMultipartUpload). An upload that has ended
    /// already counts as aborted.
    package func abort(_ upload: Upload) throws(AWSFailure) {
        let key = PercentEncoding.encodePath(upload.key)
        let query = PercentEncoding.form([("uploadId", upload.id)])
        let request = HTTPRequest(.delete, "\(bucketURL)/\(key)?\(query)", limits: Self.limits)
        try service.perform(request, credentials: credentials, repeating: .always) {
            response -> AWSService.Reading<Void> in
            if response.status == 204 { return .done(()) }
            let refusal = Self.refusal(response)
            return refusal.code == "NoSuchUpload"
                ? .done(()) : .failed(.refused(refusal), refusal.retry)
        }
    }

    // MARK: Requests and responses

    func list<Element>(
        _ query: [(String, String)], root: String,
        _ read: (XMLElement) -> [Element?]
    ) throws(AWSFailure) -> [Element] {
        let request = HTTPRequest(
            .get, "\(bucketURL)?\(PercentEncoding.form(query))", limits: Self.limits)
        return try perform(request) { document in
            guard document.name == root else { return nil }
            let elements = read(document)
            let found = elements.compactMap { $0 }
            return found.count == elements.count ? .done(found) : nil
        }
    }

    /// - Parameter read: returns nil for an invalid document.
    func perform<Value>(
        _ request: HTTPRequest, _ read: (XMLElement) -> AWSService.Reading<Value>?
    ) throws(AWSFailure) -> Value {
        try service.perform(request, credentials: credentials, repeating: .always) { response in
            guard response.status == 200 else {
                let refusal = Self.refusal(response)
                return .failed(.refused(refusal), refusal.retry)
            }
            let document = try? XMLElement.parse(response.body, limits: Self.documentLimits)
            return document.flatMap(read) ?? .failed(.malformedResponse, .doubtful)
        }
    }

    static func refusal(_ response: HTTPResponse) -> AWSRefusal {
        let document = try? XMLElement.parse(response.body)
        return AWSRefusal(
            status: response.status, code: document?["Code"]?.text ?? "",
            message: document?["Message"]?.text ?? "")
    }

    /// Decodes a key in a list with `encoding-type=url`, which is used because XML 1.0 cannot
    /// contain every key.
    static func decoded(_ key: XMLElement) -> String? {
        key.text.isEmpty ? nil : PercentEncoding.decode(key.text, plusIsSpace: true)
    }
}
