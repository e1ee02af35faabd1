internal import AuthDomain
package import AuthOperations
internal import Contracts
package import FunctionRuntime
internal import JOSE

/// The settings of the provider's resources, for a command: nothing is opened.
package struct ResourceSettings: Sendable {
    /// nil if `ISSUER` is not set.
    package let issuer: String?
    /// nil if `OAUTH_RESOURCES` is not set.
    package let resources: [ProtectedResource]?
}

extension Assembly {
    package func resourceSettings() throws(StartFailure) -> ResourceSettings {
        let aws = AWSParts(self, requests(AssemblyReports()))
        var reader = SettingsReader(environment, secrets: aws.secretSource)
        let contract = ServiceSettings.contract(&reader)
        reader.names = contract.settingNames
        let issuer = reader.text("ISSUER")
        var policy = contract.policy.accessTokens
        if let audience = reader.text("TOKEN_AUDIENCE") { policy.audience = audience }
        policy.algorithm = KeySettings.algorithm(&reader, policy)
        let isSet = reader.text("OAUTH_RESOURCES") != nil
        let resources = OAuthSettings.resources(
            &reader, own: [policy.audience] + (issuer.map { [$0] } ?? []),
            [.rs256, Algorithm(policy.algorithm)])
        guard reader.problems.isEmpty else { throw StartFailure(problems: reader.problems) }
        return ResourceSettings(issuer: issuer, resources: isSet ? resources : nil)
    }
}
