import BaseTestSupport
import Contracts

/// Templates only set variables that the functions read.
@Suite("Template settings") struct TemplateSettingsTests {
    @Test func `every variable is read by the functions`() throws {
        let known = try DocumentedSettings.inSources()
        for name in Template.names + Template.singles {
            for function in try Template(named: name).functions {
                let unknown = Set(function.environment.keys).subtracting(known)
                #expect(unknown.isEmpty, "\(name): \(function.logicalName)")
            }
        }
    }

    @Test(arguments: Template.names)
    func `every function has a contract, a table and an issuer`(name: String) throws {
        let template = try Template(named: name)
        for function in template.functions {
            let environment = function.environment
            expectEqual(environment["CONTRACT"]?.stringValue, name)
            expectEqual(environment["STORE"], ["Fn::Sub": "dynamodb:${Table}"])
            #expect(environment["ISSUER"] != nil)
        }
    }

    @Test(arguments: Template.names)
    func
        `a function that verifies tokens knows the providers, one that revokes them only Apple`(
            name: String
        ) throws
    {
        for function in try Template(named: name).functions {
            let executable = try #require(function.executable)
            let variables = function.environment.keys
            let revokes =
                name == "latchkey"
                && ["admin", "delete-account", "housekeeping"].contains(executable)
            let signsIn = ["signin", "link", "step-up", "ui"].contains(executable)
            let verifies = signsIn || executable == "apple-notifications"
            expectEqual(
                variables.contains { $0.hasPrefix("APPLE_") }, verifies || revokes,
                "\(executable)")
            // The page System shows the IDs.
            let shows = executable == "admin"
            #expect(signsIn || shows || !variables.contains { $0.hasPrefix("GOOGLE_") })
        }
    }

    /// The Terraform files support these functions. Conditions are about alarms, the dashboard, the
    /// API's domain and CORS rules, and environments.
    @Test(arguments: Template.names + Template.singles)
    func `only Ref, Sub, GetAtt and If are used, each with an existing target`(
        name: String
    ) throws {
        let template = try Template(named: name)
        // SAM makes a role for each function that names none.
        let resources = Set(
            template.resources.map(\.name) + template.functions.map { "\($0.logicalName)Role" })
        let parameters = Set(template.parameters.map(\.name))
        let conditions = Set((template.json["Conditions"]?.members ?? []).map(\.name))
        for object in template.objects(without: ["Rules", "Conditions"]) {
            for (function, argument) in object.members {
                switch function {
                case "Ref":
                    let target = try #require(argument.stringValue)
                    #expect(
                        resources.contains(target) || parameters.contains(target)
                            || target.hasPrefix("AWS::") || target == "Api.Stage", "\(target)")
                case "Fn::GetAtt":
                    expectEqual(argument.texts.count, 2)
                    #expect(resources.contains(argument.texts.first ?? ""), "\(argument.text)")
                case "Fn::Sub":
                    let text = try #require(argument.stringValue)
                    for match in text.matches(of: /\$\{([^}!]+)\}/) {
                        let target = String(match.1.prefix { $0 != "." })
                        #expect(
                            resources.contains(target) || parameters.contains(target)
                                || target.hasPrefix("AWS::"), "\(target)")
                    }
                case "Condition" where isConditional(object):
                    #expect(conditions.contains(argument.stringValue ?? ""), "\(argument.text)")
                case "Fn::If":
                    let condition = argument.arrayValue?.first?.stringValue ?? ""
                    #expect(conditions.contains(condition), "\(argument.text)")
                case "Fn::Split":
                    expectEqual(argument, [",", ["Ref": "AllowedOrigins"]])
                default:
                    #expect(
                        !function.hasPrefix("Fn::") && function != "Condition" || isPolicy(object))
                }
            }
        }
    }

    @Test(arguments: Template.names + Template.singles)
    func `every parameter is used`(name: String) throws {
        let template = try Template(named: name)
        for parameter in template.parameters.map(\.name) {
            let uses = template.objects.filter {
                $0["Ref"]?.stringValue == parameter
                    || $0["Fn::Sub"]?.stringValue?.contains("${\(parameter)}") == true
            }
            #expect(!uses.isEmpty, "\(parameter)")
        }
    }

    /// Alarms and dashboards, the API's domain, and an output about it.
    private func isConditional(_ object: JSONObject) -> Bool {
        let type = object["Type"]?.stringValue ?? ""
        return type.hasPrefix("AWS::CloudWatch::")
            || type == "AWS::ApiGatewayV2::DomainName" || type == "AWS::ApiGatewayV2::ApiMapping"
            || type.isEmpty && object["Value"] != nil
    }

    /// IAM policies have a `Condition` too.
    private func isPolicy(_ object: JSONObject) -> Bool { object["Effect"] != nil }
}
