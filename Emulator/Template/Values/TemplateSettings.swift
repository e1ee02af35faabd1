/// The settings for resolving a template.
package struct TemplateSettings: Sendable {
    package var accountID: String
    package var region: String
    package var stackName: String
    /// Where the gateway is reached, without a slash at its end: in front of Function URLs.
    package var baseURL: String
    /// Where the template's file is; relative code paths start there. Without a slash at its end.
    package var directory: String
    /// Values of the template's parameters, over their defaults.
    package var parameters: [(name: String, value: String)]

    package init(
        accountID: String = "123456789012", region: String = "us-east-1",
        stackName: String = "latchkey", baseURL: String = "http://127.0.0.1:8000",
        directory: String = ".", parameters: [(name: String, value: String)] = []
    ) {
        self.accountID = accountID
        self.region = region
        self.stackName = stackName
        self.baseURL = baseURL
        self.directory = directory
        self.parameters = parameters
    }
}
