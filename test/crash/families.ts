/** Runs that start runs: some to the end, some into the end of a budget that they share, some into a cancel. */
import type { Plan } from './plan.ts'
import { create, type Part, soon, started } from './sending.ts'

const run = (agent: string, name: string, turns: Plan['turns'] = []) => ({
  agent,
  plan: { name, turns },
})

/** Two runs at once, one of which starts a third; a human must approve the other one, and changes what it is to do. */
const growing: Part = async (setting) => {
  const below = [run('helper', 'middle', [[run('leaf', 'below')]]), run('leaf', 'asked')]
  await create(setting, { name: 'growing', turns: [below, ['put']] }, { agent: 'chief' })
}

/** The tree has a call less than its runs want: a worker is refused one. */
const counting: Part = async (setting) => {
  const turns = [['a', 'b'].map((name) => run('leaf', name, [['put']]))]
  await create(setting, { name: 'counting', turns }, { agent: 'frugal' })
}

/** The tree has a turn less than its runs want: an orchestrator is refused one. */
const talking: Part = async (setting) => {
  const turns = [['a', 'b'].map((name) => run('leaf', name))]
  await create(setting, { name: 'talking', turns }, { agent: 'terse' })
}

/** A run is cancelled while one that it has started waits for another one. */
const leaving: Part = async (setting) => {
  const { client } = setting
  const turns = [[run('helper', 'middle', [[run('leaf', 'below', [['endless']])]])]]
  const top = await create(setting, { name: 'leaving', turns }, { agent: 'helper' })
  let below: string | undefined
  await soon(async () => {
    const [middle] = await client.children(top)
    below = middle && (await client.children(middle))[0]
    return below !== undefined
  })
  if (below !== undefined) await started(setting, below, 'endless')
  await client.cancel(top)
}

export const families: readonly Part[] = [growing, counting, talking, leaving]
