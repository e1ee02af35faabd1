internal import Time

/// The environment of a function (Lambda Developer Guide, "Working with Lambda environment
/// variables").
enum FunctionEnvironment {
    /// Reserved variables cannot be overridden by a function's configuration.
    static func variables(
        _ function: FunctionConfiguration, _ settings: FunctionSettings, instanceID: String,
        now: Instant, authority: String?
    ) -> [(name: String, value: String)] {
        var reserved: [(name: String, value: String)] = [
            ("_HANDLER", function.handler),
            ("LAMBDA_TASK_ROOT", function.directory),
            ("LAMBDA_RUNTIME_DIR", "/var/runtime"),
            ("AWS_LAMBDA_FUNCTION_NAME", function.name),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", String(function.memoryMegabytes)),
            ("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/\(function.name)"),
            ("AWS_LAMBDA_LOG_STREAM_NAME", now.text("%Y/%m/%d/[$LATEST]") + instanceID),
            ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
            ("AWS_REGION", settings.region),
        ]
        if let authority { reserved.append(("AWS_LAMBDA_RUNTIME_API", authority)) }
        if LanguageRuntime(function.runtime) != nil {
            reserved.append(("AWS_EXECUTION_ENV", "AWS_Lambda_\(function.runtime)"))
        }
        let defaults: [(name: String, value: String)] = [
            ("AWS_DEFAULT_REGION", settings.region), ("TZ", ":UTC"), ("LANG", "en_US.UTF-8"),
            ("PATH", settings.path),
            ("LD_LIBRARY_PATH", "\(function.directory):\(function.directory)/lib"),
        ]
        return merged([defaults, settings.environment, function.environment, reserved])
    }

    /// Later lists replace earlier ones. Names are compared as bytes, as in the kernel.
    private static func merged(
        _ lists: [[(name: String, value: String)]]
    ) -> [(name: String, value: String)] {
        var values: [[UInt8]: (name: String, value: String)] = [:]
        for variable in lists.joined() { values[Array(variable.name.utf8)] = variable }
        return values.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }
}
