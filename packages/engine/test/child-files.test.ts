/**
 * Files between a run and those it has started: `read` gives them, `merge` takes the changes back. Would catch: a child that finds other files than
 * those at its call, contents that are copied, an edit that is lost or made twice, and a model that is not told what its runs have met.
 */
import type { AgentDefinition, JsonObject } from '@signalbox/core'
import type { Model } from '@signalbox/engine'
import { afterEach, describe, expect, test } from 'vitest'
import { edit, editing, editingTools, Gates, remove, show, wait, write } from './support/editing.ts'
import {
  ask,
  type Family,
  family as open,
  type FamilyParts,
  named,
  resultsIn,
  runsOf,
} from './support/family.ts'
import { caller, outcomeOf } from './support/governed.ts'
import { turnModel, until } from './support/world.ts'

let tree: Family
let gates: Gates
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => {
  gates = new Gates()
  return (tree = open({ tools: editingTools(gates), ...parts }))
}

type Files = 'none' | 'read' | 'merge'
/** An agent that has the tools, and starts runs of others. */
const parent = (files: Files, others: readonly string[] = ['helper'], more: JsonObject = {}) =>
  named('writer', [...editing, ...others.map(runsOf)], {
    subagents: { perTurn: 8, perRun: 16, files },
    ...more,
  })
const helper = (name = 'helper', more: JsonObject = {}): AgentDefinition =>
  named(name, editing, more)

/** Shows its files once it is asked, whatever was said before. */
const looks: Model = {
  call: (request, sink, signal) => {
    const said = request.prompt.filter(({ role }) => role === 'assistant').length
    const isAsked = request.prompt.at(-1)?.role === 'user'
    const turns = [...Array.from({ length: said }, () => 'done'), isAsked ? [show] : 'done']
    return turnModel(turns).call(request, sink, signal)
  },
}

const doc = 'alpha\nbeta\ngamma\n'
/** What the nth call of `show` of a run has found. */
async function found(runId: string, n = 0): Promise<string> {
  const event = await until(async () => {
    const results = (await tree.register.events(runId, {})).filter(
      ({ type, tool }) => type === 'tool.completed' && tool === 'show',
    )
    return results[n]
  })
  return String(JSON.parse(JSON.stringify(event.payload))['output']['content'][0]['text'])
}
const resultsOf = (): readonly string[] =>
  resultsIn(tree.asked.findLast(({ name }) => name === 'writer')?.prompt)
const ended = async (runId: string) =>
  (await tree.events(runId, 'child.ended')).map(({ payload }) => payload)

