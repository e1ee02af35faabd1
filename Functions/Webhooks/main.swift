import AuthComposition

LatchkeyFunction.run(
    "webhooks", "Lists the events that no webhook took in time, and sends them again.")
