internal import Bytes
internal import EmulatorBase
internal import JSON

extension TemplateReader {
    func readFunction(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        warnOfFunctionProperties(section)
        let name = FunctionName(try section.text("FunctionName") ?? resource.logicalID)
        let runtime = try section.text("Runtime") ?? ""
        let isImage = try section.text("PackageType")?.isSame(as: "Image") ?? false
        if isImage {
            log.warn(
                section.path("PackageType"),
                "container images are not supported; the function cannot be invoked")
        } else if !Self.runtimes.contains(where: { runtime.has(prefix: $0) }) {
            log.warn(
                section.path("Runtime"),
                "the emulator runs executables (provided.al2023), Python and Node.js; "
                    + "this runs only if its code has an executable bootstrap"
                    + NearestName.hint(runtime, among: Self.currentRuntimes))
        }
        let handler = try section.text("Handler")
        if handler == nil, !isImage, !runtime.has(prefix: "provided") {
            log.refuse(resource.path, "the function has no Handler, such as app.handler")
        }
        let code = try codePath(section)
        let environment = try section.section("Environment")
        let variables = evaluator.reachable(try environment?.textMap("Variables") ?? [])
        environment?.finish()
        checkSize(of: variables, at: section.path("Environment"))
        let role = try section.text("Role")
        var function = FunctionResource(
            name: name, logicalID: resource.logicalID,
            arn: evaluator.arn("lambda", "function:\(name)"), runtime: runtime,
            alias: try section.text("AutoPublishAlias"), handler: handler ?? "bootstrap",
            isImage: isImage, inlineCode: try inlineCode(section), codePath: code,
            executableCandidates: Self.candidates(code: code, handler: handler ?? ""),
            environment: variables,
            timeoutSeconds: try section.integer("Timeout", in: 1...900) ?? 3,
            memoryMB: try section.integer("MemorySize", in: 128...10_240) ?? 128,
            reservedConcurrency: try section.integer(
                "ReservedConcurrentExecutions", in: 0...100_000),
            roleARN: role ?? evaluator.roleARN(evaluator.impliedRole(of: resource.logicalID)))
        if role == nil { try addRole(of: resource) } else { section.ignore("Policies") }
        if let url = try section.section("FunctionUrlConfig") {
            function.url = try functionURL(url, logicalID: resource.logicalID)
        }
        template.functions.append(function)
        for (event, properties) in try section.sections("Events") {
            try readEvent(event, properties, of: function)
        }
    }

    private static let runtimes = ["provided", "python3", "nodejs"]
    /// The runtimes that are suggested for a misspelt one.
    private static let currentRuntimes =
        (9...14).map { "python3.\($0)" } + [18, 20, 22, 24].map { "nodejs\($0).x" }
        + ["provided.al2", "provided.al2023"]
    static let tracing =
        "each request is traced (`emulator trace`), but nothing that is sent to X-Ray is collected"

    /// `InlineCode` of SAM, `Code.ZipFile` of CloudFormation.
    private func inlineCode(_ section: TemplateSection) throws(TemplateFailure) -> String? {
        if let code = try section.text("InlineCode") { return code }
        guard section.object["Code"]?["ZipFile"] != nil, let code = try section.section("Code")
        else { return nil }
        defer { code.finish() }
        return try code.text("ZipFile")
    }

    private func warnOfFunctionProperties(_ section: TemplateSection) {
        section.ignore(
            "Description", "Tags", "PropagateTags", "Architectures", "LoggingConfig",
            "AutoPublishCodeSha256", "DeploymentPreference",
            "ProvisionedConcurrencyConfig", "KmsKeyArn", "PermissionsBoundary", "RolePath",
            "AssumeRolePolicyDocument", "RuntimeManagementConfig", "VersionDescription",
            "RecursiveLoop", "SnapStart")
        section.unsupported("Tracing", is: "Active", Self.tracing)
        section.unsupported("VpcConfig", "the emulator has no private networks")
        section.unsupported("Layers", "the emulator has no layers")
        section.unsupported("FileSystemConfigs", "the emulator mounts no file systems")
        section.unsupported("EphemeralStorage", "the emulator does not limit /tmp")
        section.unsupported("DeadLetterQueue", "queues are not supported")
        section.unsupported("DeadLetterConfig", "queues are not supported")
        section.unsupported("EventInvokeConfig", "asynchronous calls use Lambda's defaults")
        section.unsupported("ImageUri", "container images are not supported")
        section.unsupported("ImageConfig", "container images are not supported")
        section.unsupported("CodeSigningConfigArn", "code signing is not supported")
    }

    private func codePath(_ section: TemplateSection) throws(TemplateFailure) -> String {
        var uri = "."
        for name in ["CodeUri", "Code"] {
            guard let value = section.json(name) else { continue }
            if let text = value.stringValue, !text.has(prefix: "s3://") {
                uri = text
            } else if value["ZipFile"] == nil {
                section.unsupported(name, "the emulator runs code from this machine only")
            }
        }
        if uri.asciiLowercased.has(suffix: ".zip") {
            log.warn(section.path("CodeUri"), "archives are not supported; use a directory")
        }
        return uri.has(prefix: "/") ? uri : "\(settings.directory)/\(uri)"
    }

    private static func candidates(code: String, handler: String) -> [String] {
        var folder = code
        while folder.utf8.count > 1, folder.has(suffix: "/") { folder.removeLast() }
        let bootstrap = "\(folder)/bootstrap"
        guard !handler.isSame(as: "bootstrap"), !handler.isEmpty else {
            return [bootstrap, folder]
        }
        return [bootstrap, "\(folder)/\(handler)", folder]
    }

    private func checkSize(of variables: [(name: String, value: String)], at path: String) {
        let bytes = variables.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard bytes > 4 << 10 else { return }
        log.warn(path, "\(bytes) bytes: Lambda refuses an environment over 4 KB")
    }

    private func functionURL(
        _ section: TemplateSection, logicalID: String
    ) throws(TemplateFailure) -> FunctionURL {
        defer { section.finish() }
        let authorization: FunctionURL.Authorization
        switch try section.requiredText("AuthType") {
        case "NONE": authorization = .none
        case "AWS_IAM": authorization = .iam
        default: throw section.wrong("AuthType", "NONE or AWS_IAM")
        }
        if let mode = try section.text("InvokeMode"), !mode.isSame(as: "BUFFERED") {
            section.unsupported("InvokeMode", "responses are not streamed, but buffered")
        }
        return FunctionURL(
            authorization: authorization, cors: try section.section("Cors").map(corsRules),
            id: evaluator.apiID("\(logicalID)Url"))
    }
}

extension Optional {
    /// `map` with typed throws.
    fileprivate func map<Value, Failure: Error>(
        _ transform: (Wrapped) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard let self else { return nil }
        return try transform(self)
    }
}