describe('read', () => {
  test('a run begins with the files at its call, and keeps what it changes to itself', async () => {
    const { start, begin, outcome, child, register } = family({
      plays: {
        writer: turnModel([
          [write('doc', doc)],
          [ask('go'), write('late', 'later')],
          [show],
          'Both are done.',
        ]),
        helper: turnModel([
          [wait('begun')],
          [show],
          [write('own', 'mine'), edit('doc', 'beta', 'BETA')],
          [show],
          'Seen.',
        ]),
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('read'), { threadId: 'top' })
    // The call beside it is done before it looks: it was asked for in the same turn, so the run does not find it.
    await tree.event(runId, 'tool.completed', 1)
    gates.open('begun')
    expect(await outcome(runId)).toBe('completed')
    const childId = await child(runId)
    expect(await found(childId)).toBe(`doc=${doc}`)
    expect(await found(childId, 1)).toBe(`doc=${doc.replace('beta', 'BETA')}; own=mine`)
    expect(await found(runId)).toBe(`doc=${doc}; late=later`)
    const [created] = await register.events(childId, { limit: 1 })
    const asked = await tree.event(runId, 'model.completed', 1)
    expect(created?.payload['filesFrom']).toEqual({
      threadId: 'top',
      at: { runId, seq: asked.seq },
    })
    const [told] = await ended(runId)
    expect(told).toMatchObject({ agent: 'helper', outcome: 'completed' })
    expect(told).not.toHaveProperty('files')
    expect(resultsOf()).toContain(
      'Seen.Files that it changed. They stay with it, and nothing is changed here:\n- doc (edited)\n- own (written)',
    )
  })

  test('no content is copied: what is erased of the parent is erased for it', async () => {
    const { start, begin, outcome, child, register } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], 'done']),
        helper: turnModel([[wait('erased')], [show], 'Seen.']),
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('read'), { threadId: 'top' })
    const childId = await child(runId)
    const head = await register.head(childId)
    const ofChild = () =>
      [...register.tables.blobs.keys()].filter((key) => key.includes(head?.threadId ?? '?'))
    expect(ofChild()).toEqual([])
    for (const key of register.tables.blobs.keys()) register.tables.blobs.delete(key)
    gates.open('erased')
    expect(await outcome(runId)).toBe('completed')
    expect(await found(childId)).toBe('doc=(gone)')
    expect(ofChild()).toEqual([])
  })

  test('nothing else of the parent can be read by its key, and nothing of another tenant', async () => {
    const keys: string[] = []
    const tools = editingTools()
    const read: (string | null)[] = []
    const { start, begin, outcome, register } = family({
      plays: {
        writer: turnModel([
          [write('doc', doc), write('gone', 'old')],
          [remove('gone')],
          [ask('go')],
          'done',
        ]),
        helper: turnModel([[show], 'Seen.']),
      },
      agents: [helper()],
      tools: {
        ...tools,
        call: async (request, signal) => {
          const before = request.name === 'show' ? await request.files?.read(keys[0] ?? '') : null
          const done = await tools.call(request, signal)
          if (request.name !== 'show') return done
          for (const bytes of [before, await request.files?.read(keys[0] ?? '')])
            read.push(bytes ? Buffer.from(bytes).toString() : null)
          return done
        },
      },
    })
    const engine = await start()
    const secret = { key: 'ab'.repeat(32), mime: 'text/plain', bytes: Buffer.from('secret') }
    keys.push(secret.key)
    await register.putBlob({ tenantId: caller.tenantId, threadId: 'top' }, secret)
    const runId = await begin(engine, parent('read'), { threadId: 'top' })
    expect(await outcome(runId)).toBe('completed')
    expect(read).toEqual([null, null])
  })

  test('with none, a run begins with nothing', async () => {
    const { start, begin, outcome, child } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], 'done']),
        helper: turnModel([[show], 'Seen.']),
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('none'))
    expect(await outcome(runId)).toBe('completed')
    expect(await found(await child(runId))).toBe('')
  })
})

