/// An error of a page. Its answer must still set cookies, because the session was refreshed before
/// the error.
package struct PageFailure: Error {
    package let error: APIError
    package let cookies: [Cookie]
    /// Who is signed in, if the page says so.
    package let person: String?

    package init(_ error: any Error, cookies: [Cookie], person: String? = nil) {
        self.error = APIError(error)
        self.cookies = cookies
        self.person = person
    }
}
