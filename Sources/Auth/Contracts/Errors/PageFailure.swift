/// An error of a page. The response must still set cookies, because the session was refreshed
/// before the error.
package struct PageFailure: Error {
    package let error: APIError
    package let cookies: [Cookie]
    /// The name of the signed-in person, if the page shows it.
    package let person: String?

    package init(_ error: any Error, cookies: [Cookie], person: String? = nil) {
        self.error = APIError(error)
        self.cookies = cookies
        self.person = person
    }
}
