// An application's own function behind Latchkey's tokens. It verifies each request itself: a missing,
// expired or revoked token is answered with 401, exactly as the sign-in functions answer it, and an
// app that gets 401 refreshes its tokens and tries again.
//
// To deploy it, copy this folder to Functions/Notes, add ("notes", "Notes") to the functions of
// Package.swift, and add function.json to the Resources of a template.
import AuthComposition
import AuthDomain
import AuthOperations
import Contracts
import JSON

LatchkeyFunction.run(
    "notes", "Keeps the notes of a signed-in user.",
    content: [
        .signedIn(AuthOperation("listNotes"), .get("/notes")) { _, principal, auth in
            Answer(["notes": .array(try NoteStore(auth).notes(of: principal.user.id))])
        },
        .signedIn(AuthOperation("writeNote"), .post("/notes")) { call, principal, auth in
            let text = try call.body.required("text")
            return Answer(201, try NoteStore(auth).write(text, of: principal.user.id))
        },
    ])
