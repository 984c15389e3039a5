/** Chains of programs in every disguise: the passport sees each of them. */
import fc from 'fast-check'
import { test } from 'vitest'
import { command } from './passports.ts'

const allowed = ['git', 'ls', 'echo', 'grep']
const quoted = (word: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    word,
    `'${word}'`,
    `"${word}"`,
    `\\${word}`,
    `${word.slice(0, 1)}''${word.slice(1)}`,
    `${word.slice(0, 1)}"${word.slice(1)}"`,
    `${word.slice(0, 1)}\\\n${word.slice(1)}`,
    `$'${word}'`,
  )
const wrapped = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    text,
    `env ${text}`,
    `env CI=1 ${text}`,
    `CI=1 ${text}`,
    `nohup ${text}`,
    `time ${text}`,
    `! ${text}`,
    `exec ${text}`,
    `timeout -k 1 5 ${text}`,
    `nice -n 5 ${text}`,
    `(${text})`,
    `{ ${text}; }`,
    `if ${text}; then echo; fi`,
    `while ${text}; do echo; done`,
    `for x in a b; do ${text}; done`,
    `x=$(${text})`,
    `> out ${text}`,
    `2>&1 ${text}`,
  )
const program = (
  names: readonly string[],
  inside: (text: string) => fc.Arbitrary<string> = wrapped,
): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom('', ' x', " 'a b'", ' "$X" -l', ' >out'))
    .chain(([name, rest]) => quoted(name).map((word) => word + rest))
    .chain(inside)
/** What xargs adds to a program may be options: to a program that has dangerous ones it denies. */
const orByXargs = (text: string): fc.Arbitrary<string> =>
  fc.oneof(wrapped(text), fc.constant(`xargs -n 1 ${text}`))
const joint = fc.constantFrom(';', ' ; ', '&&', ' || ', '|', ' |& ', ' & ', '\n', '\n\n', ';\t')

const chain = (
  before: readonly string[],
  middle: string,
  after: readonly string[],
): fc.Arbitrary<string> =>
  fc
    .array(joint, {
      minLength: before.length + after.length,
      maxLength: before.length + after.length,
    })
    .map((joints) =>
      [...before, middle, ...after]
        .map((each, at) => (at === 0 ? each : joints[at - 1] + each))
        .join(''),
    )

test('a chain of allowed programs is allowed, however it is written', () => {
  fc.assert(
    fc.property(
      fc.array(program(allowed), { maxLength: 3 }).chain((some) => chain(some, 'ls', [])),
      (text) => command({ allowed_commands: allowed }, text) === 'allow',
    ),
    { numRuns: 500 },
  )
})

test('a chain with one program that is not allowed is denied, wherever that stands and however it is written', () => {
  const some = fc.array(program(allowed), { maxLength: 3 })
  fc.assert(
    fc.property(
      fc
        .tuple(some, program(['curl', 'gitx', 'python3', 'rm'], orByXargs), some)
        .chain(([before, middle, after]) => chain(before, middle, after)),
      (text) => command({ allowed_commands: allowed }, text) !== 'allow',
    ),
    { numRuns: 1000 },
  )
})

test('any text at all gets an answer', () => {
  const piece = fc.constantFrom(
    ...'"\'\\$(){}`;&|<>\n #'.split(''),
    ...'git EOF <<EOF if for do in = 1 -c sh find -exec xargs é \u{1f600}'.split(' '),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      command({}, pieces.join(''))
    }),
    { numRuns: 2000 },
  )
})
