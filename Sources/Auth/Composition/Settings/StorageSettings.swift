internal import AuthOperations
internal import JOSE

/// `STORAGE_*`: the bucket and the role with which users access their own prefix.
struct StorageSettings: ServicePart {
    enum Mode: String, CaseIterable, Sendable {
        /// The role is assumed with this function's own AWS credentials.
        case assumeRole = "assume-role"
        /// The role is assumed with a token that this deployment signs: STS trusts it as an OpenID
        /// provider.
        case webIdentity = "web-identity"
    }

    let place: StoragePlace
    let mode: Mode
    let roleARN: String
    let externalID: String?

    /// nil if no endpoint needs storage, or if no bucket is configured.
    static func read(
        _ reader: inout SettingsReader, for needs: ServiceNeeds, _ algorithm: Algorithm
    ) -> StorageSettings? {
        guard !needs.isDisjoint(with: [.storage, .erasure, .moving]) else { return nil }
        let settings = read(&reader)
        if settings == nil, needs.contains(.storage), reader.text("STORAGE_BUCKET") == nil {
            reader.refuse("STORAGE_BUCKET is required")
        }
        if settings?.mode == .webIdentity, ![.es256, .rs256].contains(algorithm) {
            reader.refuse(
                "STORAGE_CREDENTIALS=web-identity needs a contract that signs with ES256 or "
                    + "RS256, which STS can verify")
        }
        return settings
    }

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        let broker = context.aws.broker(
            self, keys: context.signingKeys, issuer: context.issuer)
        services.storage = broker.map { StorageServices(place: place, broker: $0) }
    }

    private static func read(_ reader: inout SettingsReader) -> StorageSettings? {
        guard let rawBucket = reader.text("STORAGE_BUCKET") else { return nil }
        let bucket = BucketName(parsing: rawBucket)
        if bucket == nil { reader.refuse("STORAGE_BUCKET is not a bucket name") }
        let region =
            reader.text("STORAGE_REGION") ?? reader.text("AWS_REGION")
            ?? reader.text("AWS_DEFAULT_REGION")
        if region == nil { reader.refuse("STORAGE_REGION or AWS_REGION is required") }
        let role = reader.text("STORAGE_ROLE_ARN")
        let partition = role.flatMap(partition)
        if partition == nil {
            reader.refuse("STORAGE_ROLE_ARN must be the ARN of a role (arn:aws:iam::…:role/…)")
        }
        let template = reader.text("STORAGE_PREFIX") ?? "users/{userId}/"
        let sample = "00000000-0000-4000-8000-000000000000"
        if StoragePrefix(template: template, user: sample) == nil {
            reader.refuse(
                "STORAGE_PREFIX must be a plain path ending in / with one segment {userId}")
        }
        let mode = reader.choice("STORAGE_CREDENTIALS", Mode.self) ?? .assumeRole
        guard let bucket, let region, let role, let partition else { return nil }
        return StorageSettings(
            place: StoragePlace(
                bucket: bucket, region: region, partition: partition, prefixTemplate: template,
                endpoint: reader.text("STORAGE_ENDPOINT") ?? configuredEndpoint(reader)),
            mode: mode, roleARN: role, externalID: reader.text("STORAGE_EXTERNAL_ID"))
    }

    /// The same variables and rules as in the AWS SDKs.
    private static func configuredEndpoint(_ reader: borrowing SettingsReader) -> String? {
        let isIgnored =
            reader.text("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased() == "true"
        guard !isIgnored else { return nil }
        return reader.text("AWS_ENDPOINT_URL_S3") ?? reader.text("AWS_ENDPOINT_URL")
    }

    private static func partition(of roleARN: String) -> String? {
        let parts = roleARN.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "arn", parts[2] == "iam", parts[5].hasPrefix("role/"),
            ["aws", "aws-cn", "aws-us-gov"].contains(parts[1])
        else { return nil }
        return String(parts[1])
    }
}
