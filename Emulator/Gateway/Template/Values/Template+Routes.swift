internal import Bytes

/// A route of one of the template's APIs.
package struct ListedRoute: Sendable {
    package let api: API
    package let route: APIRoute
    /// The route of an earlier API for the same requests. The gateway has a single table of routes,
    /// so only the earlier route is reached by its path.
    package let hidden: APIRoute?
}

extension Template {
    /// The routes of all APIs, in the template's order.
    package var routes: [ListedRoute] {
        var listed: [ListedRoute] = []
        for api in apis {
            let others = listed
            listed += api.routes.map { route in
                let other = others.first { $0.hidden == nil && route.hasSameRequests(as: $0.route) }
                return ListedRoute(api: api, route: route, hidden: other?.route)
            }
        }
        return listed
    }
}

extension APIRoute {
    fileprivate func hasSameRequests(as other: APIRoute) -> Bool {
        let isSamePath =
            switch (pattern, other.pattern) {
            case (let own?, let other?): own.matchesSamePaths(as: other)
            case (nil, nil): true
            case (nil, _), (_, nil): false
            }
        guard isSamePath else { return false }
        guard let method, let otherMethod = other.method else {
            return method == nil && other.method == nil
        }
        return method.isSame(as: otherMethod)
    }
}
