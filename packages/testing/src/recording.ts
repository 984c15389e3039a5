/**
 * Answers of a real provider, kept in a file: what its stream held, byte by byte. Played again they go through the same reading and
 * judging as answers from the network.
 *
 * R1 No header of a request and no key is kept; secrets of the environment are taken out of texts.
 * R2 Only whole, good answers are kept: an error of the provider is retried by the run, and says nothing worth repeating.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ModelConfig } from '@signalbox/core'
import { createRedact, type Env, secretsOf } from '@signalbox/server'
import { z } from 'zod'
import { TestBoxError } from './box-error.ts'

/** A file of answers, in the order in which the model gave them. Made by `recorded`. */
export interface Recording {
  readonly kind: 'recording'
  readonly file: string
  /** Are answers asked of the provider and kept, instead of read from the file? */
  readonly record: boolean
}

/**
 * A model whose answers are in a file. With `SIGNALBOX_RECORD=1`, or `record: true`, the provider is asked, and the file is written when
 * the box is closed. A path is relative to the working directory.
 */
export const recorded = (file: string, options: { readonly record?: boolean } = {}): Recording => ({
  kind: 'recording',
  file,
  record: options.record ?? process.env['SIGNALBOX_RECORD'] === '1',
})

const Answer = z.object({
  provider: z.string(),
  model: z.string(),
  content_type: z.string(),
  /** The body as text, or in base64 if it is none. */
  body: z.string().optional(),
  body_base64: z.string().optional(),
})
type Answer = z.infer<typeof Answer>

const RecordingFile = z.object({ signalbox_recording: z.literal(1), answers: z.array(Answer) })

/** Bytes of all answers of a recording. */
const recordedBytesMax = 32 * 1024 * 1024

/** A recording while a box plays it, or makes it. */
export class Tape {
  readonly #recording: Recording
  readonly #kept: (Answer | null)[] = []
  readonly #pending: Promise<void>[] = []
  #answers: Promise<readonly Answer[]> | null = null
  #played = 0

  constructor(recording: Recording) {
    this.#recording = recording
  }

  /** The `fetch` of the next call of this model. @throws TestBoxError */
  async next(model: ModelConfig, env: Env): Promise<typeof globalThis.fetch> {
    const { file, record } = this.#recording
    if (model.provider === 'scripted')
      throw new TestBoxError(
        'wrong_option',
        `${file} cannot answer for a scripted model: a recording is of the provider that the agent names`,
      )
    if (record) return this.#keeping(model, env)
    const answers = await (this.#answers ??= readAnswers(file))
    const answer = answers[this.#played]
    this.#played += 1
    if (!answer) {
      const count = answers.length === 1 ? '1 answer' : `${answers.length} answers`
      throw stale(`${file} has ${count}, and the model was asked once more`)
    }
    if (answer.provider !== model.provider || answer.model !== model.model)
      throw stale(
        `answer ${this.#played} of ${file} is of ${answer.provider} ${answer.model}, and the agent has ${model.provider} ${model.model} now`,
      )
    return () => Promise.resolve(responseOf(answer))
  }

  /** Writes what was recorded. */
  async close(): Promise<void> {
    if (!this.#recording.record) return
    await Promise.all(this.#pending)
    const answers = this.#kept.filter((answer) => answer !== null)
    if (answers.length === 0) return
    const { file } = this.#recording
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `${JSON.stringify({ signalbox_recording: 1, answers }, null, 2)}\n`)
  }

  #keeping(model: ModelConfig, env: Env): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await globalThis.fetch(input, init)
      if (!response.ok || !response.body) return response
      const [passed, kept] = response.body.tee()
      const contentType = response.headers.get('content-type') ?? ''
      const place = this.#kept.push(null) - 1
      const { provider, model: name } = model
      const about = { provider, model: name, content_type: contentType }
      const whole = new Response(kept).arrayBuffer()
      this.#pending.push(
        whole.then(
          (bytes) => {
            if (bytes.byteLength <= recordedBytesMax)
              this.#kept[place] = { ...about, ...bodyOf(new Uint8Array(bytes), env, model) }
          },
          // It broke off: the run asks again, if at all.
          () => {},
        ),
      )
      const { status, headers } = response
      return new Response(passed, { status, headers })
    }
  }
}

const stale = (why: string): TestBoxError =>
  new TestBoxError('recording', `${why}. Record it anew, with the key of the provider: ${again}`)

const again = 'SIGNALBOX_RECORD=1 and the command that runs this test'

async function readAnswers(file: string): Promise<readonly Answer[]> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT')
      throw new TestBoxError(
        'recording',
        `There is no recording ${file}. Make it once, with the key of the provider: ${again}`,
      )
    throw new TestBoxError('recording', `${file} cannot be read: ${cause.message}`, cause)
  })
  if (text.length > 2 * recordedBytesMax)
    throw new TestBoxError('recording', `${file} is larger than a recording may be`)
  const parsed = RecordingFile.safeParse(parse(text))
  if (parsed.success) return parsed.data.answers
  throw new TestBoxError('recording', `${file} is no recording: ${z.prettifyError(parsed.error)}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function bodyOf(
  bytes: Uint8Array,
  env: Env,
  { apiKeyEnv }: ModelConfig,
): Pick<Answer, 'body' | 'body_base64'> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { body_base64: Buffer.from(bytes).toString('base64') }
  }
  const redact = createRedact(secretsOf(env, apiKeyEnv === undefined ? [] : [apiKeyEnv]))
  return { body: String(redact(text)) }
}

function responseOf({ body, body_base64, content_type }: Answer): Response {
  const bytes = body ?? Buffer.from(body_base64 ?? '', 'base64')
  return new Response(bytes, { headers: { 'content-type': content_type } })
}
