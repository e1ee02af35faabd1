/// The functions of templates, which a replay can run instead of a directory's executables.
package protocol TemplateFunctions: Sendable {
    /// The function that answers an event of the fixtures in `folder`.
    func target(of folder: String, _ event: [UInt8]) throws(FixtureFailure) -> ReplayTarget
    /// The key of the route that leads a request to the function, such as `PUT /notes/{id}`; nil if
    /// the template does not have the function itself.
    func route(
        to folder: String, _ method: String, _ target: String
    ) throws(FixtureFailure) -> String?
    /// Starts the services of the templates for one fixture, with separate tables and buckets.
    func deploy() throws(FixtureFailure) -> any DeployedFunctions
}

/// The function of a template that gets a fixture's event.
package struct ReplayTarget: Sendable {
    /// The function's name in the template.
    package let function: String
    /// nil if an interpreter runs it.
    package let executable: String?
    /// The fixture's event, in the form that `function` expects.
    package let event: [UInt8]
    /// Whether this function answers instead of the function for which the fixture was made.
    package let isAnother: Bool

    package init(function: String, executable: String?, event: [UInt8], isAnother: Bool) {
        self.function = function
        self.executable = executable
        self.event = event
        self.isAnother = isAnother
    }
}

/// Functions that run as on Lambda, with the Runtime API, together with the services that they use.
package protocol DeployedFunctions: Sendable {
    /// - Parameter environment: variables that override the template's; nil removes one.
    func invoke(
        _ function: String, _ event: [UInt8], environment: [(name: String, value: String?)]
    ) throws(FixtureFailure) -> RunResult
    func stop()
}
