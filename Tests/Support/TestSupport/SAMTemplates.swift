package import JSON

/// Short SAM templates.
package enum SAMTemplates {
    package static func function(_ events: JSONObject, _ properties: JSONObject = [:]) -> JSON {
        var all: JSONObject = [
            "CodeUri": "code/", "Handler": "bootstrap", "Runtime": "provided.al2023",
            "Events": .object(events),
        ]
        for (name, value) in properties.members { all[name] = value }
        return ["Type": "AWS::Serverless::Function", "Properties": .object(all)]
    }

    package static func httpEvent(
        _ method: String?, _ path: String?, _ more: JSONObject = [:]
    ) -> JSON {
        var properties = more
        properties["ApiId"] = ["Ref": "Api"]
        if let method { properties["Method"] = .string(method) }
        if let path { properties["Path"] = .string(path) }
        return ["Type": "HttpApi", "Properties": .object(properties)]
    }

    package static func restEvent(_ method: String, _ path: String, _ more: JSONObject = [:])
        -> JSON
    {
        var properties = more
        properties["RestApiId"] = ["Ref": "Api"]
        properties["Method"] = .string(method)
        properties["Path"] = .string(path)
        return ["Type": "Api", "Properties": .object(properties)]
    }

    /// One function `F` with these routes of an HTTP API.
    package static func http(
        _ routes: [(String?, String?)] = [(nil, nil)], api: JSONObject = [:],
        event: JSONObject = [:], function: JSONObject = [:], more: JSONObject = [:]
    ) -> JSON {
        var events = JSONObject()
        for (index, route) in routes.enumerated() {
            events["E\(index)"] = httpEvent(route.0, route.1, event)
        }
        var resources: JSONObject = [
            "Api": ["Type": "AWS::Serverless::HttpApi", "Properties": .object(api)],
            "F": Self.function(events, function),
        ]
        for (name, value) in more.members { resources[name] = value }
        return ["Resources": .object(resources)]
    }

    /// The same with a REST API.
    package static func rest(
        _ routes: [(String, String)] = [("ANY", "/{proxy+}")], api: JSONObject = [:],
        event: JSONObject = [:], more: JSONObject = [:]
    ) -> JSON {
        var events = JSONObject()
        for (index, route) in routes.enumerated() {
            events["E\(index)"] = restEvent(route.0, route.1, event)
        }
        var properties: JSONObject = ["StageName": "prod"]
        for (name, value) in api.members { properties[name] = value }
        var resources: JSONObject = [
            "Api": ["Type": "AWS::Serverless::Api", "Properties": .object(properties)],
            "F": function(events),
        ]
        for (name, value) in more.members { resources[name] = value }
        return ["Resources": .object(resources)]
    }

    /// A function `F` with only a function URL.
    package static func url(_ configuration: JSONObject = ["AuthType": "NONE"]) -> JSON {
        ["Resources": ["F": function([:], ["FunctionUrlConfig": .object(configuration)])]]
    }
}
