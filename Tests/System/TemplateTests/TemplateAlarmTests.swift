import BaseTestSupport
import Foundation

/// The alarms and dashboards in the template of `latchkey`.
@Suite("Template alarms") struct TemplateAlarmTests {
    private let template: Template

    init() throws { template = try Template(named: "latchkey") }

    private var alarms: [(name: String, properties: JSON)] {
        template.resources.filter { $0.value["Type"]?.stringValue == "AWS::CloudWatch::Alarm" }
            .map { ($0.name, $0.value["Properties"] ?? .null) }
    }

    /// The names of the metrics that log lines have.
    private static func embeddedNames() throws -> Set<String> {
        var names: Set = ["milliseconds", "storeMicroseconds"]
        for file in try Repository.swiftFiles("Sources/Auth/Composition") {
            let text = try Repository.text(file)
            for match in text.matches(of: /count(?:ed)?\(\s*"([a-zA-Z]+)"/) {
                names.insert(String(match.1))
            }
        }
        names.formUnion(["refusals", "failures"])
        return names
    }

    @Test func `each alarm has a topic, and is in the document`() throws {
        expectEqual(alarms.count, 13)
        let document = try Repository.text("docs/operating.md")
        for (name, properties) in alarms {
            expectEqual(properties["AlarmActions"], [["Ref": "AlarmTopicArn"]], "\(name)")
            expectEqual(properties["OKActions"], [["Ref": "AlarmTopicArn"]], "\(name)")
            expectEqual(properties["AlarmDescription"]?.stringValue?.isEmpty, false, "\(name)")
            #expect(document.contains("`\(name)`"), "\(name)")
        }
    }

    @Test func `resources that CloudWatch bills are created only on demand`() {
        for name in ["MetricsNamespace", "AlarmTopicArn"] {
            expectEqual(template.json["Parameters"]?[name]?["Default"], "")
        }
        for resource in template.resources {
            let type = resource.value["Type"]?.stringValue ?? ""
            guard type.hasPrefix("AWS::CloudWatch::") else { continue }
            // Those with Latchkey's own metrics need the parameter that enables them.
            let isOwn = resource.value.text.contains("MetricsNamespace")
            expectEqual(
                resource.value["Condition"]?.stringValue, isOwn ? "HasMetricAlarms" : "HasAlarms",
                "\(resource.name)")
        }
    }

    @Test func `alarms and dashboards refer to metrics of the log lines`() throws {
        let known = try Self.embeddedNames()
        let document = try Repository.text("docs/operating.md")
        for name in known { #expect(document.contains("`\(name)`"), "\(name)") }
        var named: Set<String> = []
        for object in template.objects
        where object["Namespace"] == ["Ref": "MetricsNamespace"] {
            named.insert(try #require(object["MetricName"]?.stringValue))
        }
        expectEqual(named.count, 8)
        for dashboard in template.resources(ofType: "AWS::CloudWatch::Dashboard") {
            let body = try #require(
                dashboard["Properties"]?["DashboardBody"]?["Fn::Sub"]?.stringValue)
            let widgets = try JSON.parse(Array(body.utf8), limits: .event)["widgets"]
            #expect(widgets?.arrayValue?.count ?? 0 >= 6)
            for match in body.matches(of: /MetricName=\\"([A-Za-z]+)\\"/) {
                named.insert(String(match.1))
            }
            // The other dashboard has metrics of AWS only. A dot repeats the namespace.
            guard body.contains("MetricsNamespace") else { continue }
            for match in body.matches(of: /\["(?:\.|\$\{MetricsNamespace\})","([A-Za-z]+)"/) {
                named.insert(String(match.1))
            }
        }
        expectEqual(named, known)
    }

    @Test func `functions get the namespace`() {
        for function in template.functions {
            expectEqual(function.environment["METRICS_NAMESPACE"], ["Ref": "MetricsNamespace"])
        }
    }
}
