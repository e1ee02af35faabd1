/// How many sign-ins succeeded, and how many requests were refused.
package struct ActivityCounts: Equatable, Sendable {
    package var signIns: Int64
    package var refusals: Int64

    package init(signIns: Int64 = 0, refusals: Int64 = 0) {
        self.signIns = signIns
        self.refusals = refusals
    }

    package static func + (left: Self, right: Self) -> Self {
        Self(signIns: left.signIns + right.signIns, refusals: left.refusals + right.refusals)
    }
}
