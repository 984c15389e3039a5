/**
 * The everyday reading of shell texts: every program of a text is found, wherever it stands, and no text makes the reader throw, hang or
 * take long. The reading of passports is tested by their corpora.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auditScript } from '../../src/bash-audit/audit-script.ts'
import { actionsOf } from '../../src/bash-audit/walk-script.ts'
import { parseEveryday } from '../../src/shell/parse-everyday.ts'

const programs = (text: string): readonly string[] =>
  actionsOf(text).executables.map(({ name }) => name)

describe('finds the program p in', () => {
  test.each([
    'p',
    'a; p',
    'a && p || b',
    'a | p',
    'a |& p',
    '! p',
    'time -p p',
    'p &',
    'x=1 p',
    '(p)',
    '{ p; }',
    'if p; then a; fi',
    'if a; then p; elif b; then c; else d; fi',
    'if a; then b; elif p; then c; fi',
    'if a; then b; else p; fi',
    'while p; do a; done',
    'until a; do p; done < f',
    'for x in a b; do p; done',
    'for x\nin a; do p; done',
    'for x do p; done',
    'for ((i = 0; i < 3; i++)); do p; done',
    'select x in a b; do p; done',
    'case x in a) p ;; esac',
    'case x in (a|b) c ;; *) p; esac',
    'case $(p) in a) b ;; esac',
    'case x in $(p)) b ;; esac',
    'f() { p; }; f',
    'function f { p; }',
    'function f() (p)',
    'f() if a; then p; fi',
    'coproc p',
    'coproc name { p; }',
    'echo $(p)',
    'echo `p`',
    'echo `echo \\`p\\``',
    'echo "$(p)"',
    'echo "`p`"',
    'echo ${x:-$(p)}',
    'echo "${x:=`p`}"',
    'echo ${x//a/$(p)}',
    'echo ${x[$(p)]}',
    'echo $((1 + $(p)))',
    'echo $[1 + $(p)]',
    'echo $(( (1) + `p` ))',
    '((x = $(p)))',
    '[[ $(p) == a ]]',
    '[[ a =~ ^($(p)|b)$ ]]',
    '[[ -n "$(p)" && ( a < b ) ]]',
    'x=$(p)',
    'x=(a $(p) b)',
    'declare -A x=([a]=$(p))',
    'x[$(p)]=1',
    'x+=("`p`")',
    'cat <(p)',
    'a > >(p)',
    'a < <(p)',
    'a <<< "$(p)"',
    'a <<EOF\n$(p)\nEOF',
    'a <<-EOF\n\t`p`\n\tEOF',
    'a <<X <<Y\n$(b)\nX\n$(p)\nY',
    'a > "$(p)"',
    "bash -c 'p'",
    "sh -ec 'a; p'",
    "eval 'p'",
    "trap 'p' EXIT",
    'env p',
    'env -S "p a"',
    'nohup p &',
    'exec p',
    'xargs p',
    'xargs -0 -n 1 p',
    'find . -exec p {} \\;',
    'find . -exec a \\; -execdir p {} +',
    'x=p; $x',
    'x=p; "$x" a',
    '"$dir/p"',
    'run() { "$@"; }; run p a',
    'run() { time "$@"; }; run p',
    'a # b\np',
    'a \\\n && p',
    'a <<EOF && p\nbody\nEOF',
    "a <<'EOF'\n$(b) `c`\nEOF\np",
    '$(echo p)\np',
  ])('%s', (text) => {
    expect(programs(text)).toContain('p')
  })
})

describe('finds no program p in', () => {
  test.each([
    'echo p',
    "echo '$(p)'",
    'echo "\\$(p)"',
    'echo \\`p\\`',
    "echo $'a\\'; p; \\''",
    "a <<'EOF'\n$(p)\nEOF",
    'a <<"EOF"\np\nEOF',
    'a <<EOF\np\nEOF',
    '# p\na',
    'a # $(p)',
    'for p in a; do b; done',
    'p() { a; }',
    'case p in p) a ;; esac',
    '[[ p == p ]]',
    '((p = 1))',
    'x=(p p)',
    'p=1',
    'a 2>p',
    'command -v p',
    'echo ${x:-p}',
    'echo @(p|q) !(p)',
  ])('%s', (text) => {
    expect(programs(text)).not.toContain('p')
  })
})

test.each([
  'if a',
  'a\nb "',
  'a; case x in',
  'a; x=(b',
  'a; [[ b',
  'a; echo $(b',
  'a; echo ${!',
  'a; echo `b',
  'a)',
  'a; ;;',
  'a; fi',
  'a; f()',
])('%j cannot be read to its end, and what stands before it is read', (text) => {
  expect(parseEveryday(text).problem).not.toBeNull()
  expect(programs(text)).toContain('a')
})

const pieces = fc.constantFrom(
  ...'$( $(( (( ) )) ` " \' \\ { } ${ ${x: <( >( << <<< < > | & ; && || [[ ]] if then fi for in do done case esac function f() x= x=( $x a - ! # ~ * ? = + EOF'.split(
    ' ',
  ),
  '\n',
  ' ',
  "$'",
  '<<EOF\n',
  '\nEOF\n',
  ';;',
)

test('any text is read without a throw, in a time that grows with its length', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 200 }), (parts) => {
      const text = parts.join('')
      const { script, problem } = parseEveryday(text)
      expect(Array.isArray(script)).toBe(true)
      expect(problem === null || problem.length > 0).toBe(true)
      auditScript(text)
    }),
    { numRuns: 3000 },
  )
})

/** Of the processor, so that a machine with other work counts as one without. */
function millisecondsSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1_000
}

