internal import Bytes

/// A request as S3 interprets it: bucket, key, and query parameters.
struct S3Request: Sendable {
    static let keyBytesMax = 1024
    private static let fieldsMax = 64
    private static let host = "s3.localhost"

    let call: ServiceCall
    let bucket: String?
    /// nil for the bucket itself.
    let key: String?
    private let fields: [(name: String, value: String)]

    /// The bucket is the first path segment, or precedes the service in `Host`:
    /// `bucket.s3.localhost`.
    init(_ call: ServiceCall) throws(S3Failure) {
        let invalid = S3Failure(400, "InvalidURI", "Couldn't parse the specified URI.")
        self.call = call
        var fields: [(name: String, value: String)] = []
        for pair in call.query.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard fields.count < Self.fieldsMax,
                let name = PercentEncoding.decode(Substring(halves[0]), plusIsSpace: false),
                let value = PercentEncoding.decode(
                    Substring(halves.count == 2 ? halves[1] : ""[...].utf8), plusIsSpace: false)
            else { throw invalid }
            fields.append((name, value))
        }
        self.fields = fields

        guard call.path.utf8.first == UInt8(ascii: "/") else { throw invalid }
        // The path is split as bytes, because a slash followed by a combining character is one
        // `Character`.
        var path = Substring(call.path.utf8.dropFirst())
        if let bucket = Self.bucket(in: call.header("host")) {
            self.bucket = bucket
        } else {
            let end = path.utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            guard let name = PercentEncoding.decode(path[..<end], plusIsSpace: false) else {
                throw invalid
            }
            bucket = name.isEmpty ? nil : name
            path = Substring(path[end...].utf8.dropFirst())
        }
        guard let key = PercentEncoding.decode(path, plusIsSpace: false),
            !key.utf8.contains(0)
        else { throw invalid }
        guard key.utf8.count <= Self.keyBytesMax else {
            throw S3Failure(
                400, "KeyTooLongError", "Your key is too long", ("Size", String(key.utf8.count)),
                ("MaxSizeAllowed", String(Self.keyBytesMax)))
        }
        self.key = key.isEmpty ? nil : key
    }

    /// Whether the request is a browser-based upload using POST.
    var isForm: Bool {
        call.method == "POST" && bucket != nil && key == nil
            && call.header("content-type")?.lowercased().hasPrefix("multipart/form-data") == true
    }

    private static func bucket(in host: String?) -> String? {
        guard let authority = host?.utf8 else { return nil }
        let name = String(Substring(authority.prefix { $0 != UInt8(ascii: ":") })).asciiLowercased
        let rest = name.utf8.dropLast(Self.host.utf8.count)
        guard rest.last == UInt8(ascii: "."),
            name.utf8[rest.endIndex...].elementsEqual(Self.host.utf8)
        else { return nil }
        return String(Substring(rest.dropLast()))
    }

    /// The value of a query parameter; empty if there is no `=`.
    subscript(name: String) -> String? { fields.first { $0.name.isSame(as: name) }?.value }

    var hasFields: Bool { !fields.isEmpty }

    func has(_ name: String) -> Bool { fields.contains { $0.name.isSame(as: name) } }

    func header(_ name: String) -> String? { call.header(name) }

    /// An integer parameter from 0 to `countMax`; larger values are clamped.
    func count(_ name: String, argument: String, countMax: Int) throws(S3Failure) -> Int {
        guard let text = self[name] else { return countMax }
        guard let value = Int32(text), value >= 0 else {
            throw .invalidArgument(
                "Argument \(argument) must be an integer between 0 and 2147483647", name, text)
        }
        return min(Int(value), countMax)
    }
}
