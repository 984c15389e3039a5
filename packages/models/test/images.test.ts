/**
 * Images on the wire of each vendor, in the bytes that leave the process (context systems §13, §19 images 2 and 4). Would catch: an image that a vendor is sent as
 * a text of base64, one between calls and results, one whose vendor refuses its type or size, a key or bytes in what is recorded of a failure.
 */
import { createHash } from 'node:crypto'
import type { ImagePart, Prompt, PromptMessage } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onePixel, png, pngHead } from '../../core/test/support/images.ts'
import { wireOf } from '../src/observer/wires.ts'
import { type Fields, fields, list, parseJson } from '../src/read.ts'
import { ask, jsonReply, type Provider, providers, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

/** Contents by key. */
const kept = new Map<string, Uint8Array>()
const image = (name: string, bytes: Uint8Array, over: Partial<ImagePart> = {}): ImagePart => {
  const key = createHash('sha256').update(bytes).digest('hex')
  kept.set(key, bytes)
  return {
    type: 'image',
    key,
    mime: 'image/png',
    bytes: bytes.length,
    width: 2,
    height: 2,
    name,
    ...over,
  }
}
const base64 = (part: ImagePart): string => Buffer.from(kept.get(part.key) ?? []).toString('base64')

const a = image('a.png', png(2, 2, 1))
const b = image('b.png', png(2, 2, 2))
const gif = image('c.gif', onePixel.gif, { mime: 'image/gif' })
const text = (words: string) => ({ type: 'text' as const, text: words })
const user = (...parts: Extract<PromptMessage, { role: 'user' }>['parts']): PromptMessage => ({
  role: 'user',
  parts,
})
const call = (id: string) => ({
  type: 'tool_call' as const,
  id,
  name: 'view_image',
  args: {},
  argsHash: '',
})
const called: PromptMessage = { role: 'assistant', id: 'm', parts: [call('c1'), call('c2')] }
type Content = Extract<PromptMessage, { role: 'tool' }>['results'][number]['output']['content']
const result = (callId: string, content: Content, isError = false) => ({
  callId,
  toolName: 'view_image',
  output: { content, isError },
})
const results = (first: Content, isError = false): PromptMessage => ({
  role: 'tool',
  results: [result('c1', first, isError), result('c2', [text('two')])],
})

interface More {
  readonly model?: string
  readonly vision?: boolean
  readonly images?: (key: string) => Promise<Uint8Array | null>
}

async function sent(provider: Provider, prompt: Prompt, more: More = {}) {
  const wire = wireOf(provider)
  const baseURL = loopback.reply(streamReply(wire, goodEnding(wire)))
  const { model = 'test-model', vision = true } = more
  const { images = async (key: string) => kept.get(key) ?? null } = more
  const { turn } = await ask({ provider, baseURL, prompt, model: { model, vision }, images })
  const [body = ''] = loopback.requests(baseURL)
  return { body, fields: fields(parseJson(body)) ?? {}, turn }
}

/** The messages of a body, by whatever name its wire has for them; without marks for caches. */
const messagesOf = (body: Fields): readonly Fields[] =>
  list(body['messages'] ?? body['contents'] ?? body['input']).map((each) => {
    const message = fields(each) ?? {}
    const { content } = message
    if (!Array.isArray(content)) return message
    return { ...message, content: content.filter((part) => !fields(part)?.['cachePoint']) }
  })

/** An image as each wire writes it. */
const written = (provider: Provider, part: ImagePart): object => {
  const data = base64(part)
  switch (wireOf(provider)) {
    case 'chat':
      return { type: 'image_url', image_url: { url: `data:${part.mime};base64,${data}` } }
    case 'responses':
      return { type: 'input_image', image_url: `data:${part.mime};base64,${data}` }
    case 'messages':
      return { type: 'image', source: { type: 'base64', media_type: part.mime, data } }
    case 'gemini':
      return { inlineData: { mimeType: part.mime, data } }
    case 'converse':
      return { image: { format: part.mime.slice(6), source: { bytes: data } } }
  }
}

const words = (provider: Provider, said: string): object => {
  const type = wireOf(provider) === 'responses' ? 'input_text' : 'text'
  const isBare = ['gemini', 'converse'].includes(wireOf(provider))
  return isBare ? { text: said } : { type, text: said }
}

/** Models whose results hold images, by provider. */
const within = {
  'openai-responses': 'test-model',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-3-pro-preview',
  'amazon-bedrock': 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
} as const
const behind: readonly (readonly [Provider, string])[] = [
  ['openai', 'gpt-4o'],
  ['azure', 'deployment'],
  ['openai-compatible', 'kimi-k2'],
  ['google', 'gemini-2.5-flash'],
  ['amazon-bedrock', 'mistral.pixtral-large-2502-v1:0'],
]

describe.each(providers)('%s', (provider) => {
  test('an image stands in the words of the user, where its part stands', async () => {
    const { fields: body, turn } = await sent(provider, [user(text('Compare'), a, text('with'), b)])
    const [message] = messagesOf(body)
    expect(message?.['content'] ?? message?.['parts']).toMatchObject([
      words(provider, 'Compare'),
      words(provider, '[image "a.png", image/png, 2 × 2]'),
      written(provider, a),
      words(provider, 'with'),
      words(provider, '[image "b.png", image/png, 2 × 2]'),
      written(provider, b),
    ])
    expect(turn).toMatchObject({ verdict: 'complete' })
    expect(turn.imagesLeftOut).toBeUndefined()
  })

  test('a model without vision reads what it was, and nobody reads its bytes', async () => {
    let asked = 0
    const images = async () => {
      asked += 1
      return null
    }
    const prompt = [user(text('Look'), a), called, results([b]), user(text('And?'))]
    const { body, turn } = await sent(provider, prompt, { vision: false, images })
    for (const name of ['a', 'b'])
      expect(body).toContain(
        `[image \\"${name}.png\\", image/png, 2 × 2: not shown, this model takes no images]`,
      )
    expect(body).not.toContain(base64(a))
    expect(asked).toBe(0)
    expect(turn.imagesLeftOut).toBe(2)
  })

  test('one that was erased is a line, and the others are shown', async () => {
    const images = async (key: string) => (key === a.key ? null : (kept.get(key) ?? null))
    const { body, turn } = await sent(provider, [user(a, b)], { images })
    expect(body).toContain(
      '[image \\"a.png\\", image/png, 2 × 2: not shown, its content was erased]',
    )
    expect(body).toContain(base64(b))
    expect(turn.imagesLeftOut).toBe(1)
  })

  test('a request without images has the bytes that it had', async () => {
    const prompt = [user(text('Look')), called, results([text('one')]), user(text('And?'))]
    const { body } = await sent(provider, prompt)
    const { body: blind } = await sent(provider, prompt, { vision: false })
    expect(blind).toBe(body)
  })
})

describe('a result holds its images', () => {
  const prompt = [user(text('Look')), called, results([text('seen'), a])]
  const said = 'seen\n[image "a.png", image/png, 2 × 2]'

  test('OpenAI Responses', async () => {
    const { fields: body } = await sent('openai-responses', prompt)
    const outputs = messagesOf(body).filter(({ type }) => type === 'function_call_output')
    expect(outputs).toMatchObject([
      {
        call_id: 'c1',
        output: [{ type: 'input_text', text: said }, written('openai-responses', a)],
      },
      { call_id: 'c2', output: 'two' },
    ])
  })

  test('Anthropic', async () => {
    const { fields: body } = await sent('anthropic', prompt, { model: within.anthropic })
    expect(messagesOf(body).at(-1)?.['content']).toMatchObject([
      {
        type: 'tool_result',
        tool_use_id: 'c1',
        content: [{ type: 'text', text: said }, written('anthropic', a)],
      },
      { type: 'tool_result', tool_use_id: 'c2', content: 'two' },
    ])
  })

  test('Gemini from the third generation on: one response of each call', async () => {
    const { fields: body } = await sent('google', prompt, { model: within.google })
    expect(messagesOf(body).at(-1)?.['parts']).toMatchObject([
      {
        functionResponse: {
          name: 'view_image',
          response: { content: said },
          parts: [written('google', a)],
        },
      },
      { functionResponse: { name: 'view_image', response: { content: 'two' } } },
    ])
  })

  test('Claude and Nova on Bedrock', async () => {
    for (const model of [within['amazon-bedrock'], 'us.amazon.nova-pro-v1:0']) {
      const { fields: body } = await sent('amazon-bedrock', prompt, { model })
      expect(messagesOf(body).at(-1)?.['content']).toMatchObject([
        {
          toolResult: {
            toolUseId: 'c1',
            content: [{ text: said }, written('amazon-bedrock', a)],
          },
        },
        { toolResult: { toolUseId: 'c2', content: [{ text: 'two' }] } },
      ])
    }
  })

  test.each(Object.entries(within))('not if it reports an error: %s', async (provider, model) => {
    const failed = [user(text('Look')), called, results([text('half'), a], true)]
    const name = providers.find((each) => each === provider) ?? 'openai'
    const { body, fields: read } = await sent(name, failed, { model })
    expect(body).toContain('shown behind the results]')
    const last = messagesOf(read).at(-1)
    expect(list(last?.['content'] ?? last?.['parts']).at(-1)).toMatchObject(written(name, a))
  })
})

describe.each(behind)(
  '%s, %s: images stand behind all results of the turn (I24)',
  (provider, model) => {
    const prompt = [user(text('Look')), called, results([text('seen'), a, b])]

    test('in one message of the user, each with a line that says whose it is', async () => {
      const { fields: body } = await sent(provider, prompt, { model })
      const said =
        'seen\n[image "a.png", image/png, 2 × 2, shown behind the results]\n[image "b.png", image/png, 2 × 2, shown behind the results]'
      const last = messagesOf(body).at(-1) ?? {}
      // Bedrock has results and words of the user in one message.
      const shown = list(last['content'] ?? last['parts']).slice(-4)
      expect(last['role']).toBe('user')
      expect(shown).toMatchObject([
        words(provider, '[image "a.png", image/png, 2 × 2, of a result of view_image]'),
        written(provider, a),
        words(provider, '[image "b.png", image/png, 2 × 2, of a result of view_image]'),
        written(provider, b),
      ])
      const all = JSON.stringify(body)
      expect(all).toContain(JSON.stringify(said).slice(1, -1))
      // No image before the last result.
      expect(all.indexOf(base64(a))).toBeGreaterThan(all.lastIndexOf('two'))
    })

    test('and words that follow stand in the same message', async () => {
      const { fields: body } = await sent(provider, [...prompt, user(text('And?'))], { model })
      const roles = messagesOf(body).map(({ role }) => role)
      expect(roles.filter((role, n) => role === 'user' && roles[n - 1] === 'user').length).toBe(
        // Gemini has results in a message of the user, too.
        provider === 'google' ? 1 : 0,
      )
      const last = messagesOf(body).at(-1) ?? {}
      expect(list(last['content'] ?? last['parts']).at(-1)).toMatchObject(words(provider, 'And?'))
    })
  },
)

test('chat results stand one behind the other, and the message of the images behind the last', async () => {
  const prompt = [user(text('Look')), called, results([a])]
  const { fields: body } = await sent('openai-compatible', prompt)
  expect(messagesOf(body).map((each) => [each['role'], each['tool_call_id']])).toEqual([
    ['user', undefined],
    ['assistant', undefined],
    ['tool', 'c1'],
    ['tool', 'c2'],
    ['user', undefined],
  ])
})

describe('an image that its vendor refuses is not sent', () => {
  test('a GIF to Gemini', async () => {
    const { body, turn } = await sent('google', [user(gif, a)], { model: within.google })
    expect(body).toContain('not shown, this model takes no image/gif]')
    expect(body).not.toContain(base64(gif))
    expect(turn.imagesLeftOut).toBe(1)
    expect((await sent('openai', [user(gif)])).body).toContain(base64(gif))
  })

  test('more than 5 MiB of base64 to Anthropic and Bedrock', async () => {
    const most = 3_932_160
    const [fits, large] = [most, most + 1].map((bytes) =>
      image('big.png', pngHead(10, 10, bytes - 33), { width: 10, height: 10 }),
    )
    if (!fits || !large) throw new Error('no images')
    expect([fits.bytes, large.bytes]).toEqual([most, most + 1])
    for (const provider of ['anthropic', 'amazon-bedrock'] as const) {
      const model = within[provider]
      expect((await sent(provider, [user(fits)], { model })).body.length).toBeGreaterThan(5_242_880)
      const { body, turn } = await sent(provider, [user(large)], { model })
      expect(body).toContain('not shown, this model takes images of at most 3932160 bytes]')
      expect(turn.imagesLeftOut).toBe(1)
    }
    expect((await sent('openai', [user(large)])).turn.imagesLeftOut).toBeUndefined()
  })
})

describe('a provider that objects to an image', () => {
  async function failed(provider: Provider, reply: ReturnType<typeof jsonReply>, prompt: Prompt) {
    const baseURL = loopback.reply(reply)
    const images = async (key: string) => kept.get(key) ?? null
    return (await ask({ provider, baseURL, prompt, model: { vision: true }, images })).turn
  }
  const looking = [user(text('Look'), a)]

  // Messages as issue trackers of these vendors' clients quote them.
  test.each<readonly [Provider, number, object]>([
    [
      'anthropic',
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'Could not process image' },
      },
    ],
    [
      'anthropic',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            'messages.21.content.40.image.source.base64.data: At least one of the image dimensions exceed max allowed size',
        },
      },
    ],
    [
      'openai',
      400,
      {
        error: {
          message: 'You uploaded an unsupported image. Please make sure your image is valid.',
          type: 'invalid_request_error',
          code: 'image_parse_error',
        },
      },
    ],
    [
      'google',
      400,
      {
        error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Unable to process input image.' },
      },
    ],
    [
      'openai-compatible',
      404,
      { error: { message: 'No endpoints found that support image input', code: 404 } },
    ],
  ])('%s is told apart from other errors', async (provider, status, body) => {
    const reply = jsonReply(status, body)
    expect((await failed(provider, reply, looking)).error).toMatchObject({
      class: 'invalid_request',
      images: true,
    })
    // Without an image there is none to object to.
    expect((await failed(provider, reply, [user(text('Look'))])).error?.images).toBeUndefined()
  })

  test('for what it shows stopped for safety, which nobody asks again', async () => {
    const policy = {
      error: {
        message: 'The image was rejected by our safety system.',
        type: 'invalid_request_error',
        code: 'image_content_policy_violation',
      },
    }
    const turn = await failed('openai', jsonReply(400, policy), looking)
    expect(turn.error?.images).toBeUndefined()
    expect([turn.verdict, turn.error?.class]).toContain('safety')
  })

  test('with other words is not taken for one', async () => {
    const body = {
      error: { message: 'Unknown parameter: temperature', type: 'invalid_request_error' },
    }
    expect((await failed('openai', jsonReply(400, body), looking)).error?.images).toBeUndefined()
  })

  test('and quotes it is not quoted', async () => {
    const large = image('n.png', pngHead(9, 9, 300), { width: 9, height: 9 })
    const quoted = `'data:image/png;base64,${base64(large)}' is not a valid absolute URI, nor ${base64(large)}`
    const body = { error: { message: quoted, code: 'invalid_payload' } }
    const turn = await failed('openai-responses', jsonReply(400, body), [user(large)])
    expect(turn.error?.message).toBe("'[data]' is not a valid absolute URI, nor [data]")
  })
})

test('bytes that cannot be read now are a failure that passes', async () => {
  const images = () => Promise.reject(new Error('no register'))
  const { turn } = await sent('openai', [user(a)], { images })
  expect(turn.error).toMatchObject({ class: 'network', retryable: true, code: 'images_unreadable' })
})
