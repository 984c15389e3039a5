/** Questions of models over the API: what waits, and a person's answer. */
import { z } from 'zod'
import { Accepted, AskedInput } from './documents.ts'
import { ask, inPath, type Server } from './http.ts'

/** A person's answer as the wire has it: exactly one of them. */
export interface AnswerBody {
  readonly text?: string
  readonly option?: string
  readonly values?: Readonly<Record<string, unknown>>
  readonly declined?: true
}

const pageMax = 1000
const Page = z.array(AskedInput.extend({ position: z.string() }))

/** These parts of a client. */
export const inputsClient = (server: Server) => ({
  /** All that waits, oldest first; of one run and those below it, or of all. */
  inputs: (runId?: string) => listInputs(server, runId),
  /** Answers. The first answer stands; the same again is no failure. */
  answerInput: (runId: string, callId: string, answer: AnswerBody) =>
    ask(server, Accepted, {
      path: `/runs/${inPath(runId)}/inputs/${inPath(callId)}`,
      method: 'POST',
      body: answer,
    }),
})

async function listInputs(server: Server, runId?: string): Promise<AskedInput[]> {
  const all: AskedInput[] = []
  for (let after: string | undefined; ;) {
    const query = { run_id: runId, after, limit: pageMax }
    const page = await ask(server, Page, { path: '/inputs', query })
    all.push(...page)
    if (page.length < pageMax) return all
    after = page.at(-1)?.position
  }
}