describe('merge', () => {
  /** Starts `one` and `two` beside some calls, and lets them end in this order. */
  async function both(
    plays: {
      readonly one: Parameters<typeof turnModel>[0]
      readonly two: Parameters<typeof turnModel>[0]
    },
    beside: Parameters<typeof turnModel>[0][number] & readonly unknown[] = [],
  ): Promise<string> {
    const { start, begin, outcome } = family({
      plays: {
        writer: turnModel([
          [write('doc', doc)],
          [ask('go', 'one'), ask('go', 'two'), ...(typeof beside === 'string' ? [] : beside)],
          [show],
          'done',
        ]),
        one: turnModel(plays.one),
        two: turnModel(plays.two),
      },
      agents: [helper('one'), helper('two')],
    })
    const engine = await start()
    const runId = await begin(engine, parent('merge', ['one', 'two']), { threadId: 'top' })
    if (typeof beside !== 'string' && beside.length > 0)
      await tree.event(runId, 'tool.completed', beside.length)
    gates.open('one')
    await tree.event(runId, 'child.ended')
    gates.open('two')
    expect(await outcome(runId)).toBe('completed')
    return runId
  }

  test('the edits of two runs, and what a call beside them wrote, are all there', async () => {
    const runId = await both(
      {
        one: [[edit('doc', 'alpha', 'ALPHA')], [wait('one')], 'One.'],
        two: [
          [edit('doc', 'beta', 'BETA')],
          [edit('doc', 'gamma', 'GAMMA')],
          [wait('two')],
          'Two.',
        ],
      },
      [write('other', 'beside')],
    )
    expect(await found(runId)).toBe('doc=ALPHA\nBETA\nGAMMA\n; other=beside')
    const [one, two] = await ended(runId)
    expect(one).toMatchObject({ files: [{ path: 'doc', bytes: doc.length }] })
    expect(two).toMatchObject({ files: [{ path: 'doc', bytes: doc.length }] })
    expect(resultsOf()).toEqual(
      expect.arrayContaining([
        'One.Files that it changed. They are changed here, too:\n- doc (edited)',
        'Two.Files that it changed. They are changed here, too:\n- doc (edited; another call changed it meanwhile: both changes are in it)',
      ]),
    )
  })

  test('an edit that does not fit: the later event wins, and the model reads it', async () => {
    const runId = await both({
      one: [[edit('doc', 'alpha', 'first')], [wait('one')], 'One.'],
      two: [[edit('doc', 'alpha', 'second')], [wait('two')], 'Two.'],
    })
    expect(await found(runId)).toBe('doc=second\nbeta\ngamma\n')
    expect(resultsOf()).toContain(
      'Two.Files that it changed. They are changed here, too:\n- doc (edited; another call changed it meanwhile, and the edits do not fit into that: it is as this run left it, and the other change is gone)',
    )
  })

  test('a run changes the file that its sibling deletes', async () => {
    const runId = await both({
      one: [[remove('doc')], [wait('one')], 'One.'],
      two: [[edit('doc', 'beta', 'BETA')], [wait('two')], 'Two.'],
    })
    expect(await found(runId)).toBe('doc=alpha\nBETA\ngamma\n')
    expect(resultsOf()).toContain(
      'Two.Files that it changed. They are changed here, too:\n- doc (edited; another call deleted it meanwhile: it is there again, as this run left it)',
    )
  })

  test('a run deletes the file that its sibling changes', async () => {
    const runId = await both({
      one: [[edit('doc', 'beta', 'BETA')], [wait('one')], 'One.'],
      two: [[remove('doc')], [wait('two')], 'Two.'],
    })
    expect(await found(runId)).toBe('')
    expect(resultsOf()).toContain(
      'Two.Files that it changed. They are changed here, too:\n- doc (deleted; although another call changed it meanwhile)',
    )
  })

  test('both write a new file of one name', async () => {
    const runId = await both({
      one: [[write('new', 'one')], [wait('one')], 'One.'],
      two: [[write('new', 'two')], [wait('two')], 'Two.'],
    })
    expect(await found(runId)).toBe(`doc=${doc}; new=two`)
    expect(resultsOf().join()).toContain(
      '- new (written; another call changed it meanwhile: it is as this run left it, and the other change is gone)',
    )
  })

  test('a call beside them edits the same file', async () => {
    const runId = await both(
      {
        one: [[edit('doc', 'alpha', 'ALPHA')], [wait('one')], 'One.'],
        two: [[wait('two')], 'Two.'],
      },
      [edit('doc', 'gamma', 'GAMMA')],
    )
    expect(await found(runId)).toBe('doc=ALPHA\nbeta\nGAMMA\n')
    expect(resultsOf()).toContain('Two.')
  })

  test('what two calls of a run edited side by side is made one file before it is taken over', async () => {
    const runId = await both({
      one: [[edit('doc', 'alpha', 'ALPHA'), edit('doc', 'gamma', 'GAMMA')], [wait('one')], 'One.'],
      two: [[wait('two')], 'Two.'],
    })
    expect(await found(runId)).toBe('doc=ALPHA\nbeta\nGAMMA\n')
    const [one] = await ended(runId)
    expect(one).toMatchObject({ files: [{ path: 'doc', bytes: doc.length }] })
  })

  test('a file that is back as it was not there is no change; one that is as before is none either', async () => {
    const runId = await both({
      one: [[write('new', 'x')], [remove('new')], [wait('one')], 'One.'],
      two: [[show], [wait('two')], 'Two.'],
    })
    for (const each of await ended(runId)) expect(each).not.toHaveProperty('files')
    expect(resultsOf()).toEqual(expect.arrayContaining(['One.', 'Two.']))
  })
})

