/** Scripts under the audit, over the whole engine in memory: what is refused runs nothing, what is flagged runs, siblings run. */
import { expect, test } from 'vitest'
import { begin, eventOf, hostOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, world } from './support/world.ts'

const audit = {
  use: 'bash-audit',
  id: 'bash-audit',
  digest: 'sha256:7',
  edition: 1,
  tool: 'bash',
  isolated: false,
}
const rm = { tool: 'bash', args: { command: 'if true; then rm -rf /; fi' } }
const sudo = { tool: 'bash', args: { command: 'sudo ls' } }
const everyday = {
  tool: 'bash',
  args: { command: 'for f in *; do [[ -f $f ]] && wc -l "$f"; done' },
}

async function played(policies: readonly object[]) {
  const ran: string[] = []
  const tools = functionTools({
    bash: async ({ command }) => {
      ran.push(JSON.stringify(command))
      return 'out'
    },
  })
  const model = turnModel([[rm, sudo, everyday], 'done'])
  const { engine, register } = world({ model, tools, policies: hostOf({}) })
  await engine.start()
  const guardrails = JSON.parse(JSON.stringify({ policies }))
  const runId = await begin(engine, agent([toolSpec('bash')], { guardrails }))
  expect(await outcomeOf(register, runId)).toBe('completed')
  const events = await register.events(runId, {})
  await engine.stop(1_000)
  return { ran: ran.toSorted(), events, eventOf: (type: string) => eventOf(register, runId, type) }
}

test('§19 audit 2: a refused script starts no process, and its siblings run', async () => {
  const { ran, events, eventOf: of } = await played([{ ...audit, mode: 'enforce' }])
  expect(ran).toEqual(
    [everyday.args.command, sudo.args.command].map((command) => JSON.stringify(command)).toSorted(),
  )
  expect(await of('call.denied')).toMatchObject({
    tool: 'bash',
    verdict: 'denied',
    payload: { code: 'bash.vital_removal', policyId: 'bash-audit', policyDigest: 'sha256:7' },
  })
  expect(await of('call.flagged')).toMatchObject({
    tool: 'bash',
    verdict: 'flagged',
    payload: { rule: 'bash.sudo', policyId: 'bash-audit' },
  })
  expect(events.filter(({ type }) => type === 'call.flagged')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'tool.completed')).toHaveLength(2)
})

test('under `flag` all of them run, and each that would be refused is flagged', async () => {
  const { ran, events } = await played([{ ...audit, mode: 'flag' }])
  expect(ran).toHaveLength(3)
  expect(
    events.flatMap(({ type, payload }) => (type === 'call.flagged' ? payload['rule'] : [])),
  ).toEqual(['bash.vital_removal', 'bash.sudo'])
})

test('§19 audit 4: without an audit all of them run, and nothing is said', async () => {
  const { ran, events } = await played([])
  expect(ran).toHaveLength(3)
  expect(events.map(({ type }) => type)).not.toContain('call.flagged')
  expect(events.map(({ type }) => type)).not.toContain('call.denied')
})
