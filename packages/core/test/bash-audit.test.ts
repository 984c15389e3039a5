/**
 * Flags of the audit of scripts: `call.flagged`, and the line that the model reads behind the result. Would catch: a flag that costs a field
 * of the result, one that an ordinary warning passes for, one that an edited script loses.
 */
import { describe, expect, test } from 'vitest'
import { type PolicyAnswer, type PolicyRequest, project } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import { admitted, asks, completes, created, fails } from './support/facts.ts'
import { edits } from './support/permissions.ts'
import { given, givenAudited } from './support/story.ts'

const audit = {
  use: 'bash-audit',
  id: 'bash-audit',
  digest: 'sha256:3',
  edition: 1,
  mode: 'enforce',
  tool: 'search',
  isolated: false,
} as const
const agent = agentWith({ guardrails: { policies: [audit] } })

const reason = (code: string) => ({ code, message: `The message of ${code}.` })

/** Scripts are words here: which verdict the rules give to which script, the audit itself is tested for. */
const says = ({ args }: PolicyRequest): PolicyAnswer => {
  const about = { policyId: audit.id, policyDigest: audit.digest }
  if (args['arg'] === 'bad')
    return { effect: 'deny', reasons: [reason('bash.vital_removal')], ...about }
  if (args['arg'] === 'odd')
    return { effect: 'warn', reasons: [reason('bash.sudo'), reason('bash.path')], ...about }
  return { effect: 'allow', reasons: [], ...about }
}
const story = () => givenAudited(says, agent, created, admitted)

describe('a script that is flagged', () => {
  test('runs, and each rule is an event with the policy and its digest', () => {
    const flagged = story()
      .when(asks('search:odd'))
      .gives({
        state: 'tools',
        effects: ['2 tool.call search'],
        verdicts: ['call.flagged flagged search', 'call.flagged flagged search'],
      })
    expect(flagged.verdicts[0]?.payload).toEqual({
      callId: 'c_0123456789ab_1_0',
      tool: 'search',
      rule: 'bash.sudo',
      message: 'The message of bash.sudo.',
      policyId: 'bash-audit',
      policyDigest: 'sha256:3',
    })
  })

  test('is told to the model in one line for each rule, behind a result of which nothing is lost', () => {
    const done = story().and(asks('search:odd', 'search:fine')).and(completes(0), completes(1))
    const results = project('', done.log).flatMap((message) =>
      message.role === 'tool' ? message.results : [],
    )
    expect(results).toMatchObject([
      {
        output: {
          isError: false,
          content: [
            { type: 'text', text: 'result 0' },
            {
              type: 'text',
              text: '[Audit, bash.sudo: The message of bash.sudo.]\n[Audit, bash.path: The message of bash.path.]',
            },
          ],
        },
      },
      { output: { isError: false, content: [{ type: 'text', text: 'result 1' }] } },
    ])
  })

  test('keeps its line behind a failure, and the prompt is the same however often it is made', () => {
    const failed = story().and(asks('search:odd')).and(fails(0))
    expect(failed.prompt().at(-1)).toContain('broken')
    expect(failed.prompt().at(-1)).toContain('[Audit, bash.sudo:')
    expect(failed.prompt()).toEqual(failed.prompt())
  })

  test('that a person is asked about is flagged before, and once more for what the person makes of it', () => {
    const asking = agentWith({
      guardrails: { policies: [{ ...audit, tool: 'pay' }], approvalTools: ['pay'] },
    })
    const asked = givenAudited(says, asking, created, admitted).and(asks('pay:odd'))
    expect(asked.decision.verdicts.map(({ type }) => type)).toEqual([
      'call.flagged',
      'call.flagged',
      'approval.requested',
    ])
    expect(asked.and(edits(0, 'pay', 'odd')).decision.verdicts.map(({ type }) => type)).toEqual([
      'call.flagged',
      'call.flagged',
    ])
    expect(asked.and(edits(0, 'pay', 'bad')).decision.verdicts).toMatchObject([
      { type: 'call.denied', payload: { code: 'bash.vital_removal' } },
    ])
  })
})

describe('a script that is refused (§19 audit 2)', () => {
  test('has no effect, and its siblings run', () => {
    story()
      .when(asks('search:bad', 'search:fine'))
      .gives({
        state: 'tools',
        effects: ['2 tool.call search'],
        verdicts: ['call.denied denied search'],
      })
  })

  test('is told to the model with the code of the rule', () => {
    expect(story().and(asks('search:bad')).prompt().at(-1)).toBe(
      'error c_0123456789ab_1_0 search: Error: this call was not executed (bash.vital_removal). The message of bash.vital_removal.',
    )
  })
})

test('a script that passes costs no event (C2)', () => {
  story()
    .when(asks('search:fine'))
    .gives({ state: 'tools', effects: ['2 tool.call search'], verdicts: [] })
})

test('an audit that nobody can make denies', () => {
  given(agent, created, admitted)
    .when(asks('search:fine'))
    .gives({
      state: 'model',
      effects: ['2 model.call'],
      verdicts: ['policy.faulted faulted search', 'call.denied denied search'],
    })
})