test('what a run has taken over from its own children goes up with its changes', async () => {
  const { start, begin, outcome } = family({
    plays: {
      writer: turnModel([[write('doc', doc)], [ask('go', 'middle')], [show], 'done']),
      middle: turnModel([[ask('go', 'helper'), edit('doc', 'alpha', 'ALPHA')], [show], 'Middle.']),
      helper: turnModel([[show], [edit('doc', 'gamma', 'GAMMA'), write('leaf', 'deep')], 'Leaf.']),
    },
    agents: [
      named('middle', [...editing, runsOf('helper')], { subagents: { files: 'merge' } }),
      helper(),
    ],
  })
  const engine = await start()
  const runId = await begin(engine, parent('merge', ['middle']))
  expect(await outcome(runId)).toBe('completed')
  expect(await found(runId)).toBe('doc=ALPHA\nbeta\nGAMMA\n; leaf=deep')
})

describe('of a run that does not complete', () => {
  const limited = { limits: { maxTurns: 2 } }

  test('stopped by a budget: its last words, and its changes, as a partial error', async () => {
    const { start, begin, outcome, asked } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], [show], 'done']),
        helper: turnModel([[edit('doc', 'beta', 'BETA')], [wait('never')], 'never said']),
      },
      agents: [helper('helper', limited)],
    })
    const engine = await start()
    gates.open('never')
    const runId = await begin(engine, parent('merge'))
    expect(await outcome(runId)).toBe('completed')
    expect(await found(runId)).toBe('doc=alpha\nBETA\ngamma\n')
    const [told] = await ended(runId)
    expect(told).toMatchObject({
      outcome: 'budget_exhausted',
      partial: true,
      output: { isError: true },
      files: [{ path: 'doc' }],
    })
    const [, result] = resultsIn(asked.findLast(({ name }) => name === 'writer')?.prompt)
    expect(result).toBe(
      'The run of helper ended as budget_exhausted, before it was done. [BUDGET EXHAUSTED] The run was stopped: it has used 2 of 2 turns. What follows is partial: the last words that it said.(It said nothing.)Files that it changed. They are changed here, too:\n- doc (edited)',
    )
  })

  test('failed: nothing is taken over, and the model reads what was changed', async () => {
    const { start, begin, outcome } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], [show], 'done']),
        helper: turnModel([[edit('doc', 'beta', 'BETA')], '']),
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('merge'))
    expect(await outcome(runId)).toBe('completed')
    expect(await found(runId)).toBe(`doc=${doc}`)
    const [told] = await ended(runId)
    expect(told).toMatchObject({ outcome: 'failed' })
    expect(told).not.toHaveProperty('files')
    expect(told).not.toHaveProperty('partial')
    expect(resultsOf().join()).toContain(
      'Files that it changed. Nothing is changed here, because it ended as failed:\n- doc (edited)',
    )
  })

  test('cancelled alone while it works: nothing is taken over', async () => {
    const { start, begin, outcome, child } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], [show], 'done']),
        helper: turnModel([[edit('doc', 'beta', 'BETA')], [wait('never')], 'never said']),
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('merge'))
    const childId = await child(runId)
    await tree.event(childId, 'tool.completed')
    await engine.commands.cancel({ ...caller, runId: childId, action: 'interrupt' })
    expect(await outcome(runId)).toBe('completed')
    expect(await found(runId)).toBe(`doc=${doc}`)
  })

  test('its parent is cancelled while it works: both end, and nothing is taken over', async () => {
    const { start, begin, ends, child } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], 'done']),
        helper: turnModel([[edit('doc', 'beta', 'BETA')], [wait('never')], 'never said']),
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('merge'))
    await tree.event(await child(runId), 'tool.completed')
    await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    expect(await ends()).toEqual(['cancelled', 'cancelled'])
    for (const each of await ended(runId)) expect(each).not.toHaveProperty('files')
  })
})

