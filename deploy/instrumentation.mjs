// Sends traces to a collector of OpenTelemetry: node --import ./instrumentation.mjs. docs/operating.md shows how.
// The variables of OpenTelemetry say where to and what, such as OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_SAMPLER.
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK();
sdk.start();
// The last spans, when the service has ended. A collector that is away is no fault of the service.
process.once("beforeExit", () =>
  sdk.shutdown().catch((error) => process.stderr.write(`The last spans are lost: ${error}\n`)),
);
