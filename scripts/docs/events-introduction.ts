/** What stands before the generated part of `docs/events.md`. */
export const eventsIntroduction = `<!-- Made by scripts/docs/main.ts. Do not edit: change the schemas, their comments, or that script. -->

# Events reference

After reading this page you can read every row of the event log, and write queries and consumers for it.

An event is one row of the register. Its type is \`noun.verbed\`. Rows are never changed. Columns that every event has,
under the names that the API gives them:

| column | meaning |
|---|---|
| \`run_id\`, \`seq\` | Which run, and the number of the event in it: 1, 2, 3 …, without a gap. |
| \`thread_id\` | The conversation. |
| \`type\`, \`version\` | What happened, and in which form it is written. Older versions are lifted when they are read, the rows stay. |
| \`at\` | When, by the clock of the database as the process that wrote it knows it. Use \`seq\` and \`position\` for order, never this. |
| \`actor\` | Who: \`user:<id>\` where the server knows users, \`api\` or \`key:default\` for another client, else the name of a process. |
| \`tool\`, \`verdict\` | The tool it is about and one word of outcome, to filter by. Null where there is none. |
| \`payload\` | The facts, as below. |
| \`payload_hash\`, \`digest\`, \`hash\` | The hash chain. See [audit](audit.md#the-chain). |
| \`position\` | Place in the feed of all runs. Only in the audit; opaque, ordered as text. |

Texts up to 32 KiB stand in the payload. A longer text is a \`blob\` part: a key, a size, and a preview of head and tail.

Three things are not events, on purpose. Text while it streams is not: it goes to the streams of clients, and the whole
message is in \`model.completed\`. Checks that pass are not: \`run.transitioned\` lists the states that were passed. And
model errors have no type of their own: they are \`model.completed\` with the verdict \`error\`
([decision 0005](decisions/0005-model-errors-are-verdicts.md)).`
