internal import Bytes

/// The AWS services that are called, with their names in signatures, variables and hosts.
package enum AWSServiceName: Sendable, CaseIterable {
    case dynamoDB, sts, secretsManager, ssm, s3, ses, kms, lambda

    /// The service name in a signature's scope.
    package var signingName: String {
        switch self {
        case .dynamoDB: "dynamodb"
        case .sts: "sts"
        case .secretsManager: "secretsmanager"
        case .ssm: "ssm"
        case .s3: "s3"
        case .ses: "ses"
        case .kms: "kms"
        case .lambda: "lambda"
        }
    }

    /// The suffix of `AWS_ENDPOINT_URL_`.
    package var variableSuffix: String {
        switch self {
        case .dynamoDB: "DYNAMODB"
        case .sts: "STS"
        case .secretsManager: "SECRETS_MANAGER"
        case .ssm: "SSM"
        case .s3: "S3"
        case .ses: "SESV2"
        case .kms: "KMS"
        case .lambda: "LAMBDA"
        }
    }

    fileprivate var hostName: String { self == .ses ? "email" : signingName }
}

package enum AWSSettingsFailure: Error, Sendable, Equatable {
    case missingRegion
    case invalidRegion
    case invalidEndpoint(variable: String)
}

/// The region and the endpoints, from the environment variables that all AWS SDKs read.
package struct AWSSettings: Sendable {
    package let region: String
    private let endpoints: [(service: AWSServiceName, url: String)]

    /// Reads the region from `AWS_REGION`, or else from `AWS_DEFAULT_REGION`. The endpoint of a
    /// service is in `AWS_ENDPOINT_URL_<SERVICE>`, or else in `AWS_ENDPOINT_URL`; without both, it
    /// is the public endpoint of the region.
    package init(variable: (_ name: String) -> String?) throws(AWSSettingsFailure) {
        func setting(_ name: String) -> String? {
            variable(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let region = setting("AWS_REGION") ?? setting("AWS_DEFAULT_REGION") else {
            throw .missingRegion
        }
        // The region becomes part of host names.
        guard region.utf8.count <= 32, region.utf8.first != 0x2D, region.utf8.last != 0x2D,
            region.utf8.allSatisfy({
                $0.isLowercase || $0.isDigit || $0 == 0x2D
            })
        else { throw .invalidRegion }
        self.region = region

        let ignored = setting("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased() == "true"
        var endpoints: [(service: AWSServiceName, url: String)] = []
        for service in AWSServiceName.allCases where !ignored {
            let names = ["AWS_ENDPOINT_URL_\(service.variableSuffix)", "AWS_ENDPOINT_URL"]
            guard let name = names.first(where: { setting($0) != nil }), let url = setting(name)
            else { continue }
            guard let endpoint = Self.endpoint(url) else { throw .invalidEndpoint(variable: name) }
            endpoints.append((service, endpoint))
        }
        self.endpoints = endpoints
    }

    /// The service's endpoint, without a trailing slash.
    package func endpoint(of service: AWSServiceName) -> String {
        ownEndpoint(service) ?? "https://\(service.hostName).\(region).\(domain)"
    }

    /// Whether the environment sets this service's endpoint.
    package func hasOwnEndpoint(_ service: AWSServiceName) -> Bool { ownEndpoint(service) != nil }

    private func ownEndpoint(_ service: AWSServiceName) -> String? {
        endpoints.first { $0.service == service }?.url
    }

    /// `aws`, `aws-cn`, `aws-us-gov`: the second part of an ARN.
    package var partition: String { Self.partition(of: region).name }

    private var domain: String { Self.partition(of: region).domain }

    private static func partition(of region: String) -> (name: String, domain: String) {
        let partitions = [
            ("cn-", "aws-cn", "amazonaws.com.cn"), ("us-gov-", "aws-us-gov", "amazonaws.com"),
            ("us-isob-", "aws-iso-b", "sc2s.sgov.gov"), ("us-iso-", "aws-iso", "c2s.ic.gov"),
            ("eusc-", "aws-eusc", "amazonaws.eu"),
        ]
        let match = partitions.first { region.hasPrefix($0.0) }
        return match.map { ($0.1, $0.2) } ?? ("aws", "amazonaws.com")
    }

    private static func endpoint(_ url: String) -> String? {
        let schemes = ["https://", "http://"]
        guard url.utf8.count <= 2048, let scheme = schemes.first(where: { url.hasPrefix($0) }),
            url.utf8.count > scheme.utf8.count,
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3F && $0 != 0x23 })
        else { return nil }
        return url.utf8.last == 0x2F ? String(url.dropLast()) : url
    }
}
