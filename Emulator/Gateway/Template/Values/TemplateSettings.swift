/// The settings for resolving a template.
package struct TemplateSettings: Sendable {
    package var accountID: String
    package var region: String
    package var stackName: String
    /// The base URL of the gateway and of Function URLs, without a trailing slash.
    package var baseURL: String
    /// The address of the APIs as apps know it: the gateway's address, or `--issuer-url`.
    package var issuerURL: String
    /// The directory of the template, to which relative code paths refer. Without a trailing slash.
    package var directory: String
    /// Values for the template's parameters, overriding defaults.
    package var parameters: [(name: String, value: String)]
    /// Texts that replace the template's secrets, by their logical IDs.
    package var secrets: [(name: String, value: String)] = []
    /// The outputs of the stacks deployed before this one.
    package var earlier = EarlierStacks()

    package init(
        accountID: String = "123456789012", region: String = "us-east-1",
        stackName: String = "latchkey", baseURL: String = "http://127.0.0.1:8000",
        issuerURL: String? = nil, directory: String = ".",
        parameters: [(name: String, value: String)] = []
    ) {
        self.accountID = accountID
        self.region = region
        self.stackName = stackName
        self.baseURL = baseURL
        self.issuerURL = issuerURL ?? baseURL
        self.directory = directory
        self.parameters = parameters
    }
}

/// The values of earlier stacks that a template can refer to.
package struct EarlierStacks: Sendable {
    /// The exports for `Fn::ImportValue`.
    package var exports: [(name: String, value: String)] = []
    package var functions: [FunctionName] = []

    package init() {}

    package var isEmpty: Bool { exports.isEmpty && functions.isEmpty }
}
