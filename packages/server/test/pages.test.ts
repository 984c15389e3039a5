/**
 * The pages for people. Would catch: a page that loads something from elsewhere, a name of the configuration that breaks out of
 * its text, agents that are shown to who has no key, an operation that the reference forgets.
 */
import { createHash } from 'node:crypto'
import { JSDOM } from 'jsdom'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from './support/http.ts'
import { note } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const model = { provider: 'scripted', model: '<img src=x>' } as const
const config: ConfigInput = {
  agents: { mason: { model, tools: ['note'] } },
  tools: [note],
  scripts: { '<img src=x>': () => ({ text: 'Yes.' }) },
}
const apiKey = 'the-key-of-the-operator'
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const json = { accept: 'application/json' }
const showing = { authorization: `Bearer ${apiKey}` }

let open: TestSignalbox
let keyed: TestSignalbox

beforeAll(async () => {
  open = await startTest(config)
  keyed = await startTest(config, { env: { SIGNALBOX_API_KEY: apiKey } })
})
afterAll(async () => {
  await open?.stop()
  await keyed?.stop()
})

const page = async (path: string, headers = {}) => {
  const answer = await call(open.api, 'GET', path, { headers: { ...html, ...headers } })
  return { ...answer, window: new JSDOM(answer.body).window }
}

describe.each(['/', '/docs'])('the page at %s', (path) => {
  it('is one document: no script, no form, nothing from elsewhere, and its policy says so', async () => {
    const { status, headers, body, window } = await page(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = headers.get('content-security-policy') ?? ''
    const style = window.document.querySelector('style')?.textContent ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${digest}'`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(
      window.document.querySelectorAll('script, form, iframe, img, object, embed'),
    ).toHaveLength(0)
    expect(window.document.querySelectorAll('[style]')).toHaveLength(0)
    const attributes = [...window.document.querySelectorAll('[src], [href]')].map(
      (element) => element.getAttribute('href') ?? element.getAttribute('src') ?? '',
    )
    expect(attributes.length).toBeGreaterThan(3)
    expect(attributes.filter((address) => !/^(\/(?!\/)|#|data:,$)/.test(address))).toEqual([])
    expect(body).not.toMatch(/@import|url\(/)
  })

  it('has links that lead somewhere', async () => {
    const { window } = await page(path)
    const links = [...window.document.querySelectorAll('a')].map(
      (each) => each.getAttribute('href') ?? '',
    )
    for (const link of new Set(links)) {
      const leads = link.startsWith('#')
        ? window.document.getElementById(link.slice(1)) !== null
        : (await call(open.api, 'GET', link)).status === 200
      expect([link, leads]).toEqual([link, true])
    }
  })

  it('is asked for once: then its ETag is enough; HEAD has the headers alone', async () => {
    const { headers } = await page(path)
    const etag = headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    const again = await page(path, { 'if-none-match': `"other", W/${etag}` })
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag])
    const head = await call(open.api, 'HEAD', path, { headers: html })
    expect([head.status, head.body, head.headers.get('etag')]).toEqual([200, '', etag])
    expect((await call(open.api, 'POST', path, { body: {} })).status).toBe(405)
  })

  it('is open where a key is asked for', async () => {
    const answer = await call(keyed.api, 'GET', path, { headers: html })
    expect(answer.status).toBe(200)
    expect(answer.body).not.toContain('mason')
  })
})

describe('the page at /', () => {
  it('says what there is and what to type, in text that stays text', async () => {
    const { window, body } = await page('/')
    const text = window.document.body.textContent ?? ''
    expect(text).toContain('mason')
    expect(text).toContain('scripted, <img src=x>')
    expect(text).toContain('note')
    expect(text).toContain(`curl -s ${open.api}/runs/wait`)
    expect(text).toContain('ready')
    expect(body).not.toContain('<img')
  })

  it('is JSON for who asks for it', async () => {
    const { headers, body } = await call(open.api, 'GET', '/', { headers: json })
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('vary')).toContain('accept')
    expect(body).toMatchObject({
      name: 'Signalbox',
      ready: true,
      agents: [{ name: 'mason', tools: ['note', 'read_result'] }],
      links: { reference: '/docs', openapi: '/openapi.json' },
    })
  })

  it.each([
    ['nobody', {}],
    ['a wrong key', { authorization: 'Bearer not-the-key-of-the-operator' }],
  ])('shows %s nothing of the installation where a key is asked for', async (_, headers) => {
    const { body } = await call(keyed.api, 'GET', '/', { headers: { ...json, ...headers } })
    expect(Object.keys(body).toSorted()).toEqual(['commands', 'links', 'name', 'ready'])
    expect(JSON.stringify(body)).not.toMatch(/mason|note|img/)
    expect(JSON.stringify(body.commands)).toContain('SIGNALBOX_API_KEY')
  })

  it('shows agents to who has a key', async () => {
    const { body } = await call(keyed.api, 'GET', '/', { headers: { ...json, ...showing } })
    expect(body.agents).toHaveLength(1)
    expect(body.version).toMatch(/^\d/)
  })

  it('has a command that works as it stands', async () => {
    const { body } = await call(open.api, 'GET', '/', { headers: json })
    const [, sent = ''] = /-d '(.*)'$/.exec(Object.values<string>(body.commands)[0] ?? '') ?? []
    const answer = await call(open.api, 'POST', '/runs/wait', { body: JSON.parse(sent) })
    expect([answer.status, answer.body.outcome]).toEqual([200, 'completed'])
  })
})

describe('the reference at /docs', () => {
  it('has every operation of the document, with its line to type, and every schema', async () => {
    const { window } = await page('/docs')
    const { body: document } = await call(open.api, 'GET', '/openapi.json')
    const ids = Object.values<Record<string, { readonly operationId: string }>>(
      document.paths,
    ).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(ids.length).toBeGreaterThan(100)
    for (const id of ids) {
      const part = window.document.getElementById(id)
      expect(part?.querySelector('pre')?.textContent, id).toMatch(/^curl -s .*"\$SIGNALBOX_URL\//)
    }
    for (const name of Object.keys(document.components.schemas))
      expect(window.document.getElementById(`schema-${name}`), name).not.toBeNull()
    const create = window.document.getElementById('createRunAndWait')?.textContent ?? ''
    for (const expected of [
      'POST',
      '/runs/wait',
      'assistant_id',
      'idempotency-key',
      'unknown_agent',
    ])
      expect(create).toContain(expected)
  })
})
