import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[]; exitCode: number };

type Schedule = components["schemas"]["Schedule"];

const schedule: Schedule = { delay: "30m", payload: { id: 42 }, onConflict: "fail", retry: { maxAttempts: 3 } };
// @ts-expect-error a field that is not known
const unknown: Schedule = { delay: "30m", dealy: "30m" };
// @ts-expect-error a value that is not known
const wrong: Schedule = { delay: "30m", onConflict: "sometimes" };

async function main(): Promise<void> {
  const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
  const path = { queue: "demo", key: "order-42" };
  const made = await client.PUT("/v1/queues/{queue}/timers/{key}", { params: { path }, body: schedule });
  if (made.data?.outcome !== "CREATED") throw new Error(JSON.stringify(made.error));
  const again = await client.PUT("/v1/queues/{queue}/timers/{key}", { params: { path }, body: schedule });
  if (again.error?.code !== "conflict") throw new Error("no conflict");
  const found = await client.GET("/v1/queues/{queue}/timers/{key}", { params: { path, query: { content: true } } });
  console.log(found.data?.state, found.data?.dueAt === made.data.dueAt, unknown.delay, wrong.delay);
}

main().catch((failure: unknown) => {
  console.error(failure);
  process.exitCode = 1;
});
