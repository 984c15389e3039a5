/** Questions of models that wait for a person, and the person's answer. */
import { orElse } from './expected.ts'
import type { InputAnswer, ListedInput } from './generated.ts'
import { clientLimits } from './options.ts'
import type { Request } from './request.ts'
import type { Abortable } from './runs.ts'

/** What an answer came to. The first one stands. */
export type Replied =
  /** `already`: the same was said before. */
  | { readonly is: 'accepted'; readonly already: boolean }
  /** Somebody answered otherwise before. */
  | { readonly is: 'conflict' }
  /** It is no answer to that question. `field` says which part of it. */
  | { readonly is: 'invalid'; readonly field: string | null; readonly detail: string | null }
  /** The time of the question is over, and the run went on. */
  | { readonly is: 'expired' }
  /** The run has ended meanwhile. */
  | { readonly is: 'run_ended' }
  | { readonly is: 'unknown' }

/** Methods reject with a SignalboxError for refusals that they do not name. */
export type Inputs = ReturnType<typeof inputsOf>

/** Makes the methods. */
export function inputsOf(request: Request) {
  return {
    /** All that waits now, oldest first, page by page; of one run and those below it, or of all. */
    list: (of?: Abortable & { readonly runId?: string }) => list(request, of),
    /** Answers a question: one of `text`, `option` and `values`, as its `kind` says, or `declined`. */
    answer: (
      asked: { readonly runId: string; readonly callId: string },
      said: InputAnswer,
      { signal }: Abortable = {},
    ): Promise<Replied> =>
      orElse<Replied, Replied>(
        request('POST /runs/{run_id}/inputs/{call_id}', {
          path: { run_id: asked.runId, call_id: asked.callId },
          body: said,
          signal,
          repeatable: true,
        }).then(({ code }): Replied => ({ is: 'accepted', already: code === 'already' })),
        {
          input_conflict: () => ({ is: 'conflict' }),
          invalid_answer: ({ problem }) => ({
            is: 'invalid',
            field: problem?.field ?? null,
            detail: problem?.detail ?? null,
          }),
          input_expired: () => ({ is: 'expired' }),
          run_ended: () => ({ is: 'run_ended' }),
          unknown_input: () => ({ is: 'unknown' }),
          unknown_run: () => ({ is: 'unknown' }),
        },
      ),
  }
}

async function* list(
  request: Request,
  { runId, signal }: Abortable & { readonly runId?: string } = {},
): AsyncGenerator<ListedInput, void, undefined> {
  for (let after: string | undefined; ;) {
    const page: ListedInput[] = await request('GET /inputs', {
      query: {
        limit: clientLimits.pageMax,
        ...(runId === undefined ? {} : { run_id: runId }),
        ...(after === undefined ? {} : { after }),
      },
      signal,
    })
    yield* page
    if (page.length < clientLimits.pageMax) return
    after = page.at(-1)?.position
  }
}
