/**
 * What the clients of a schedule do. Three waves: runs on their own, runs that start runs, and one that stalls its worker on
 * purpose, and would disturb the others. Together they lead every role through every port method it can reach.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { families } from './families.ts'
import { giving } from './giving.ts'
import { naming } from './naming.ts'
import { unsummed } from './plan.ts'
import { create, type Part, type Setting, started } from './sending.ts'
import { stallMs } from './tools.ts'

export type Wave = 'work' | 'family' | 'stall'

export const waves: readonly Wave[] = ['work', 'family', 'stall']

const longChars = 40_000
/** What a worker gets to report what it did while it was stalled. */
const lateMs = 300
/** The time that a command gets to begin. */
const commandMs = 200

/** Sends everything there is to send. The runs go on when this is over. */
export async function send(setting: Setting, wave: Wave): Promise<void> {
  await Promise.all(parts[wave].map((part) => part(setting)))
}

/** Parallel calls of all modes, one that fails, a big result; followed as it runs. */
async function working(setting: Setting): Promise<void> {
  const turns = [['look', 'put', 'pay', 'boom'], ['put', 'dump'], ['pay']]
  const runId = await create(setting, { name: 'working', turns })
  await setting.client.follow(runId)
}

/** A model that refuses at first; long texts in and out; another run that waits for the thread and reads them. */
async function longTexts(setting: Setting): Promise<void> {
  const padding = 'p'.repeat(longChars)
  await create(setting, { name: 'long', failures: 2, padding, chars: longChars })
  await create(setting, { name: 'long-next', turns: [['look']] }, { thread: 'long' })
}

async function approving(setting: Setting): Promise<void> {
  await create(setting, { name: 'approving', turns: [['put', 'look']] }, { agent: 'guarded' })
}

/** Calls that a human edits and one that he approves and a policy denies then, one it denies at once; a slip of the tongue. */
async function governed(setting: Setting): Promise<void> {
  const plan = { name: 'governed', turns: [['put', 'boom', 'dump', 'look']], slips: true }
  await create(setting, plan, { agent: 'governed' })
}

/** A model that never answers, and another one in its place. */
async function falling(setting: Setting): Promise<void> {
  await create(setting, { name: 'falling' }, { agent: 'falling' })
}

/** A cancel while one call runs and others wait for room; another run waits for the thread. */
async function cancelling(setting: Setting): Promise<void> {
  const turns = [['endless', 'endless', 'endless', 'look']]
  const runId = await create(setting, { name: 'cancelling', turns })
  await create(setting, { name: 'cancelling-next' }, { thread: 'cancelling' })
  await started(setting, runId, 'endless')
  await setting.client.cancel(runId)
}

/** A cancel while the model speaks. */
async function interrupting(setting: Setting): Promise<void> {
  const runId = await create(setting, { name: 'interrupting', delayMs: 400 })
  await started(setting, runId, null)
  await setting.client.cancel(runId)
}

/** Runs that make way for others, one while its tool runs; all share a lane, and somebody hears of each end. */
async function crowding(setting: Setting): Promise<void> {
  const webhook = setting.receiverUrl
  const narrow = { agent: 'narrow', webhook }
  const first = await create(setting, { name: 'crowding', turns: [['endless']] }, narrow)
  await started(setting, first, 'endless')
  await create(setting, { name: 'crowding-aside' }, narrow)
  const behind = { ...narrow, thread: 'crowding' }
  await create(setting, { name: 'crowding-next' }, { ...behind, strategy: 'rollback' })
  await create(setting, { name: 'crowding-last' }, { ...behind, strategy: 'interrupt' })
}

/** Conversations that fill their window: one is summed up, of another nobody can make a summary, of a third old results are cleared. */
async function filling(setting: Setting): Promise<void> {
  const turns = [['dump'], ['dump', 'look'], ['dump'], ['put']]
  await create(setting, { name: 'compacting', turns }, { agent: 'roomy' })
  // It goes on from what was summed up.
  const behind = { agent: 'roomy', thread: 'compacting' }
  await create(setting, { name: 'compacting-next', turns: [['dump']] }, behind)
  await create(setting, { name: unsummed, turns }, { agent: 'roomy' })
  await create(setting, { name: 'pruning', turns }, { agent: 'pruned' })
}

/** Commands over the files of their thread, each on top of what the one before it left; and one that is cancelled while it runs. */
async function commanding(setting: Setting): Promise<void> {
  const turns = [['bash', 'look'], ['bash'], ['bash']]
  const agent = { agent: 'commander' }
  await create(setting, { name: 'commanding', turns }, agent)
  const endless = { name: 'commanding-endless', turns: [['bash-endless']] }
  const runId = await create(setting, endless, agent)
  await started(setting, runId, 'bash')
  await sleep(commandMs)
  await setting.client.cancel(runId)
}

/** Questions beside calls, a plan with an item that stays open, and a run that is cancelled while it asks. */
async function asking(setting: Setting): Promise<void> {
  const turns = [
    ['ask', 'put'],
    ['plan', 'look'],
    ['ask', 'ask'],
  ]
  const agent = { agent: 'curious' }
  await create(setting, { name: 'asking', turns }, agent)
  const runId = await create(setting, { name: 'asking-no-more', turns: [['ask']] }, agent)
  await setting.client.cancel(runId)
}

/** A run that times out while a tool runs. */
async function hurrying(setting: Setting): Promise<void> {
  await create(setting, { name: 'hurrying', turns: [['endless']] }, { agent: 'hasty' })
}

/** A call that outlives its lease: its outcome is unknown, and its result comes late, maybe after the end of the run. */
async function stalling(setting: Setting): Promise<void> {
  const runId = await create(setting, { name: 'stalling', turns: [['stall']] })
  await started(setting, runId, 'stall')
  await sleep(stallMs + lateMs)
}

const parts: Readonly<Record<Wave, readonly Part[]>> = {
  work: [
    working,
    longTexts,
    approving,
    governed,
    falling,
    cancelling,
    interrupting,
    hurrying,
    crowding,
    filling,
    giving,
    naming,
    commanding,
    asking,
  ],
  family: families,
  stall: [stalling],
}
