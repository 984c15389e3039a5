/**
 * `node test/replay/record.ts <seed>…`: writes the logs of simulated runs to `logs/`, for `replay.test.ts` to fold for ever
 * after. Logs are added, never edited: a change of the machine that cannot reproduce them needs a new machine version.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simulate } from '../simulation/simulate.ts'

for (const seed of process.argv.slice(2)) {
  const { register } = await simulate(Number(seed))
  const { runs, events, definitions } = register.tables
  let n = 0
  for (const run of runs.values()) {
    const log = (events.get(run.runId) ?? []).map(({ seq, type, version, at, actor, payload }) => ({
      seq,
      type,
      version,
      at,
      actor,
      payload,
    }))
    const stored = {
      run: run.runId,
      outcome: run.outcome,
      state: run.state,
      definition: definitions.get(run.definitionHash),
      events: log,
    }
    const name = `v${run.machineVersion}-${run.outcome}-${seed}-${n++}.json`
    await writeFile(join(import.meta.dirname, 'logs', name), `${JSON.stringify(stored)}\n`)
  }
}
