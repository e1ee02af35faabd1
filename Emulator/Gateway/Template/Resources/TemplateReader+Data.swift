internal import Bytes
internal import EmulatorBase
internal import JSON

extension TemplateReader {
    func readTable(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "PointInTimeRecoverySpecification", "Tags", "TableClass", "SSESpecification",
            "ContributorInsightsSpecification", "DeletionProtectionEnabled", "WarmThroughput",
            "OnDemandThroughput")
        section.unsupported("KinesisStreamSpecification", "the emulator has no streams")
        section.unsupported("StreamSpecification", "the emulator has no streams")
        section.unsupported("ImportSourceSpecification", "imports from S3 are not supported")
        section.unsupported("ResourcePolicy", "the emulator evaluates no resource policy")
        let name = try evaluator.physicalID(of: resource.logicalID, at: resource.path)
        var body: JSONObject = ["TableName": .string(name)]
        section.ignore("TableName")
        for property in [
            "AttributeDefinitions", "KeySchema", "BillingMode", "ProvisionedThroughput",
            "GlobalSecondaryIndexes", "LocalSecondaryIndexes",
        ] {
            if let value = section.json(property) { body[property] = Self.withCapacities(value) }
        }
        guard body["KeySchema"] != nil else {
            throw TemplateFailure(section.path("KeySchema"), .missing)
        }
        if body["BillingMode"] == nil, body["ProvisionedThroughput"] == nil {
            body["BillingMode"] = "PAY_PER_REQUEST"
        }
        var expiry: String?
        if let specification = try section.section("TimeToLiveSpecification") {
            let attribute = try specification.text("AttributeName")
            if try specification.flag("Enabled") ?? false { expiry = attribute }
            specification.finish()
        }
        template.tables.append(
            TableResource(
                name: name, logicalID: resource.logicalID, createTable: body,
                expiryAttribute: expiry))
    }

    /// CloudFormation also accepts numbers as texts, such as the values of parameters; DynamoDB
    /// does not.
    private static func withCapacities(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): return .array(elements.map(withCapacities))
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { name, value in
                        let number = value.stringValue.flatMap { Int64($0) }
                        let isCapacity = name.has(suffix: "CapacityUnits")
                        guard isCapacity, let number else { return (name, withCapacities(value)) }
                        return (name, .number(number))
                    }))
        case .null, .bool, .number, .string: return value
        }
    }

    func readSimpleTable(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "Tags", "SSESpecification", "PointInTimeRecoverySpecification", "TableName",
            "ProvisionedThroughput")
        let name = try evaluator.physicalID(of: resource.logicalID, at: resource.path)
        let key = try section.section("PrimaryKey")
        let keyName = try key?.text("Name") ?? "id"
        let type: String
        switch try key?.text("Type") ?? "String" {
        case "String": type = "S"
        case "Number": type = "N"
        case "Binary": type = "B"
        default:
            throw TemplateFailure(
                section.path("PrimaryKey.Type"), .wrongType(expected: "String, Number or Binary"))
        }
        key?.finish()
        template.tables.append(
            TableResource(
                name: name, logicalID: resource.logicalID,
                createTable: [
                    "TableName": .string(name),
                    "AttributeDefinitions": [
                        ["AttributeName": .string(keyName), "AttributeType": .string(type)]
                    ],
                    "KeySchema": [["AttributeName": .string(keyName), "KeyType": "HASH"]],
                    "BillingMode": "PAY_PER_REQUEST",
                ], expiryAttribute: nil))
    }

    func readBucket(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "BucketName", "Tags", "PublicAccessBlockConfiguration", "BucketEncryption",
            "LifecycleConfiguration", "LoggingConfiguration",
            "MetricsConfigurations", "IntelligentTieringConfigurations", "InventoryConfigurations",
            "AnalyticsConfigurations")
        for name in [
            "NotificationConfiguration", "ReplicationConfiguration", "WebsiteConfiguration",
            "ObjectLockConfiguration", "ObjectLockEnabled", "AccelerateConfiguration",
        ] {
            section.unsupported(name, "the emulator's buckets do not support this")
        }
        try warnAboutACLs(section)
        var isVersioned = false
        if let versioning = try section.section("VersioningConfiguration") {
            isVersioned = try versioning.text("Status").map { $0.isSame(as: "Enabled") } ?? false
            versioning.finish()
        }
        template.buckets.append(
            BucketResource(
                name: try evaluator.physicalID(of: resource.logicalID, at: resource.path),
                logicalID: resource.logicalID, isVersioned: isVersioned,
                cors: try bucketCORS(section)))
    }

    /// ACLs are disabled, as for every bucket that does not request them.
    private func warnAboutACLs(_ section: TemplateSection) throws(TemplateFailure) {
        let reason = "the emulator's buckets have no ACLs"
        if let acl = try section.text("AccessControl"), !acl.isSame(as: "Private") {
            log.warn(section.path("AccessControl"), reason)
        }
        guard let ownership = try section.section("OwnershipControls") else { return }
        let rules = try ownership.list("Rules") ?? []
        if rules.contains(where: { $0["ObjectOwnership"] != "BucketOwnerEnforced" }) {
            log.warn(section.path("OwnershipControls"), reason)
        }
    }

    func readBucketPolicy(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        let bucket = try section.requiredText("Bucket")
        guard let document = section.json("PolicyDocument") else {
            throw TemplateFailure(section.path("PolicyDocument"), .missing)
        }
        guard let index = template.buckets.firstIndex(where: { $0.name.isSame(as: bucket) }) else {
            log.warn(section.path("Bucket"), "the policy's bucket is not in this template")
            return
        }
        template.buckets[index].policy = document
    }

    func readSecret(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore("Description", "KmsKeyId", "Tags")
        section.unsupported("ReplicaRegions", "the emulator has one region")
        let name = try section.text("Name") ?? resource.logicalID
        var value: SecretResource.Value
        if let text = try section.text("SecretString") {
            value = .text(text)
        } else if let generate = try section.section("GenerateSecretString") {
            value = try generated(generate)
        } else {
            value = .generated(length: 32, template: nil, key: nil, excluded: "")
        }
        if let own = settings.secrets.first(where: { $0.name.isSame(as: resource.logicalID) }) {
            value = .text(own.value)
        }
        template.secrets.append(
            SecretResource(
                name: name, logicalID: resource.logicalID,
                arn: try evaluator.physicalID(of: resource.logicalID, at: resource.path),
                value: value))
    }

    private func generated(
        _ section: TemplateSection
    ) throws(TemplateFailure) -> SecretResource.Value {
        defer { section.finish() }
        section.ignore("RequireEachIncludedType", "IncludeSpace")
        var excluded = try section.text("ExcludeCharacters") ?? ""
        for (flag, characters) in [
            ("ExcludePunctuation", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
            ("ExcludeNumbers", "0123456789"),
            ("ExcludeLowercase", "abcdefghijklmnopqrstuvwxyz"),
            ("ExcludeUppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ] where try section.flag(flag) ?? false {
            excluded += characters
        }
        return .generated(
            length: try section.integer("PasswordLength", in: 1...4096) ?? 32,
            template: try section.text("SecretStringTemplate"),
            key: try section.text("GenerateStringKey"), excluded: excluded)
    }

    func readSetting(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "Description", "Tags", "Tier", "AllowedPattern", "DataType", "Policies")
        template.settings.append(
            ParameterResource(
                name: try section.text("Name") ?? resource.logicalID,
                logicalID: resource.logicalID, value: try section.requiredText("Value"),
                type: try section.text("Type") ?? "String"))
    }
}
