import AuthComposition

LatchkeyFunction.run(
    "webhooks", "Lists the events that no webhook accepted in time, and sends them again.")
