/** What tests of time travel share: threads with a past, and how they are read. */
import type { Client, Message, ThreadState } from 'langgraph-sdk-1'

export interface Values {
  messages: Message[]
}
export type State = ThreadState<Values>

export const said = (content: string) => ({ input: { messages: [{ role: 'user', content }] } })
export const idOf = ({ checkpoint }: State): string => String(checkpoint.checkpoint_id)
export const users = ({ values }: Pick<State, 'values'>): unknown[] =>
  values.messages.filter(({ type }) => type === 'human').map(({ content }) => content)

/** A thread of two runs, and the state between them. */
export async function twoRuns(client: Client) {
  const threadId = crypto.randomUUID()
  await client.runs.wait(threadId, 'clerk', said('A'))
  const between = await client.threads.getState<Values>(threadId)
  await client.runs.wait(threadId, 'clerk', said('B'))
  return { threadId, between }
}

/** All states of a thread, newest first. */
export const historyOf = (client: Client, threadId: string, options = {}): Promise<State[]> =>
  client.threads.getHistory<Values>(threadId, { limit: 100, ...options })
