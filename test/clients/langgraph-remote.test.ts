/**
 * `RemoteGraph` of LangGraph, as a graph of its own and as a node of a local one. Would catch: a state it cannot read, a mode
 * that is missing, a question that is taken for an answer, a resume that is refused, a conversation that is said twice.
 */
import {
  Command,
  isInterrupted,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { RemoteGraph } from '@langchain/langgraph/remote'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { openRemoteScene, said } from './support/remote-scene.ts'

let box: TestSignalbox

beforeAll(async () => {
  box = await openRemoteScene()
})
afterAll(() => box?.stop())

const remote = (graphId: string) => new RemoteGraph({ graphId, url: box.api })
const onThread = (thread_id: string = crypto.randomUUID()) => ({ configurable: { thread_id } })

async function collect<T>(items: AsyncIterable<T> | Promise<AsyncIterable<T>>): Promise<T[]> {
  const all: T[] = []
  for await (const item of await items) all.push(item)
  return all
}

interface Said {
  readonly messages: readonly { readonly type: string; readonly content: unknown }[]
}
const contents = ({ messages }: Said): unknown[] => messages.map(({ content }) => content)
const noted = ['Note milk.', '', 'noted milk', 'I read: noted milk']

describe('a remote graph', () => {
  it('is drawn', async () => {
    expect(() => remote('clerk').getGraph()).toThrow('getGraphAsync')
    const graph = await remote('clerk').getGraphAsync()
    expect(Object.keys(graph.nodes)).toEqual(expect.arrayContaining(['__start__', 'model']))
    expect(graph.drawMermaid()).toContain('model')
    expect(await collect(remote('clerk').getSubgraphsAsync())).toEqual([])
    await expect(remote('nobody').getGraphAsync()).rejects.toThrow('unknown_agent')
  })

  it('is invoked without a thread, and on one that goes on', async () => {
    expect(contents(await remote('clerk').invoke(said('Note milk.')))).toEqual(noted)
    const config = onThread()
    await remote('parrot').invoke(said('A'), config)
    const values = await remote('parrot').withConfig(config).invoke(said('B'))
    expect(contents(values)).toEqual(['A', 'heard: A', 'B', 'heard: A | B'])
  })

  it('streams values', async () => {
    const all: Said[] = await collect(
      remote('clerk').stream(said('Note milk.'), { streamMode: 'values' }),
    )
    expect(all.map((values) => contents(values).length)).toEqual([1, 2, 3, 4])
    expect(all.map(contents).at(-1)).toEqual(noted)
  })

  it('streams updates, also when nothing is said of modes', async () => {
    const nodes = ['model', 'tools', 'model']
    for (const options of [{ streamMode: 'updates' } as const, {}]) {
      const all: object[] = await collect(remote('clerk').stream(said('Note milk.'), options))
      expect(all.flatMap(Object.keys)).toEqual(nodes)
    }
  })

  it('streams messages, whose pieces are the text', async () => {
    const all: [Said['messages'][number], object][] = await collect(
      remote('clerk').stream(said('Note milk.'), { streamMode: 'messages' }),
    )
    const text = all.filter(([{ type }]) => type === 'AIMessageChunk').map(([each]) => each.content)
    expect(text.join('')).toBe('I read: noted milk')
    const [, metadata] = all[0] ?? []
    expect(metadata).toMatchObject({ langgraph_node: 'model' })
  })

  it('streams what tools say of themselves', async () => {
    const all = await collect(remote('counter').stream(said('Count.'), { streamMode: 'custom' }))
    expect(all.at(-1)).toMatchObject({
      tool: 'count',
      note: expect.stringMatching(/^at \d+$/),
    })
  })

  it('streams several modes at once, with the names of their graphs if asked', async () => {
    const streamMode = ['values', 'updates', 'messages', 'custom'] as const
    const asked = { streamMode: [...streamMode] }
    const all: [string, unknown][] = await collect(remote('counter').stream(said('Count.'), asked))
    expect(new Set(all.map(([mode]) => mode))).toEqual(new Set(streamMode))
    const named: [string[], string, unknown][] = await collect(
      remote('counter').stream(said('Count.'), { ...asked, subgraphs: true }),
    )
    expect(new Set(named.map(([, mode]) => mode))).toEqual(new Set(streamMode))
    expect(named.every(([namespace]) => namespace.length === 0)).toBe(true)
  })

  it('raises what fails, and what is refused', async () => {
    await expect(remote('nobody').invoke(said('x'))).rejects.toThrow('unknown_agent')
    await expect(remote('broken').invoke(said('x'))).rejects.toMatchObject({
      name: 'RemoteException',
    })
    for (const field of ['interruptBefore', 'interruptAfter'] as const) {
      const refused = remote('clerk').invoke(said('x'), { [field]: ['tools'] })
      await expect(refused).rejects.toThrow('not_available')
    }
    const goto = new Command({ resume: 'approve', goto: 'tools' })
    await expect(remote('asker').invoke(goto, onThread())).rejects.toThrow('command.goto')
  })
})

describe('the state of its thread', () => {
  it('is read now, at a checkpoint, and all of it', async () => {
    const [graph, config] = [remote('parrot'), onThread()]
    await graph.invoke(said('A'), config)
    const between = await graph.getState(config)
    await graph.invoke(said('B'), config)
    expect(between).toMatchObject({ next: [], tasks: [], config })
    expect(contents(between.values)).toEqual(['A', 'heard: A'])
    expect(contents((await graph.getState(config)).values)).toHaveLength(4)
    expect(await graph.getState(between.config)).toEqual(between)
    const history = await collect(graph.getStateHistory(config))
    expect(history[0]).toEqual(await graph.getState(config))
    expect(history.at(-1)?.parentConfig).toBeUndefined()
    const before = history[0]?.config ?? {}
    expect(await collect(graph.getStateHistory(config, { before }))).toEqual(history.slice(1))
    expect(await collect(graph.getStateHistory(config, { limit: 1 }))).toEqual(history.slice(0, 1))
    await expect(graph.getState(onThread())).rejects.toThrow('unknown_thread')
  })

  it('is updated, at its end and at a checkpoint', async () => {
    const [graph, config] = [remote('parrot'), onThread()]
    await graph.invoke(said('A'), config)
    const between = await graph.getState(config)
    const updated = await graph.updateState(config, said('B'))
    expect(contents((await graph.getState(config)).values)).toEqual(['A', 'heard: A', 'B'])
    expect(contents((await graph.getState(updated)).values)).toEqual(['A', 'heard: A', 'B'])
    await graph.updateState(between.config, { messages: [{ role: 'assistant', content: 'C' }] })
    const values = await graph.invoke(said('D'), config)
    expect(contents(values)).toEqual(['A', 'heard: A', 'C', 'D', 'heard: A | D'])
  })
})

describe('a question to a human', () => {
  it('is raised, stands in the state, and is answered by a command', async () => {
    const [graph, config] = [remote('asker'), onThread()]
    const asked = graph.invoke(said('Note milk.'), config)
    await expect(asked).rejects.toMatchObject({
      name: 'GraphInterrupt',
      interrupts: [{ value: { tool: 'note', args: { text: 'milk' } } }],
    })
    const { next, tasks } = await graph.getState(config)
    expect(next).toEqual(['approval'])
    expect(tasks.flatMap(({ interrupts }) => interrupts)).toMatchObject([
      { value: { tool: 'note' } },
    ])
    const answer = new Command({ resume: { decision: 'approve' } })
    expect(contents(await graph.invoke(answer, config))).toEqual(noted)
    expect(await graph.getState(config)).toMatchObject({ next: [], tasks: [] })
    await expect(graph.invoke(answer, config)).rejects.toThrow('nothing_waits')
  })
})

/** A graph of this process with the remote one as its node. */
const local = (graphId: string) =>
  new StateGraph(MessagesAnnotation)
    .addNode('remote', remote(graphId))
    .addEdge(START, 'remote')
    .compile({ checkpointer: new MemorySaver() })

describe('as a node of a local graph', () => {
  it('puts what it said into the state, each message once', async () => {
    const values = await local('clerk').invoke(said('Note milk.'), onThread())
    expect(contents(values)).toEqual(noted)
    expect(values.messages.map((message) => message.getType())).toEqual([
      'human',
      'ai',
      'tool',
      'ai',
    ])
  })

  it('goes on with a conversation that both have, and says nothing of it twice', async () => {
    const [graph, config] = [local('clerk'), onThread()]
    await graph.invoke(said('Note milk.'), config)
    const values = await graph.invoke(said('And again.'), config)
    expect(contents(values)).toEqual([...noted, 'And again.', ...noted.slice(1)])
    const { values: theirs } = await remote('clerk').getState(config)
    expect(contents(theirs)).toEqual(contents(values))
  })

  it('streams through it', async () => {
    const graph = local('clerk')
    const all = await collect(
      graph.stream(said('Note milk.'), {
        ...onThread(),
        streamMode: ['updates', 'values'],
        subgraphs: true,
      }),
    )
    const nodes = all
      .filter(([namespace, mode]) => namespace.length > 0 && mode === 'updates')
      .flatMap(([, , data]) => Object.keys(data))
    expect(nodes).toEqual(['model', 'tools', 'model'])
    expect(all.at(-1)?.slice(0, 2)).toEqual([[], 'values'])
  })

  it('asks its human, and goes on with what became of the answer', async () => {
    const [graph, config] = [local('asker'), onThread()]
    const values = await graph.invoke(said('Note milk.'), config)
    expect(isInterrupted(values)).toBe(true)
    expect(values).toMatchObject({ __interrupt__: [{ value: { tool: 'note' } }] })
    expect((await graph.getState(config)).next).toEqual(['remote'])
    // The node would send its input again, so the answer goes to the thread itself.
    const { messages } = await remote('asker').invoke(new Command({ resume: 'approve' }), config)
    await graph.updateState(config, { messages }, 'remote')
    const state = await graph.getState(config)
    expect(state.next).toEqual([])
    expect(contents(state.values)).toEqual(noted)
  })
})
