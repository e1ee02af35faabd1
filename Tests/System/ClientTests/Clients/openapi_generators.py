"""Clients that generators make of every contract's OpenAPI document: Python's and TypeScript's
compile, and call the emulator; Kotlin's, for which Debian has no compiler, are read."""

import compileall
import json
import os
import pathlib
import re
import subprocess
import sys

from judge import APP, case, run

ROOT = pathlib.Path(__file__).resolve().parents[4]
DOCUMENTS = {
    file.name.split(".")[0]: file
    for file in sorted((ROOT / "Functions/Templates").glob("*.openapi.json"))}
JAVA_GENERATORS = {
    "typescript-fetch": {"modelPropertyNaming": "original"}, "kotlin": {},
}
folder = pathlib.Path(os.environ["TMPDIR"])


def command(*arguments, **settings):
    ran = subprocess.run(arguments, capture_output=True, text=True, **settings)
    assert ran.returncode == 0, f"{arguments}\n{ran.stdout[-4000:]}\n{ran.stderr[-4000:]}"
    return ran.stdout


def python_of(contract):
    return folder / "python" / f"{contract}_client"


@case
def the_python_of_every_contract_compiles():
    assert len(DOCUMENTS) >= 6, DOCUMENTS
    # Without its programs that format and repair.
    config = folder / "python.json"
    config.write_text(json.dumps({
        "post_hooks": [],
        "content_type_overrides": {"application/revocations+jwt": "text/plain"}}))
    (folder / "python").mkdir()
    for contract, document in DOCUMENTS.items():
        command("openapi-python-client", "generate", "--path", document, "--meta", "none",
                "--output-path", python_of(contract), "--config", config, "--fail-on-warning")
        assert compileall.compile_dir(python_of(contract), quiet=1), contract


@case
def the_python_calls():
    sys.path.insert(0, str(folder / "python"))
    from latchkey_client import AuthenticatedClient, Client
    from latchkey_client.api.account import me
    from latchkey_client.api.sign_in import create_guest
    from latchkey_client.models import GuestRequest
    from latchkey_client.models.session import Session

    session = create_guest.sync(client=Client(APP), body=GuestRequest())
    assert isinstance(session, Session), session
    assert session.user.is_guest is True, session
    profile = me.sync(client=AuthenticatedClient(APP, session.access_token))
    assert profile.id == session.user.id and profile.is_guest is True, profile


@case
def java_generates_typescript_and_kotlin_of_every_contract():
    configurations = []
    for generator, options in JAVA_GENERATORS.items():
        for contract, document in DOCUMENTS.items():
            path = folder / f"{generator}-{contract}.json"
            path.write_text(json.dumps({
                "generatorName": generator, "inputSpec": str(document),
                "outputDir": str(folder / generator / contract), "additionalProperties": options}))
            configurations.append(path)
    # One Java for all, which takes a third of the time.
    command("openapi-generator-cli", "batch", "--fail-fast", *configurations,
            env=os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"})


@case
def the_typescript_of_every_contract_compiles_and_calls():
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": {
        # Without the last, Debian's TypeScript 4.8 knows no `in` for members (since 4.9).
        "strict": True, "suppressImplicitAnyIndexErrors": True, "target": "es2022",
        "module": "commonjs", "moduleResolution": "node", "types": [], "outDir": "javascript",
        "lib": ["es2022", "dom", "dom.iterable"]}, "include": ["typescript-fetch/**/*.ts"]}))
    command("tsc", "--project", folder)
    (folder / "call.js").write_text("""
        const {AccountApi, Configuration, SignInApi} = require("./javascript/latchkey");
        const [, , basePath] = process.argv;
        (async () => {
            const session = await new SignInApi(new Configuration({basePath}))
                .createGuest({guestRequest: {}});
            const {id, isGuest} = await new AccountApi(new Configuration({
                basePath, accessToken: session.accessToken})).me();
            console.log(id === session.user.id, isGuest);
        })();""")
    assert command("node", folder / "call.js", APP).split() == ["true", "true"]


def members(document):
    """The names of members that may be anything: of no type, or objects without members."""
    free = set()

    def walk(schema):
        if isinstance(schema, dict):
            for name, member in schema.get("properties", {}).items():
                kinds = set(member) & {"type", "$ref", "allOf", "oneOf", "anyOf", "enum", "const"}
                if not kinds or member.get("type") == "object" and "properties" not in member:
                    free.add(name)
            for value in schema.values():
                walk(value)
        elif isinstance(schema, list):
            for value in schema:
                walk(value)

    walk(document)
    return free


@case
def the_kotlin_of_every_contract_has_no_fault_that_is_known():
    for contract, path in DOCUMENTS.items():
        free = members(json.loads(path.read_text()))
        models = list((folder / "kotlin" / contract).rglob("client/models/*.kt"))
        assert models, contract
        for model in models:
            text = model.read_text()
            values = re.findall(r"^    va[lr] `?(\w+)`?: ([\w.]+)", text, re.MULTILINE)
            names = [name for name, _ in values]
            assert len(names) == len(set(names)), (contract, model.name, names)
            for name, kind in values:
                assert kind != "kotlin.Any" or name in free, (contract, model.name, name)
            # Moshi reads an enum from a JSON string only.
            for kind in re.findall(r"enum class \w+\(val value: ([\w.]+)\)", text):
                assert kind == "kotlin.String", (contract, model.name, kind)


run()
