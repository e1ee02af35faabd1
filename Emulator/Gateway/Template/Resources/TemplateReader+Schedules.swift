internal import Bytes
internal import JSON

extension TemplateReader {
    /// An EventBridge rule.
    func addRule(
        _ event: String, _ section: TemplateSection, for function: FunctionResource
    ) throws(TemplateFailure) {
        defer { section.finish() }
        section.ignore("Description")
        section.unsupported("RetryPolicy", "asynchronous calls use Lambda's defaults")
        section.unsupported("DeadLetterConfig", "queues are not supported")
        let name = try section.text("Name") ?? "\(function.logicalID)\(event)"
        let expression = try expression("Schedule", in: section)
        if case .at = expression { throw section.wrong("Schedule", "rate(…) or cron(…)") }
        template.schedules.append(
            ScheduleResource(
                name: name, path: section.path, function: function.name,
                service: .rule, expression: expression,
                input: try input(section), isEnabled: try isEnabled(section),
                arn: evaluator.arn("events", "rule/\(name)")))
    }

    /// An EventBridge Scheduler schedule.
    func addScheduler(
        _ event: String, _ section: TemplateSection, for function: FunctionResource
    ) throws(TemplateFailure) {
        defer { section.finish() }
        section.ignore(
            "Description", "RoleArn", "PermissionsBoundary", "KmsKeyArn", "OmitName",
            "PropagateTags")
        section.unsupported("RetryPolicy", "asynchronous calls use Lambda's defaults")
        section.unsupported("DeadLetterConfig", "queues are not supported")
        section.unsupported("StartDate", "the schedule is active from the start")
        section.unsupported("EndDate", "the schedule has no end")
        if let zone = try section.text("ScheduleExpressionTimezone"), !zone.isSame(as: "UTC") {
            section.unsupported("ScheduleExpressionTimezone", "schedules use UTC")
        }
        if let window = try section.section("FlexibleTimeWindow") {
            window.ignore("MaximumWindowInMinutes")
            if let mode = try window.text("Mode"), !mode.isSame(as: "OFF") {
                window.unsupported("Mode", "the schedule fires exactly on time")
            }
            window.finish()
        }
        let name = try section.text("Name") ?? "\(function.logicalID)\(event)"
        let group = try section.text("GroupName") ?? "default"
        template.schedules.append(
            ScheduleResource(
                name: name, path: section.path, function: function.name,
                service: .scheduler,
                expression: try expression("ScheduleExpression", in: section),
                input: try input(section), isEnabled: try isEnabled(section),
                arn: evaluator.arn("scheduler", "schedule/\(group)/\(name)")))
    }

    private func expression(
        _ name: String, in section: TemplateSection
    ) throws(TemplateFailure) -> ScheduleExpression {
        let text = try section.requiredText(name)
        do throws(ScheduleFailure) {
            return try ScheduleExpression(parsing: text)
        } catch {
            throw TemplateFailure(section.path(name), .invalid("\(text): \(error)"))
        }
    }

    private func isEnabled(_ section: TemplateSection) throws(TemplateFailure) -> Bool {
        let isEnabled = try section.flag("Enabled") ?? true
        guard let state = try section.text("State") else { return isEnabled }
        guard state.isSame(as: "ENABLED") || state.isSame(as: "DISABLED") else {
            throw section.wrong("State", "ENABLED or DISABLED")
        }
        return state.isSame(as: "ENABLED")
    }

    private func input(_ section: TemplateSection) throws(TemplateFailure) -> JSON? {
        guard let text = try section.text("Input") else { return nil }
        guard let value = try? JSON.parse(text, limits: .event) else {
            throw section.wrong("Input", "JSON in a string")
        }
        return value
    }
}
