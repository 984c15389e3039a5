/**
 * deepagents' async subagents that are agents of the server: the tools that their middleware gives to an agent. Would catch: a
 * status that the middleware does not know, an update that does not interrupt, a cancel that is refused, a result without text.
 */
import { MemorySaver } from '@langchain/langgraph'
import { createAsyncSubAgentMiddleware } from 'deepagents'
import { AIMessage, createAgent, fakeModel, ToolMessage } from 'langchain'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { letAllGo, letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import type { TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { openRemoteScene, said } from './support/remote-scene.ts'

let box: TestSignalbox

beforeAll(async () => {
  box = await openRemoteScene()
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

/** An agent whose model does what a test says, one tool at a time. */
function supervisor() {
  const asyncSubAgents = ['patient', 'parrot', 'asker', 'broken', 'nobody'].map((name) => ({
    name,
    description: `The agent ${name}.`,
    graphId: name,
    url: box.api,
  }))
  const model = fakeModel()
  const agent = createAgent({
    model,
    middleware: [createAsyncSubAgentMiddleware({ asyncSubAgents })],
    checkpointer: new MemorySaver(),
  })
  const config = { configurable: { thread_id: crypto.randomUUID() } }
  /** Has the model call a tool, and answers what the tool said. */
  const use = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    model.respondWithTools([{ name, args }]).respond(new AIMessage('So it is.'))
    const { messages } = await agent.invoke(said('Go on.'), config)
    const answer = messages.findLast((message) => ToolMessage.isInstance(message))
    return answer?.text ?? ''
  }
  const start = async (agentName: string, description: string): Promise<string> => {
    const answer = await use('start_async_task', { agentName, description })
    const [, taskId] = /^Launched async subagent\. taskId: (.+)$/.exec(answer) ?? []
    if (taskId === undefined) throw new Error(answer)
    return taskId
  }
  const check = async (taskId: string): Promise<unknown> =>
    JSON.parse(await use('check_async_task', { taskId }))
  return { use, start, check }
}

/** The runs of a thread, newest first, once they are as they should be. */
const runsOf = (threadId: string, wanted: readonly string[]) =>
  eventually(async () => {
    const { body } = await call(box.api, 'GET', `/threads/${threadId}/runs`)
    const runs: { run_id: string; state: string; outcome: string | null }[] = body
    const states = runs.map(({ state }) => state)
    return JSON.stringify(states) === JSON.stringify(wanted) ? runs : undefined
  })

it('a task is started, runs, and gives its result', async () => {
  const { start, check, use } = supervisor()
  const taskId = await start('patient', 'Hold.')
  const [run] = await runsOf(taskId, ['tools'])
  expect(await check(taskId)).toEqual({ status: 'running', threadId: taskId })
  expect(await use('list_async_tasks')).toBe(
    `1 tracked task(s):\n- taskId: ${taskId} agent: patient status: running`,
  )
  letGo(String(run?.run_id))
  await runsOf(taskId, ['completed'])
  expect(await check(taskId)).toEqual({
    status: 'success',
    threadId: taskId,
    result: 'I read: held',
  })
})

it('an update interrupts, and is told to the agent beside what it was told before', async () => {
  const { start, check, use } = supervisor()
  const taskId = await start('patient', 'Hold.')
  const [first] = await runsOf(taskId, ['tools'])
  const update = { taskId, message: 'Say it at once.' }
  expect(await use('update_async_task', update)).toBe(`Updated async subagent. taskId: ${taskId}`)
  letGo(String(first?.run_id))
  await runsOf(taskId, ['completed', 'cancelled'])
  expect(await check(taskId)).toEqual({
    status: 'success',
    threadId: taskId,
    result: 'heard: Hold. | Say it at once.',
  })
})

it('a task is cancelled', async () => {
  const { start, use } = supervisor()
  const taskId = await start('patient', 'Hold.')
  const [run] = await runsOf(taskId, ['tools'])
  const cancelled = await use('cancel_async_task', { taskId })
  expect(cancelled).toBe(`Cancelled async subagent task: ${taskId}`)
  letGo(String(run?.run_id))
  await runsOf(taskId, ['cancelled'])
  expect(await use('list_async_tasks', { statusFilter: 'cancelled' })).toContain(
    `taskId: ${taskId} agent: patient status: cancelled`,
  )
  expect(await use('list_async_tasks', { statusFilter: 'running' })).toBe(
    'No async subagent tasks tracked',
  )
})

it('a task that waits for a human, or that failed, says so', async () => {
  const { start, check } = supervisor()
  const asking = await start('asker', 'Note milk.')
  await runsOf(asking, ['approval'])
  expect(await check(asking)).toEqual({ status: 'interrupted', threadId: asking })
  const failing = await start('broken', 'Fail.')
  await runsOf(failing, ['failed'])
  expect(await check(failing)).toEqual({
    status: 'error',
    threadId: failing,
    error: 'The async subagent encountered an error.',
  })
})

it('several tasks go on beside each other', async () => {
  const { start, use } = supervisor()
  const [slow, quick] = [await start('patient', 'Hold.'), await start('parrot', 'Hello.')]
  await runsOf(slow, ['tools'])
  await runsOf(quick, ['completed'])
  const listed = await use('list_async_tasks')
  expect(listed).toContain(`taskId: ${slow} agent: patient status: running`)
  expect(listed).toContain(`taskId: ${quick} agent: parrot status: success`)
})

it('what the server refuses is told to the model', async () => {
  const { use } = supervisor()
  const answer = await use('start_async_task', { agentName: 'nobody', description: 'Go.' })
  expect(answer).toContain("Failed to launch async subagent 'nobody'")
  expect(answer).toContain('unknown_agent')
})
