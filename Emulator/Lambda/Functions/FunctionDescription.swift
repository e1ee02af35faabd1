internal import EmulatorBase
internal import HTTP
internal import JSON

/// The responses of ListFunctions and GetFunction.
enum FunctionDescription {
    static func list(_ service: FunctionService) -> ServerResponse {
        let functions = service.definitions.map { JSON.object(configuration($0, in: service)) }
        return reply(["Functions": .array(functions)], service)
    }

    static func function(
        _ function: FunctionConfiguration, _ service: FunctionService
    ) -> ServerResponse {
        var members: JSONObject = [
            "Configuration": .object(configuration(function, in: service)),
            "Code": ["RepositoryType": "file", "Location": .string(location(of: function))],
            "Tags": .object(JSONObject(tags(of: function))),
        ]
        if let reserved = function.reservedConcurrency {
            members["Concurrency"] = ["ReservedConcurrentExecutions": .number(reserved)]
        }
        return reply(members, service)
    }

    /// The architecture of this machine, on which the function runs.
    private static var architecture: String {
        #if arch(arm64)
            "arm64"
        #else
            "x86_64"
        #endif
    }

    private static func location(of function: FunctionConfiguration) -> String {
        let isInterpreted = LanguageRuntime(function.runtime) != nil
        return isInterpreted ? function.directory : function.command.first ?? ""
    }

    /// The tags that CloudFormation adds.
    private static func tags(of function: FunctionConfiguration) -> [(String, JSON)] {
        function.logicalID.map { [("aws:cloudformation:logical-id", .string($0))] } ?? []
    }

    static func configuration(
        _ function: FunctionConfiguration, _ service: FunctionService
    ) -> ServerResponse {
        reply(configuration(function, in: service), service)
    }

    private static func configuration(
        _ function: FunctionConfiguration, in service: FunctionService
    ) -> JSONObject {
        let variables = function.environment.map { ($0.name, JSON.string($0.value)) }
        var members: JSONObject = [
            "FunctionName": .string(function.name),
            "FunctionArn": .string(service.arn(function.name)),
            "Runtime": .string(function.runtime),
            "Handler": .string(function.handler),
            "Timeout": .number((function.timeoutMilliseconds + 999) / 1000),
            "MemorySize": .number(function.memoryMegabytes),
            "Environment": ["Variables": .object(JSONObject(variables))],
            "Version": "$LATEST",
            "State": "Active",
            "LastUpdateStatus": "Successful",
            "PackageType": "Zip",
            "Architectures": [.string(architecture)],
        ]
        members["Role"] = function.role.map { .string($0) }
        return members
    }

    private static func reply(_ object: JSONObject, _ service: FunctionService) -> ServerResponse {
        ServerResponse(
            status: 200,
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("x-amzn-RequestId", service.newRequestID()),
            ], body: JSON.object(object).serialized)
    }
}