describe('the conversation', () => {
  /** A run that has taken over an edit, on the thread `top`, with an engine whose agent shows its files. */
  async function merged() {
    const { start, begin, outcome } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], 'done']),
        helper: turnModel([[edit('doc', 'beta', 'BETA'), write('new', 'n')], 'Edited.']),
        looker: looks,
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('merge'), { threadId: 'top' })
    expect(await outcome(runId)).toBe('completed')
    const [end] = await tree.events(runId, 'child.ended')
    if (!end) throw new Error('no child has ended')
    return { engine, runId, seq: end.seq }
  }
  const looker = named('looker', editing)

  test('goes on from before the end of the run, and from after it', async () => {
    const { engine, runId, seq } = await merged()
    const look = async (at: number) => {
      const base = { runId, seq: at }
      const id = await tree.begin(engine, looker, { threadId: 'top', base })
      await outcomeOf(tree.register, id)
      return found(id)
    }
    expect(await look(seq - 1)).toBe(`doc=${doc}`)
    expect(await look(seq)).toBe('doc=alpha\nBETA\ngamma\n; new=n')
  })

  test('a run that is rolled back takes along what it had taken over', async () => {
    const { start, begin, outcome } = family({
      plays: {
        writer: turnModel([[write('doc', doc)], [ask('go')], [wait('never')], 'done']),
        helper: turnModel([[edit('doc', 'beta', 'BETA')], 'Edited.']),
        looker: looks,
      },
      agents: [helper()],
    })
    const engine = await start()
    const runId = await begin(engine, parent('merge'), { threadId: 'top' })
    await tree.event(runId, 'child.ended')
    await tree.event(runId, 'model.completed', 2)
    await engine.commands.cancel({ ...caller, runId, action: 'rollback' })
    expect(await outcome(runId)).toBe('rolled_back')
    const look = await begin(engine, looker, { threadId: 'top' })
    expect(await outcome(look)).toBe('completed')
    expect(await found(look)).toBe('')
  })

  test('a rerun has the files that were taken over, and starts no run', async () => {
    const { engine, runId } = await merged()
    const again = await engine.commands.rerun({
      ...caller,
      runId,
      threadId: 'again',
      definition: null,
      metadata: {},
      alias: null,
    })
    if (again.code !== 'created') throw new Error(again.code)
    expect(await outcomeOf(tree.register, again.runId)).toBe('completed')
    expect(await tree.register.children(again.runId)).toEqual([])
    const look = await tree.begin(engine, looker, { threadId: 'again' })
    await outcomeOf(tree.register, look)
    expect(await found(look)).toBe('doc=alpha\nBETA\ngamma\n; new=n')
  })

  test('a rerun of the run that was started begins with the same files', async () => {
    const { engine, runId } = await merged()
    const childId = await tree.child(runId)
    const again = await engine.commands.rerun({
      ...caller,
      runId: childId,
      threadId: 'again',
      definition: null,
      metadata: {},
      alias: null,
    })
    if (again.code !== 'created') throw new Error(again.code)
    expect(await outcomeOf(tree.register, again.runId)).toBe('completed')
    const look = await tree.begin(engine, looker, { threadId: 'again' })
    await outcomeOf(tree.register, look)
    expect(await found(look)).toBe('doc=alpha\nBETA\ngamma\n; new=n')
  })

  test('the thread of the run that was started goes on with its files, and those it began with', async () => {
    const { engine, runId } = await merged()
    const head = await tree.register.head(await tree.child(runId))
    const look = await tree.begin(engine, looker, { threadId: head?.threadId ?? '' })
    await outcomeOf(tree.register, look)
    expect(await found(look)).toBe('doc=alpha\nBETA\ngamma\n; new=n')
  })
})

test('an agent that says nothing of its runs gives and takes no files', async () => {
  const { start, begin, outcome, child, register } = family({
    plays: {
      writer: turnModel([[write('doc', doc)], [ask('go')], [show], 'done']),
      helper: turnModel([[show], [write('own', 'mine')], 'Seen.']),
    },
    agents: [helper()],
  })
  const engine = await start()
  const runId = await begin(engine, named('writer', [...editing, runsOf('helper')]))
  expect(await outcome(runId)).toBe('completed')
  expect(await found(await child(runId))).toBe('')
  expect(await found(runId)).toBe(`doc=${doc}`)
  const [told] = await ended(runId)
  expect(Object.keys(told ?? {}).toSorted()).toEqual([
    'callId',
    'childRunId',
    'effectId',
    'outcome',
    'output',
    'resultHash',
    'spent',
    'verdicts',
  ])
  const [created] = await register.events(await child(runId), { limit: 1 })
  expect(created?.payload).not.toHaveProperty('filesFrom')
  expect(resultsOf()).toContain('Seen.')
})
