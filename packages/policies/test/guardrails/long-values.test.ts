/**
 * Secrets without a format of their own that are longer than is seen at once: tokens of sessions, tickets, sealed cookies. Would catch: the first
 * hundred characters taken out, and the rest shown.
 */
import { describe, expect, test } from 'vitest'
import { guardrailOf, inDeltas, judged, play } from './play.ts'

const secrets = guardrailOf({ use: 'secrets', toolResults: true })

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A body of this length that repeats no run of ten. */
function body(length: number): string {
  let state = 20_261
  let made = ''
  while (made.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    made += alphabet.charAt(Math.floor(state / 65_536) % alphabet.length)
  }
  return made
}

const long = body(900)
const piecesOf = (secret: string): readonly string[] =>
  Array.from({ length: Math.floor(secret.length / 10) }, (_, n) =>
    secret.slice(n * 10, n * 10 + 10),
  )

describe.each([130, 201, 356, 900])('a value of %i characters', (length) => {
  const value = long.slice(0, length)
  test.each([
    ['a session of AWS', `export AWS_SESSION_TOKEN=${value}== next`],
    [
      'a session in an address',
      `https://s3.example/a?X-Amz-Security-Token=${value.slice(0, 100)}%2F${value.slice(100)}&x=1 next`,
    ],
    ['a bearer', `Authorization: Bearer ${value} next`],
    ['a ticket', `Authorization: Negotiate ${value}== next`],
    ['a sealed cookie', `Set-Cookie: session=${value}; Path=/ next`],
    ['a password', `The password is ${value}. next`],
    ['a key in JSON', `{"client_secret": "${value}"} next`],
  ])('%s: no piece of it is left, and what follows is', (_name, text) => {
    const shown = [judged(secrets, text), secrets.inspector?.inspect(text).text ?? '']
    for (const size of [1, 16, 4096]) shown.push(play([secrets], inDeltas(text, size)).text)
    for (const each of shown) {
      expect(piecesOf(value).filter((piece) => each.includes(piece))).toEqual([])
      expect(each).toMatch(/\[redacted:credential\].* next$/s)
    }
    // The same, however it came.
    expect(new Set(shown.slice(1)).size).toBe(1)
  })
})
