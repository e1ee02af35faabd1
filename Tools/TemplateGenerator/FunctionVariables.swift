import AuthOperations
import JSON

/// The environment variables that an executable needs for its endpoints.
enum FunctionVariables {
    private struct Row {
        let needs: ServiceNeeds
        let name: String
        let value: JSON
        /// The parameter or resource that the variable requires. A contract without that parameter
        /// or resource does not have the variable.
        let source: String

        init(_ needs: ServiceNeeds, _ name: String, _ value: JSON, if source: String) {
            self.needs = needs
            self.name = name
            self.value = value
            self.source = source
        }

        init(_ needs: ServiceNeeds, _ name: String, parameter: String) {
            self.init(needs, name, ["Ref": .string(parameter)], if: parameter)
        }
    }

    private static let passkeys: ServiceNeeds = [.passkeys, .passkeyFactor, .relyingParty]

    private static let providers: ServiceNeeds = [.identityProviders, .identityProvidersIfAny]

    private static let storage: ServiceNeeds = [.storage, .erasure, .moving]

    /// A secret whose value the operator sets, if the template's condition holds.
    private static func secret(_ name: String, if condition: String) -> JSON {
        let reference: JSON = ["Fn::Sub": .string("secretsmanager:${\(name)}")]
        return ["Fn::If": [.string(condition), reference, ""]]
    }

    private static let rows = [
        Row(providers, "APPLE_CLIENT_IDS", parameter: "AppleClientIds"),
        // Revoking refresh tokens needs the client IDs, if the key for it is set.
        Row([.erasure], "APPLE_CLIENT_IDS", ["Ref": "AppleClientIds"], if: "AppleTeamId"),
        Row(providers, "GOOGLE_CLIENT_IDS", parameter: "GoogleClientIds"),
        Row([.identityProviders, .erasure], "APPLE_TEAM_ID", parameter: "AppleTeamId"),
        Row([.identityProviders, .erasure], "APPLE_KEY_ID", parameter: "AppleKeyId"),
        Row(
            [.identityProviders, .erasure], "APPLE_PRIVATE_KEY",
            secret("AppleKeySecret", if: "HasAppleKey"), if: "AppleKeySecret"),
        Row([.mail, .notices], "MAIL_URL", "ses", if: "MailFrom"),
        Row([.mail, .notices], "MAIL_FROM", parameter: "MailFrom"),
        Row([.mail, .notices, .passkeys], "APP_NAME", parameter: "AppName"),
        // A notice links to the account page and has the look of the pages. Pages cannot prove a
        // key.
        Row(
            [.mail, .notices], "UI",
            ["Fn::If": ["HasPageLinks", ["Ref": "Pages"], "off"]], if: "Pages"),
        Row([.mail, .notices], "UI_LOGO", parameter: "PageLogo"),
        Row([.mail, .notices], "UI_COLOR", parameter: "PageColor"),
        Row(passkeys, "PASSKEY_RP_ID", parameter: "PasskeyRpId"),
        Row(passkeys, "PASSKEY_ORIGINS", parameter: "PasskeyOrigins"),
        Row(passkeys, "PASSKEY_APPLE_APPS", parameter: "PasskeyAppleApps"),
        Row(passkeys, "PASSKEY_ANDROID_APPS", parameter: "PasskeyAndroidApps"),
        Row([.hooks, .mail, .notices], "HOOKS", parameter: "Hooks"),
        Row([.links], "LINK_BASE", parameter: "LinkBase"),
        Row(storage, "STORAGE_BUCKET", ["Ref": "Bucket"], if: "StorageRole"),
        Row(
            storage, "STORAGE_ROLE_ARN", ["Fn::GetAtt": ["StorageRole", "Arn"]],
            if: "StorageRole"),
        Row(storage, "STORAGE_PREFIX", "users/{userId}/", if: "StorageRole"),
        Row(
            [.webhooks], "WEBHOOK_SECRET", secret("WebhookKeySecret", if: "HasWebhooks"),
            if: "WebhookKeySecret"),
        Row([.oauth], "OAUTH", parameter: "OAuth"),
        Row(
            [.oauth], "OAUTH_CLIENTS", secret("OAuthClientsSecret", if: "HasOAuth"),
            if: "OAuthClientsSecret"),
        Row([.oauth], "OAUTH_RESOURCES", parameter: "OAuthResources"),
        Row([.oauth], "OAUTH_DEFAULT_RESOURCE", parameter: "OAuthDefaultResource"),
        Row([.oauth], "OAUTH_CLIENT_DOCUMENTS", parameter: "OAuthClientDocuments"),
        Row([.oauth], "OAUTH_REGISTRATION", parameter: "OAuthRegistration"),
        Row([.adminPassword], "ADMIN_PASSWORD_HASH", parameter: "AdminPasswordHash"),
        Row([.adminPassword], "ADMIN_PASSWORD", parameter: "AdminPassword"),
    ]

    /// - Parameters:
    ///   - secrets: the secrets that the executable may read.
    ///   - sources: the parameters and resources of the contract's template.
    static func variables(
        for needs: ServiceNeeds, secrets: [String], sources: Set<String>
    ) -> JSONObject {
        var variables = JSONObject()
        if secrets.contains("Secret") {
            variables["MASTER_KEY"] = ["Fn::Sub": "secretsmanager:${Secret}#masterKey"]
        }
        if secrets.contains("AuditSecret") {
            variables["AUDIT_KEY"] = ["Fn::Sub": "secretsmanager:${AuditSecret}"]
        }
        for row in rows where !row.needs.isDisjoint(with: needs) && sources.contains(row.source) {
            variables[row.name] = row.value
        }
        return variables
    }
}
