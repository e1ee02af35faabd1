// Runs a JavaScript handler on Lambda's Runtime API, as AWS's own runtime does.
//
// node -e THIS [SOURCE]: the handler is _HANDLER of the code in LAMBDA_TASK_ROOT, or of SOURCE.
"use strict";
const fs = require("node:fs");
const http = require("node:http");
const Module = require("node:module");
const path = require("node:path");
const { Writable } = require("node:stream");
const { isUtf8 } = require("node:buffer");
const url = require("node:url");
const util = require("node:util");

const environment = process.env;
const [host, port] = environment.AWS_LAMBDA_RUNTIME_API.split(":");
const base = "/2018-06-01/runtime";
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let requestId = "";

function call(method, target, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const options = { host, port, method, path: base + target, agent, headers };
    if (body !== undefined) {
      options.headers = { "Content-Type": "application/json", ...headers };
      options.headers["Content-Length"] = Buffer.byteLength(body);
    }
    const request = http.request(options, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(parts).toString(),
        }),
      );
      response.on("error", reject);
    });
    request.setNoDelay(true);
    request.setTimeout(0);
    request.on("error", reject);
    request.end(body);
  });
}

function write(level, args) {
  const text = util.format(...args).replaceAll("\n", "\r");
  const line = [new Date().toISOString(), requestId || "undefined", level, text].join("\t");
  fs.writeSync(1, line + "\n");
}

for (const [name, level] of [
  ["log", "INFO"],
  ["info", "INFO"],
  ["debug", "DEBUG"],
  ["trace", "TRACE"],
  ["warn", "WARN"],
  ["error", "ERROR"],
]) {
  console[name] = (...args) => write(level, args);
}

function described(error, type) {
  if (!(error instanceof Error)) {
    return { errorType: type || typeof error, errorMessage: String(error), trace: [] };
  }
  return {
    errorType: type || error.name,
    errorMessage: error.message,
    trace: (error.stack || "").split("\n"),
  };
}

class Failure extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

// Response streaming (https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html),
// buffered: the written bytes are the reply when the stream has ended.
const streaming = Symbol("streaming");

class ResponseStream extends Writable {
  parts = [];
  type = undefined;
  metadata = undefined;

  _write(part, encoding, done) {
    this.parts.push(part);
    done();
  }

  setContentType(type) {
    this.type = type;
  }

  // A function URL and a route get a status and headers, any other caller the written bytes.
  reply(event) {
    const body = Buffer.concat(this.parts);
    if (!this.metadata && !event?.requestContext) return body;
    const isText = isUtf8(body);
    const type = this.type ?? "application/octet-stream";
    const { statusCode = 200, headers = {}, ...more } = this.metadata ?? {};
    const hasType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
    return JSON.stringify({
      ...more,
      statusCode,
      headers: hasType ? headers : { "Content-Type": type, ...headers },
      body: body.toString(isText ? "utf8" : "base64"),
      isBase64Encoded: !isText,
    });
  }
}

globalThis.awslambda = {
  streamifyResponse(handler) {
    const marked = (...words) => handler(...words);
    marked[streaming] = true;
    return marked;
  },
  HttpResponseStream: {
    from(stream, metadata) {
      stream.metadata = metadata;
      return stream;
    },
  },
};

async function streamed(handler, event, headers) {
  const stream = new ResponseStream();
  const ended = new Promise((resolve, reject) => {
    stream.on("finish", resolve);
    stream.on("error", reject);
  });
  await Promise.all([handler(event, stream, context(headers, () => {})), ended]);
  return stream.reply(event);
}

// Quoted for a shell.
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

function file(stem) {
  const endings = ["", ".js", ".mjs", ".cjs"];
  if (process.features.typescript) endings.push(".ts", ".mts");
  const found = endings.map((ending) => stem + ending).find((name) => {
    return fs.statSync(name, { throwIfNoEntry: false })?.isFile();
  });
  if (found) return found;
  let message = `Cannot find module '${stem}'`;
  if (fs.existsSync(stem + ".ts")) {
    message += ": there is a .ts file, which has to be built first (sam build)";
  }
  throw new Failure("Runtime.ImportModuleError", "Error: " + message);
}

