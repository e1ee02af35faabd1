internal import Bytes
internal import EmulatorBase
internal import JSON

// Roles and policies are kept unparsed, for the policy evaluator.
extension TemplateReader {
    func readRole(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore("Description", "Tags", "Path", "RoleName")
        section.unsupported("PermissionsBoundary", "permissions boundaries are not supported")
        guard let trust = section.json("AssumeRolePolicyDocument") else {
            throw TemplateFailure(section.path("AssumeRolePolicyDocument"), .missing)
        }
        let name = try evaluator.physicalID(of: resource.logicalID, at: resource.path)
        var role = RoleResource(
            name: name, logicalID: resource.logicalID,
            arn: "arn:aws:iam::\(settings.accountID):role/\(name)",
            trust: PolicyText(trust, at: section.path("AssumeRolePolicyDocument")),
            maxSessionSeconds: try section.integer("MaxSessionDuration", in: 3600...43_200)
                ?? 3600,
            inlinePolicies: [], managedPolicyARNs: try section.texts("ManagedPolicyArns") ?? [])
        for (index, value) in (try section.list("Policies") ?? []).enumerated() {
            let path = "\(section.path("Policies"))[\(index)]"
            guard let document = value["PolicyDocument"] else {
                throw TemplateFailure("\(path).PolicyDocument", .missing)
            }
            role.inlinePolicies.append(
                (
                    value["PolicyName"]?.stringValue ?? "policy\(index)",
                    PolicyText(document, at: "\(path).PolicyDocument")
                ))
        }
        template.roles.append(role)
    }

    func readManagedPolicy(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore("Description", "Path", "ManagedPolicyName")
        let arn = try evaluator.physicalID(of: resource.logicalID, at: resource.path)
        template.policies.append(
            ManagedPolicyResource(
                arn: arn, logicalID: resource.logicalID, policy: try document(section)))
        for name in try section.texts("Roles") ?? [] {
            try attach(to: name, at: section.path("Roles")) { $0.managedPolicyARNs.append(arn) }
        }
        for name in ["Users", "Groups"] {
            section.unsupported(name, "users and groups are not supported")
        }
    }

    func readAttachedPolicy(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        let name = try section.text("PolicyName") ?? resource.logicalID
        let document = try document(section)
        for role in try section.texts("Roles") ?? [] {
            try attach(to: role, at: section.path("Roles")) {
                $0.inlinePolicies.append((name, document))
            }
        }
        for name in ["Users", "Groups"] {
            section.unsupported(name, "users and groups are not supported")
        }
    }

    private func document(_ section: TemplateSection) throws(TemplateFailure) -> PolicyText {
        guard let document = section.json("PolicyDocument") else {
            throw TemplateFailure(section.path("PolicyDocument"), .missing)
        }
        return PolicyText(document, at: section.path("PolicyDocument"))
    }

    private func attach(
        to name: String, at path: String, _ change: (inout RoleResource) -> Void
    ) throws(TemplateFailure) {
        guard let index = template.roles.firstIndex(where: { $0.name.isSame(as: name) }) else {
            log.warn(path, "the role \(name) is not in this template")
            return
        }
        change(&template.roles[index])
    }

    /// The role that SAM creates for a function without one.
    func addRole(of resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        let name = evaluator.impliedRole(of: resource.logicalID)
        let basics = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
        var role = RoleResource(
            name: name, logicalID: "\(resource.logicalID)Role",
            arn: "arn:aws:iam::\(settings.accountID):role/\(name)",
            trust: PolicyText(Self.trustOfLambda, at: resource.path), maxSessionSeconds: 3600,
            inlinePolicies: [], managedPolicyARNs: [basics])
        var policies = section.json("Policies")?.arrayValue ?? []
        if policies.isEmpty, let single = section.json("Policies"), single.arrayValue == nil {
            policies = [single]
        }
        for (index, policy) in policies.enumerated() {
            let path = "\(section.path("Policies"))[\(index)]"
            if let arn = policy.stringValue {
                role.managedPolicyARNs.append(
                    arn.has(prefix: "arn:") ? arn : "arn:aws:iam::aws:policy/\(arn)")
            } else if policy["Statement"] != nil {
                role.inlinePolicies.append(("policy\(index)", PolicyText(policy, at: path)))
            } else if let statements = statements(ofPolicyTemplate: policy) {
                let document: JSON = ["Version": "2012-10-17", "Statement": statements]
                role.inlinePolicies.append(("policy\(index)", PolicyText(document, at: path)))
            } else {
                log.warn(path, "this policy template is not supported")
            }
        }
        template.roles.append(role)
    }

    private static let trustOfLambda: JSON = [
        "Version": "2012-10-17",
        "Statement": [
            [
                "Effect": "Allow", "Principal": ["Service": "lambda.amazonaws.com"],
                "Action": "sts:AssumeRole",
            ]
        ],
    ]

    /// SAM's policy templates, for services that the emulator supports.
    private func statements(ofPolicyTemplate policy: JSON) -> JSON? {
        guard let object = policy.objectValue, object.count == 1, let only = object.members.first
        else { return nil }
        func allow(_ actions: [String], on resources: [String]) -> JSON {
            [
                [
                    "Effect": "Allow", "Action": .array(actions.map { .string($0) }),
                    "Resource": .array(resources.map { .string($0) }),
                ]
            ]
        }
        func argument(_ name: String) -> String { only.value[name]?.scalarText ?? "" }
        let table = evaluator.arn("dynamodb", "table/\(argument("TableName"))")
        let bucket = "arn:aws:s3:::\(argument("BucketName"))"
        let reading = ["GetItem", "Scan", "Query", "BatchGetItem", "DescribeTable"]
        let writing = ["PutItem", "UpdateItem", "BatchWriteItem"]
        func onTable(_ actions: [String]) -> JSON {
            allow(actions.map { "dynamodb:\($0)" }, on: [table, "\(table)/index/*"])
        }
        func onBucket(_ actions: [String]) -> JSON {
            allow(actions.map { "s3:\($0)" }, on: [bucket, "\(bucket)/*"])
        }
        switch only.name {
        case "DynamoDBCrudPolicy":
            return onTable(reading + writing + ["DeleteItem", "ConditionCheckItem"])
        case "DynamoDBReadPolicy": return onTable(reading)
        case "DynamoDBWritePolicy": return onTable(writing)
        case "S3ReadPolicy": return onBucket(["GetObject", "ListBucket", "GetBucketLocation"])
        case "S3WritePolicy": return onBucket(["PutObject"])
        case "S3CrudPolicy":
            return onBucket(
                ["GetObject", "ListBucket", "GetBucketLocation", "PutObject", "DeleteObject"])
        case "LambdaInvokePolicy":
            return allow(
                ["lambda:InvokeFunction"],
                on: [evaluator.arn("lambda", "function:\(argument("FunctionName"))")])
        case "AWSSecretsManagerGetSecretValuePolicy":
            return allow(["secretsmanager:GetSecretValue"], on: [argument("SecretArn")])
        case "SSMParameterReadPolicy":
            return allow(
                ["ssm:GetParameter", "ssm:GetParameters", "ssm:GetParametersByPath"],
                on: [evaluator.arn("ssm", "parameter/\(argument("ParameterName"))")])
        case "SESCrudPolicy":
            return allow(["ses:SendEmail", "ses:SendRawEmail"], on: ["*"])
        default: return nil
        }
    }
}
