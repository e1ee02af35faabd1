/// An error of a page whose answer must still set cookies: the session was refreshed before.
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
