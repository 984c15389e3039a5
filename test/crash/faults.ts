/** The faults that are not failpoints: servers that crash, queues that forget, processes that freeze. */
import { setTimeout as sleep } from 'node:timers/promises'
import { seeded } from '../simulation/seeded.ts'
import type { Armed } from './failpoints.ts'
import type { Fault } from './schedule.ts'
import { create, soon, started } from './sending.ts'
import { type Backend, roles, type Stack } from './stack.ts'
import { truncateQueue, wasAnnouncedAgain } from './tables.ts'
import type { Wave } from './workload.ts'

const downMs = 300
/** Three leases. */
const frozenMs = 900
const stormKills = 4

const nothingMissed = (): Promise<readonly string[]> => Promise.resolve([])

/** Nothing goes wrong. Records which points are met. */
export const none = (wave: Wave): Fault => ({
  name: `nothing goes wrong (${wave})`,
  waves: [wave],
  play: () => Promise.resolve(),
  missed: nothingMissed,
})

/** A queue loses what waits in it, and nobody is killed. Records the points that nothing else is sure to reach. */
export const lostQueue = (): Fault => ({
  name: 'a queue loses what waits in it',
  waves: ['work'],
  missed: nothingMissed,
  ...withBacklog({
    begin: () => Promise.resolve(),
    isOver: ({ databaseUrl }) => wasAnnouncedAgain(databaseUrl),
  }),
})

/** In another wave than the first the same fault is another one. */
const nameIn = (wave: Wave, name: string): string => (wave === 'work' ? name : `${name} in ${wave}`)

/** A process that kills itself at a failpoint. */
export const killAt = (armed: Armed, wave: Wave): Fault => {
  const role = roles.find((each) => armed.point.startsWith(`${each}.`))
  if (!role) throw new Error(`${armed.point} belongs to no role`)
  return {
    name: nameIn(wave, armed.point),
    waves: [wave],
    play: (stack) => stack.child(role).arm(armed),
    ...(isOfBacklog(armed.point) &&
      withBacklog({
        begin: (stack) => stack.child(role).arm(armed),
        isOver: async (stack) => !stack.child(role).pending,
      })),
    missed: async (stack) => {
      if (!stack.child(role).pending) return []
      await stack.child(role).disarm()
      return [`${armed.point} was not met ${armed.hit}x`]
    },
  }
}

/** Reached only while calls wait, or once a queue has lost them: a recording meets these by chance. */
export const isOfBacklog = (point: string): boolean =>
  ['dispatcher.depth', 'register.takeWaiting'].some((one) => point.includes(`.${one}.`))

/** More than the queue `endless` executes at once. */
const queueing = Array<string>(6).fill('endless')
const loseMs = 700

const notYet = (): Promise<boolean> => Promise.resolve(false)

/** Calls wait, and their queue loses them, until it is over. */
function withBacklog(until: {
  readonly begin: (stack: Stack) => Promise<void>
  readonly isOver: (stack: Stack) => Promise<boolean>
}): Pick<Fault, 'parts' | 'play'> {
  let isOver = notYet
  return {
    parts: [
      async (setting) => {
        const runId = await create(setting, { name: 'queueing', turns: [queueing] })
        await started(setting, runId, 'endless')
        await soon(() => isOver())
        await setting.client.cancel(runId)
      },
    ],
    play: async (stack, middle) => {
      await until.begin(stack)
      isOver = () => until.isOver(stack)
      await middle()
      await soon(async () => {
        if (await isOver()) return true
        await loseQueue(stack)
        await sleep(loseMs)
        return isOver()
      })
    },
  }
}

const loseQueue = async (stack: Stack): Promise<void> =>
  stack.redis
    ? void (await stack.redis.command('FLUSHALL'))
    : await truncateQueue(stack.databaseUrl)

interface Infrastructure {
  readonly name: string
  readonly backends: readonly Backend[]
  readonly prepare?: (stack: Stack) => Promise<void>
  readonly play: (stack: Stack) => Promise<void>
}

const both: readonly Backend[] = ['postgres', 'redis']

const redisOf = (stack: Stack) => {
  if (!stack.redis) throw new Error('this stack has no Redis')
  return stack.redis
}

const infrastructure: readonly Infrastructure[] = [
  { name: 'Postgres crashes', backends: both, play: (stack) => stack.crashPostgres() },
  {
    name: 'Redis is killed and comes back empty',
    backends: ['redis'],
    play: async (stack) => {
      await redisOf(stack).kill()
      await sleep(downMs)
      await redisOf(stack).start()
    },
  },
  {
    name: 'Redis is flushed',
    backends: ['redis'],
    play: async (stack) => void (await redisOf(stack).command('FLUSHALL')),
  },
  {
    name: 'the queue tables are truncated',
    backends: ['postgres'],
    play: (stack) => truncateQueue(stack.databaseUrl),
  },
  {
    name: 'a worker freezes past its leases',
    backends: both,
    // Another one takes over, so that the frozen one wakes up as a zombie.
    prepare: (stack) => stack.addWorker(),
    play: async (stack) => {
      await freeze(stack, 'worker')
      await stack.endExtra()
    },
  },
  {
    name: 'the orchestrator freezes past its leases',
    backends: both,
    play: (stack) => freeze(stack, 'orchestrator'),
  },
  {
    name: 'every process is killed at once',
    backends: both,
    play: async (stack) => {
      const why = 'killed with all others'
      await Promise.all(roles.map((role) => stack.child(role).kill(why)))
      await stack.up()
    },
  },
]

/** Infrastructure faults that a backend can have, in the middle of a wave. */
export function infrastructureFaults(backend: Backend, wave: Wave): readonly Fault[] {
  return infrastructure
    .filter(({ backends }) => backends.includes(backend))
    .map(({ name, prepare, play }) => ({
      name: nameIn(wave, name),
      waves: [wave],
      blame: name,
      ...(prepare ? { prepare } : {}),
      play: async (stack, middle) => {
        await middle()
        await play(stack)
      },
      missed: nothingMissed,
    }))
}

/** Kills of random processes at random moments. */
export const storm = (seed: number, wave: Wave): Fault => ({
  name: nameIn(wave, `storm ${seed}`),
  waves: [wave],
  async play(stack, middle) {
    const unit = seeded(seed)
    await middle()
    for (let n = 0; n < stormKills; n++) {
      const role = roles[Math.floor(unit() * roles.length)] ?? 'worker'
      await sleep(unit() * 400)
      await stack.child(role).kill(`killed by storm ${seed}`)
    }
    await stack.up()
  },
  missed: nothingMissed,
})

async function freeze(stack: Stack, role: 'orchestrator' | 'worker'): Promise<void> {
  stack.child(role).signal('SIGSTOP')
  await sleep(frozenMs)
  stack.child(role).signal('SIGCONT')
}
