package import JSON

/// A scheduled invocation of a function.
package struct ScheduleResource: Sendable {
    /// EventBridge rules and EventBridge Scheduler send different events.
    package enum Service: Sendable, Equatable { case rule, scheduler }

    package var name: String
    /// The event in the template.
    package var path: String
    package var function: FunctionName
    package var service: Service
    package var expression: ScheduleExpression
    /// Replaces the whole event.
    package var input: JSON?
    package var isEnabled: Bool
    package var arn: String
}
