import AuthComposition

LatchkeyFunction.run("admin", "The administrator's pages: users, their timelines, and actions.")
