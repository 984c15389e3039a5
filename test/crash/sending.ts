/** What the parts of a workload have in common: how they send a run, and wait for it to get somewhere. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, RunRequest } from './client.ts'
import type { Plan } from './plan.ts'
import { countStarts } from './tables.ts'
import { forThisMachine } from '../support/for-this-machine.ts'

export interface Setting {
  /** Begins every thread and key of the schedule. */
  readonly name: string
  readonly client: Client
  readonly databaseUrl: string
  /** Hears of runs that have a webhook. */
  readonly receiverUrl: string
}

/** Sends some of a workload. */
export type Part = (setting: Setting) => Promise<void>

const lookMs = 40
const waitMsMax = forThisMachine(8_000)

interface Where extends Pick<RunRequest, 'strategy' | 'webhook' | 'files'> {
  readonly thread?: string
  readonly agent?: string
}

/** Creates a run, in a thread of its own unless one is named. */
export function create(
  { name, client }: Setting,
  plan: Plan,
  { thread = plan.name, agent = 'plain', ...rest }: Where = {},
): Promise<string> {
  const key = `${name}-${plan.name}`
  return client.create({
    agent,
    threadId: `${name}-${thread}`,
    plan: { ...plan, name: key },
    ...rest,
  })
}

/** Waits until a call of the tool, or of the model, has started. */
export const started = (
  { databaseUrl }: Setting,
  runId: string,
  tool: string | null,
): Promise<void> =>
  // Postgres itself may be the one that is away.
  soon(async () => (await countStarts(databaseUrl, runId, tool).catch(() => 0)) > 0)

/** Waits until it is so: not for ever, for whoever makes it so may be killed first. */
export async function soon(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + waitMsMax
  while (Date.now() < deadline) {
    if (await isSo()) return
    await sleep(lookMs)
  }
}
