// An application's own routes under the contract news_app: the app's routes require access tokens,
// the pages the administrator's session.
import AuthComposition
import AuthDomain
import AuthOperations
import Contracts
import JSON

private func contentID(_ call: Call) throws(RequestError) -> Int64 {
    let text = call.parameter("content_id")
    guard let id = Int64(text), id > 0, String(id) == text else {
        throw .invalidField("path.content_id", .notInteger)
    }
    return id
}

private func answer(_ id: Int64, _ member: String, _ value: Bool) -> Answer {
    Answer(["content_id": .number(JSONNumber(id)), member: .bool(value)])
}

LatchkeyFunction.run(
    "news", "Keeps what users of news_app like and have read.",
    content: [
        .signedIn(
            AuthOperation("toggleFavorite"), .post("/api/content/{content_id}/favorite")
        ) { call, principal, auth in
            let id = try contentID(call)
            let marks = ContentMarks(auth, of: principal.user.id)
            return answer(id, "is_favorited", try marks.toggle(.favorite, id))
        },
        .signedIn(
            AuthOperation("markAsRead"), .post("/api/content/{content_id}/read")
        ) { call, principal, auth in
            let id = try contentID(call)
            try ContentMarks(auth, of: principal.user.id).set(.read, id)
            return answer(id, "is_read", true)
        },
        .signedIn(
            AuthOperation("toggleUnlike"), .post("/api/content/{content_id}/unlike")
        ) { call, principal, auth in
            let id = try contentID(call)
            let marks = ContentMarks(auth, of: principal.user.id)
            return answer(id, "is_unliked", try marks.toggle(.unlike, id))
        },
        .signedIn(
            AuthOperation("content"), .get("/api/content/{content_id}")
        ) { call, principal, auth in
            let id = try contentID(call)
            let marks = ContentMarks(auth, of: principal.user.id)
            return Answer([
                "content_id": .number(JSONNumber(id)),
                "is_favorited": .bool(try marks.has(.favorite, id)),
                "is_read": .bool(try marks.has(.read, id)),
            ])
        },
        .adminOnly(AuthOperation("contentPage"), .get("/")) { _, _ in
            .html(200, page("Content", "<p><a href=\"/admin/\">Administration</a></p>"))
        },
    ])

private func page(_ title: String, _ body: String) -> String {
    "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>\(title)</title>"
        + "<h1>\(title)</h1>\(body)</html>"
}
