/** A client of a crowd: it repeats each request until it is answered, also in its next life, and goes on. */
import { simulatedAgent } from './agents.ts'
import { address, type Wish } from './crowd.ts'
import { caller, type Office, planSeed, requester } from './people.ts'
import type { Incarnation } from './process.ts'

/** Creates the runs it wants, one after the other; a refusal is an answer, too. */
export async function crowdClient(
  { seed, wishes }: { readonly seed: number; readonly wishes: readonly Wish[] },
  life: Incarnation,
  office: Office,
): Promise<void> {
  const { schedule } = life.process
  for (const wish of wishes) {
    const runId = await ask(wish, seed, office)
    await life.clock.sleep(wish.pauseMs)
    if (!wish.cancelled || runId === null) continue
    const action = schedule.chance(0.5) ? 'rollback' : 'interrupt'
    await office.engine.commands.cancel({ ...caller, runId, action }).catch(() => null)
  }
}

/** The run it got; null if none, or if an earlier life was told already. */
async function ask(
  wish: Wish,
  seed: number,
  { world, register, engine }: Office,
): Promise<string | null> {
  const { key, threadId, multitask, delayMs, priority, lanes, plan } = wish
  while (!world.answers.has(key)) {
    const asked = register.tables.written
    const answer = await engine.commands
      .createRun({
        ...caller,
        threadId,
        multitask,
        delayMs,
        priority,
        lanes,
        definition: simulatedAgent((seed + plan) % 2 === 0 ? 'tell' : 'ask', planSeed(seed, plan)),
        input: [{ id: `u-${key}`, role: 'user', parts: [{ type: 'text', text: `go ${key}` }] }],
        metadata: {},
        user: requester,
        alias: { key, bodyHash: `body-${key}` },
        ...(wish.webhook ? { webhook: address } : {}),
      })
      .catch(() => null)
    if (!answer) continue
    const answered = register.tables.written
    world.answers.set(key, { code: answer.code, threadId, asked, answered })
    return 'runId' in answer ? answer.runId : null
  }
  return null
}
