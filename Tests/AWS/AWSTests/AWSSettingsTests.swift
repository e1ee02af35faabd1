import TestSupport

@Suite struct AWSSettingsTests {
    @Test(arguments: [
        ("us-east-1", AWSServiceName.dynamoDB, "https://dynamodb.us-east-1.amazonaws.com", "aws"),
        ("eu-west-1", .sts, "https://sts.eu-west-1.amazonaws.com", "aws"),
        ("eu-west-1", .secretsManager, "https://secretsmanager.eu-west-1.amazonaws.com", "aws"),
        ("eu-west-1", .ses, "https://email.eu-west-1.amazonaws.com", "aws"),
        ("cn-north-1", .sts, "https://sts.cn-north-1.amazonaws.com.cn", "aws-cn"),
        ("us-gov-west-1", .ssm, "https://ssm.us-gov-west-1.amazonaws.com", "aws-us-gov"),
        ("us-isob-east-1", .s3, "https://s3.us-isob-east-1.sc2s.sgov.gov", "aws-iso-b"),
    ])
    func `the public endpoint follows region and partition`(
        region: String, service: AWSServiceName, endpoint: String, partition: String
    ) throws {
        let settings = try settings(["AWS_REGION": region])
        expectEqual(settings.endpoint(of: service), endpoint)
        expectEqual(settings.partition, partition)
        #expect(!settings.hasOwnEndpoint(service))
    }

    @Test func `a service's own endpoint has priority over the common one`() throws {
        let settings = try settings([
            "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:8001/",
            "AWS_ENDPOINT_URL_DYNAMODB": "http://[::1]:9000/base",
            "AWS_ENDPOINT_URL_SECRETS_MANAGER": "",
        ])
        expectEqual(settings.endpoint(of: .dynamoDB), "http://[::1]:9000/base")
        expectEqual(settings.endpoint(of: .secretsManager), "http://127.0.0.1:8001")
        expectEqual(settings.endpoint(of: .sts), "http://127.0.0.1:8001")
        #expect(settings.hasOwnEndpoint(.sts))
    }

    @Test func `configured endpoints can be ignored`() throws {
        let settings = try settings([
            "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:8001",
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "True",
        ])
        expectEqual(settings.endpoint(of: .sts), "https://sts.us-east-1.amazonaws.com")
    }

    @Test func `AWS_REGION has priority over AWS_DEFAULT_REGION`() throws {
        let both = ["AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-east-1"]
        try expectEqual(settings(both).region, "eu-west-1")
        try expectEqual(settings(["AWS_DEFAULT_REGION": "us-east-1"]).region, "us-east-1")
    }

    @Test(arguments: [
        "eu-west-1.evil.example", "eu/west", "EU-WEST-1", "eu west", "-eu", "eu-", "\u{E9}u",
        "us-east-1@evil", String(repeating: "a", count: 33),
    ])
    func `a region that is not a valid host name part is refused`(region: String) {
        #expect(throws: AWSSettingsFailure.invalidRegion) { try settings(["AWS_REGION": region]) }
    }

    @Test func `a missing region is reported`() {
        #expect(throws: AWSSettingsFailure.missingRegion) { try settings([:]) }
        #expect(throws: AWSSettingsFailure.missingRegion) { try settings(["AWS_REGION": ""]) }
    }

    @Test(arguments: [
        "127.0.0.1:8001", "ftp://h", "http://", "http://h/?a=b", "http://h/#f", "http://h h/",
        "http://h\n", "http://\u{E9}/",
    ])
    func `an endpoint that is not a base URL is refused`(url: String) {
        #expect(throws: AWSSettingsFailure.invalidEndpoint(variable: "AWS_ENDPOINT_URL_STS")) {
            try settings(["AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_STS": url])
        }
    }
}
