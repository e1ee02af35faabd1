internal import Bytes
internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorDynamoDB
internal import EmulatorGateway
internal import JSON

// Creates the template's resources, as CloudFormation does.
extension EmulatorServices {
    func seed(_ template: Template, _ warnings: inout [String]) throws {
        for table in template.tables { try makeTable(table, &warnings) }
        for bucket in template.buckets { try makeBucket(bucket) }
        do throws(SecretsFailure) {
            try secrets.declare(
                secrets: template.secrets.map { secret in
                    DeclaredSecret(name: secret.name, arn: secret.arn, value: secret.value.declared)
                },
                parameters: template.settings.map { setting in
                    DeclaredParameter(
                        name: setting.name, value: setting.value, type: setting.type)
                })
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    private func makeBucket(_ bucket: BucketResource) throws {
        let rules = bucket.cors.map { rule in
            BucketCORSRule(
                id: rule.id, origins: rule.origins, methods: rule.methods, headers: rule.headers,
                exposedHeaders: rule.exposedHeaders, maxAgeSeconds: rule.maxAgeSeconds)
        }
        if !rules.isEmpty, let defect = BucketCORSRule.defect(of: rules) {
            throw CommandFailure("\(bucket.logicalID): CorsConfiguration: \(defect)")
        }
        do throws(ObjectStoreFailure) {
            try objects.ensureBucket(bucket.name, at: clock.now)
            // Without rules in the template, rules from a client are kept.
            if !rules.isEmpty { try objects.setCORS(rules, of: bucket.name) }
        } catch {
            throw CommandFailure("\(bucket.logicalID): cannot create the bucket: \(error)")
        }
    }

    private func makeTable(_ table: TableResource, _ warnings: inout [String]) throws {
        let created = ask("CreateTable", table.createTable)
        if created.status == 200 {
            guard let attribute = table.expiryAttribute else { return }
            let answer = ask(
                "UpdateTimeToLive",
                [
                    "TableName": .string(table.name),
                    "TimeToLiveSpecification": [
                        "AttributeName": .string(attribute), "Enabled": true,
                    ],
                ])
            guard answer.status == 200 else { throw Self.failure(table, answer) }
            return
        }
        guard Self.type(of: created).hasSuffix("#ResourceInUseException") else {
            throw Self.failure(table, created)
        }
        // The table exists from an earlier start. Its data is kept, and its key schema cannot
        // change.
        let found = ask("DescribeTable", ["TableName": .string(table.name)])
        let keys = (try? JSON.parse(found.body, limits: .event))?["Table"]?["KeySchema"]
        if keys != table.createTable["KeySchema"] {
            warnings.append(
                "\(table.logicalID): the existing table \(table.name) keeps its key schema")
        }
    }

    private func ask(_ operation: String, _ request: JSONObject) -> DynamoDBResponse {
        tables.answer(
            DynamoDBRequest(
                target: "DynamoDB_20120810.\(operation)", contentType: "application/x-amz-json-1.0",
                body: request.serialized))
    }

    private static func type(of answer: DynamoDBResponse) -> String {
        (try? JSON.parse(answer.body, limits: .event))?["__type"]?.stringValue ?? ""
    }

    private static func failure(
        _ table: TableResource, _ answer: DynamoDBResponse
    ) -> CommandFailure {
        CommandFailure(
            "\(table.logicalID): cannot create the table: "
                + String(decoding: answer.body, as: UTF8.self))
    }
}

extension SecretResource.Value {
    fileprivate var declared: DeclaredSecret.Value {
        switch self {
        case .text(let text): .text(text)
        case .generated(let length, let template, let key, let excluded):
            .generated(length: length, template: template, key: key, excluded: excluded)
        }
    }
}