async function load(name, source) {
  const root = environment.LAMBDA_TASK_ROOT;
  const dot = name.indexOf(".", name.lastIndexOf("/") + 1);
  if (dot < 0) throw new Failure("Runtime.MalformedHandlerName", "Bad handler");
  let loaded;
  try {
    if (source === undefined) {
      loaded = await import(url.pathToFileURL(file(path.join(root, name.slice(0, dot)))).href);
    } else if (/^\s*(import|export)\s/m.test(source)) {
      loaded = await import("data:text/javascript," + encodeURIComponent(source));
    } else {
      const inline = new Module(path.join(root, name.slice(0, dot) + ".js"));
      inline.paths = Module._nodeModulePaths(root);
      inline._compile(source, inline.id);
      loaded = inline.exports;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const missing = ["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"].includes(error.code);
    const failure = new Failure(
      missing ? "Runtime.ImportModuleError"
        : error instanceof SyntaxError ? "Runtime.UserCodeSyntaxError" : error.name,
      `${error.name}: ${error.message}`,
    );
    failure.stack = error.stack;
    if (missing && fs.existsSync(path.join(root, "package.json"))) {
      failure.advice = `install what the code needs: npm install --prefix ${quoted(root)}`;
    } else if (missing) {
      const name = /^Cannot find (?:module|package) '([^'./][^']*)'/.exec(error.message)?.[1];
      if (name) failure.advice = `add the package ${name} to a package.json beside the code`;
    }
    throw failure;
  }
  const steps = name.slice(dot + 1).split(".");
  const from = (start) => steps.reduce((value, step) => value?.[step], start);
  const handler = from(loaded) ?? from(loaded.default);
  if (typeof handler !== "function") {
    throw new Failure("Runtime.HandlerNotFound", `${name} is undefined or not exported`);
  }
  return handler;
}

function context(headers, finish) {
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  const client = headers["lambda-runtime-client-context"];
  return {
    awsRequestId: requestId,
    invokedFunctionArn: headers["lambda-runtime-invoked-function-arn"],
    functionName: environment.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: environment.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: environment.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: environment.AWS_LAMBDA_LOG_STREAM_NAME,
    clientContext: client ? JSON.parse(client) : undefined,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: finish,
    succeed: (value) => finish(null, value),
    fail: (error) => finish(error ?? new Error("failed")),
  };
}

// The handler returned a promise or used a callback.
function result(handler, event, headers) {
  return new Promise((resolve, reject) => {
    const finish = (error, value) => (error ? reject(error) : resolve(value));
    const returned = handler(event, context(headers, finish), finish);
    if (typeof returned?.then === "function") {
      returned.then(resolve, reject);
    } else if (handler.length < 3 && returned !== undefined) {
      resolve(returned);
    } else if (handler.length < 2) {
      resolve(null);
    }
  });
}

function post(target, error, type) {
  const body = described(error, type);
  return call("POST", target, JSON.stringify(body), {
    "Lambda-Runtime-Function-Error-Type": body.errorType,
  });
}

async function invoke(handler) {
  const { headers, body } = await call("GET", "/invocation/next");
  requestId = headers["lambda-runtime-aws-request-id"];
  environment._X_AMZN_TRACE_ID = headers["lambda-runtime-trace-id"] ?? "";
  const target = "/invocation/" + requestId;
  let reply;
  try {
    const event = JSON.parse(body);
    if (handler[streaming]) {
      reply = await streamed(handler, event, headers);
    } else {
      const value = await result(handler, event, headers);
      reply = JSON.stringify(value === undefined ? null : value) ?? "null";
    }
  } catch (error) {
    const { errorType, errorMessage, trace } = described(error);
    write("ERROR", ["Invoke Error", JSON.stringify({ errorType, errorMessage, stack: trace })]);
    await post(target + "/error", error);
    return;
  }
  const { status } = await call("POST", target + "/response", reply);
  if (status === 413) {
    const message = "Response payload size exceeded maximum allowed payload size.";
    await post(target + "/error", new Error(message), "Function.ResponseSizeTooLarge");
  }
}

async function dies(type, error) {
  const { errorMessage, trace } = described(error);
  write("ERROR", ["Invoke Error", JSON.stringify({ errorType: type, errorMessage, stack: trace })]);
  agent.destroy();
  try {
    await post(`/invocation/${requestId}/error`, error, type);
  } finally {
    process.exit(128);
  }
}

async function main() {
  let handler;
  try {
    handler = await load(environment._HANDLER, process.argv[1]);
  } catch (error) {
    const stack = (error.stack ?? "").split("\n");
    write("ERROR", [
      "Uncaught Exception",
      JSON.stringify({ errorType: error.name, errorMessage: error.message, stack }),
    ]);
    if (error.advice) fs.writeSync(1, error.advice + "\n");
    await post("/init/error", error);
    process.exit(1);
  }
  process.on("uncaughtException", (error) => dies("Runtime.UnhandledException", error));
  process.on("unhandledRejection", (error) => dies("Runtime.UnhandledPromiseRejection", error));
  for (;;) await invoke(handler);
}

main();
