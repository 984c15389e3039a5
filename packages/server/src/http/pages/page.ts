/**
 * A page of this server.
 *
 * P1 It is one document: no script, no image, no font, and nothing of another origin; its policy says so to the browser.
 * P2 It changes nothing and asks for nothing: there is no form in it.
 * P3 A browser that has it asks whether it is still the same, and gets no body then.
 */
import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { type Html, html } from './html.ts'
import { style } from './style.ts'

const styleHash = createHash('sha256').update(style).digest('base64')

/** Of all pages. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The text of a page. */
export const pageText = (title: string, body: Html): string => {
  // The policy names the style by its digest, so it must stand there as it is.
  const head: Html = { html: `<style>${style}</style>` }
  const { html: text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html> `
  return text
}

/** What identifies a text. */
const tagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`

/** Answers the text as a page, or that the client has it. */
export const pageResponse = (
  c: Context,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Response => taggedResponse(c, text, { ...pageHeaders, ...more })

/** Answers a text, or that the client has it. */
export function taggedResponse(
  c: Context,
  text: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const etag = tagOf(text)
  const all: Readonly<Record<string, string>> = {
    ...headers,
    etag,
    'cache-control': 'private, no-cache',
  }
  const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim())
  if (!known.includes(etag) && !known.includes(`W/${etag}`) && !known.includes('*'))
    return c.newResponse(text, 200, all)
  const { 'content-type': _, ...bare } = all
  return c.newResponse(null, 304, bare)
}