/** Nine aliases, each of them so many times the next one. */
const aliasesThatFan = (times: number): string =>
  Array.from(
    'abcdefghi',
    (name, at) => `alias ${name}='${`${'bcdefghij'[at]};`.repeat(times)}'; `,
  ).join('')

test.each([
  ['values that need each other', 'a=$b; b=$a; eval "$a"; $b'],
  ['a value that needs itself', 'a="$a $a"; eval "$a"; $a'],
  ['values that double', `a=0123456789; ${'a=$a$a; b=$a$a; a=$b$b; '.repeat(40)} eval "$a"`],
  [
    'texts that read each other',
    `${'x=\'eval "$x"; eval "$y"\'; y=\'eval "$y"; eval "$x"\'; '.repeat(20)} eval "$x"`,
  ],
  [
    'many values for many words',
    `${'x=a; x=b; x=c; x=d; '.repeat(100)} ${'rm $x $x $x $x $x; '.repeat(300)}`,
  ],
  [
    'functions that call each other',
    `${'f() { g "$@"; "$@"; }; g() { f "$@"; "$@"; }; '.repeat(50)} f f g; g g f`,
  ],
  ['aliases of each other', `alias a='b a' b='a b'; ${'a b\n'.repeat(500)}`],
  ['arrays of themselves', `x=(a b); ${'x+=("${x[@]}"); '.repeat(200)}`],
  ['many changes of place', 'cd /a; cd b; touch c\n'.repeat(450)],
  ['texts of texts', "echo 'echo a | sh' | sh; ".repeat(380)],
  ['aliases that double', `${aliasesThatFan(25)} a`],
  ['one long alias', `alias a='${'b;'.repeat(2_000)}'\n${'a\n'.repeat(2_900)}`],
  ['one long value', `x='${'b;'.repeat(3_000)}'; ${'eval "$x"; '.repeat(330)}`],
  ['groups that feed groups', `${'{ x=1; } | '.repeat(900)} sh`],
  [
    'every way through pipes',
    `{ ${'a;'.repeat(900)} } | { ${'b;'.repeat(900)} } | { ${'xargs rm c;'.repeat(500)} }`,
  ],
  [
    'functions that start each other',
    Array.from({ length: 400 }, (_, at) => `f${at}() { f${at + 1} & f${at + 1} & }; `).join(''),
  ],
  ['one change of place after the other', `a; ${'cd a; '.repeat(1_600)}`],
] as const)('%s are followed to an end, in time', (_, text) => {
  const from = process.threadCpuUsage()
  expect(Array.isArray(auditScript(text.slice(0, 10_000)))).toBe(true)
  expect(millisecondsSince(from)).toBeLessThan(5_000)
})

test.each([
  '$(',
  '`',
  '((',
  '{ ',
  '$((',
  '<(',
  'if ',
  '"$(',
  '${x:-',
  '[[ ',
  'x=(',
  '@(',
  "$'",
  'a|',
  'f() { ',
  '(',
  '<<a ',
  'a\n',
  'eval ',
])('10,000 characters of %j are audited in time that is no power of their number', (piece) => {
  const text = piece.repeat(10_000 / piece.length).slice(0, 10_000)
  const from = process.threadCpuUsage()
  expect(Array.isArray(auditScript(text))).toBe(true)
  expect(millisecondsSince(from)).toBeLessThan(5_000)
})

test('a harmless script stays harmless within a condition, a loop, a function and a group', () => {
  const harmless = fc.constantFrom<string[]>(
    'ls -la',
    'echo "$x"',
    'grep -q a b',
    'x=$(date)',
    '[[ -f a ]]',
  )
  const around = fc.constantFrom<((inner: string) => string)[]>(
    (inner) => `if [ -f a ]; then ${inner}; fi`,
    (inner) => `for f in *; do ${inner}; done`,
    (inner) => `g() { ${inner}; }; g`,
    (inner) => `( ${inner} ) | sort`,
    (inner) => `case $x in a) ${inner} ;; esac`,
    (inner) => `while ${inner}; do break; done < <(ls)`,
  )
  fc.assert(
    fc.property(harmless, fc.array(around, { maxLength: 4 }), (script, layers) => {
      expect(auditScript(layers.reduce<string>((inner, layer) => layer(inner), script))).toEqual([])
      const bad = layers.reduce<string>((inner, layer) => layer(inner), 'rm -rf /')
      expect(auditScript(bad)[0]?.rule).toBe('vital_removal')
    }),
  )
})
