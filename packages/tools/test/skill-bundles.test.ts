/**
 * Reading skills (context-systems §9, §18.26, §19 skills 2). Would catch: a bad bundle that is skipped, one that is half read, YAML in which something
 * happens, a link that leads out of a bundle.
 */
import { execFileSync } from 'node:child_process'
import { chmod, link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@signalbox/core'
import type { BundleFile } from '@signalbox/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBundle, readSkill } from '../src/index.ts'
import { readHead } from '../src/skills/front-matter.ts'
import { temporaryDirectory } from './hosting.ts'

const file = (path: string, text: string | Uint8Array): BundleFile => ({
  path,
  bytes: typeof text === 'string' ? Buffer.from(text) : text,
  executable: false,
})

const own = ['name: pdf', 'description: Reads PDF.']
const skillOf = (lines: readonly string[], body = 'Do it.') =>
  file('SKILL.md', ['---', ...lines, '---', body].join('\n'))

const read = (lines: readonly string[]) => {
  const skill = readSkill('pdf', [skillOf(lines)])
  if (!skill.ok) throw new Error(skill.message)
  return skill.value
}

describe('a skill', () => {
  it('with nothing but what it needs, as the specification has it', () => {
    expect(
      readSkill('skill-name', [
        file(
          'SKILL.md',
          '---\nname: skill-name\ndescription: A description of what this skill does and when to use it.\n---\n',
        ),
      ]),
    ).toEqual({
      ok: true,
      value: {
        name: 'skill-name',
        description: 'A description of what this skill does and when to use it.',
        license: null,
        compatibility: null,
        metadata: {},
        allowedTools: null,
        secrets: [],
      },
    })
  })

  it('with everything', () => {
    expect(
      read([
        ...own,
        'license: Apache-2.0',
        'compatibility: Requires git, jq',
        'metadata:',
        '  author: example-org',
        '  version: 1.0 # a text all the same',
        '  secrets: ERP_TOKEN, SHOP_KEY',
        'allowed-tools: Bash(git:*) Bash(jq:*) Read',
      ]),
    ).toEqual({
      name: 'pdf',
      description: 'Reads PDF.',
      license: 'Apache-2.0',
      compatibility: 'Requires git, jq',
      metadata: { author: 'example-org', version: '1.0', secrets: 'ERP_TOKEN, SHOP_KEY' },
      allowedTools: ['Bash(git:*)', 'Bash(jq:*)', 'Read'],
      secrets: ['ERP_TOKEN', 'SHOP_KEY'],
    })
  })

  it.each([
    ['a list', ['allowed-tools:', '  - Bash(git add:*)', '  - Read'], ['Bash(git add:*)', 'Read']],
    ['a list in brackets', ['allowed-tools: [Read, Bash(ls)]'], ['Read', 'Bash(ls)']],
    [
      'commas',
      ['allowed-tools: Read, Bash(git add:*, git rm:*), Write'],
      ['Read', 'Bash(git add:*, git rm:*)', 'Write'],
    ],
    ['nothing', ['allowed-tools: ""'], []],
  ])('names tools by %s', (_, lines, tools) => {
    expect(read([...own, ...lines]).allowedTools).toEqual(tools)
  })

  it('has its description on one line, however it is written', () => {
    expect(
      read(['name: pdf', 'description: >-', '  Reads', '  PDF.', '', '  Writes: none.'])
        .description,
    ).toBe('Reads PDF. Writes: none.')
    expect(read(['name: pdf', 'description: "a\\tb"']).description).toBe('a b')
  })

  it('is read with a mark of the byte order, and with lines that end as on Windows', () => {
    const text = `\uFEFF${['---', ...own, '---', 'Do it.'].join('\r\n')}`
    expect(readSkill('pdf', [file('SKILL.md', text)])).toMatchObject({ ok: true })
  })
})

const long = (chars: number) => 'x'.repeat(chars)
const bomb = [
  'metadata:',
  '  a: &a ["x","x","x","x","x","x","x","x","x"]',
  ...['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, n) => {
    const before = `*${'abcdefgh'.charAt(n)}`
    return `  ${name}: &${name} [${Array.from({ length: 9 }, () => before).join(',')}]`
  }),
]

/** A name for the mistake, the lines of the head, the field, words of the message. */
const malformed: readonly (readonly [string, readonly string[], string | null, string])[] = [
  ['no name', ['description: x'], 'name', 'is missing'],
  ['an empty name', ['name: ""', 'description: x'], 'name', 'is empty'],
  ['capitals', ['name: PDF', 'description: x'], 'name', 'a-z, 0-9 and single hyphens'],
  ['a double hyphen', ['name: pdf--x', 'description: x'], 'name', 'single hyphens'],
  ['a hyphen first', ['name: -pdf', 'description: x'], 'name', 'single hyphens'],
  ['a long name', [`name: ${long(65)}`, 'description: x'], 'name', 'more than 64 characters'],
  ['a name that is a list', ['name: [pdf]', 'description: x'], 'name', 'takes a text'],
  ['the name of another folder', ['name: csv', 'description: x'], 'name', 'the folder is "pdf"'],
  ['no description', ['name: pdf'], 'description', 'is missing'],
  ['a blank description', ['name: pdf', 'description: "  "'], 'description', 'is empty'],
  [
    'a long description',
    ['name: pdf', `description: ${long(1025)}`],
    'description',
    '1025 characters; it takes 1024',
  ],
  [
    'a description with hidden words',
    ['name: pdf', 'description: "x\u{E0041}\u{E0042}"'],
    'description',
    'nobody sees',
  ],
  [
    'a description that turns the text around',
    ['name: pdf', 'description: "x\u202Egnp"'],
    'description',
    'nobody sees',
  ],
  [
    'a long compatibility',
    [...own, `compatibility: ${long(501)}`],
    'compatibility',
    '501 characters; it takes 500',
  ],
  ['metadata that is a text', [...own, 'metadata: x'], 'metadata', 'a map of texts'],
  [
    'metadata with a list in it',
    [...own, 'metadata: { tags: [a] }'],
    'metadata.tags',
    'takes a text',
  ],
  [
    'tools that are a map',
    [...own, 'allowed-tools: { Bash: yes }'],
    'allowed-tools',
    'takes a text',
  ],
  [
    'a secret that is no variable',
    [...own, 'metadata: { secrets: "erp-token" }'],
    'metadata.secrets',
    '"erp-token"',
  ],
  [
    'a secret in the place of PATH',
    [...own, 'metadata: { secrets: PATH }'],
    'metadata.secrets',
    '"PATH"',
  ],
  [
    'a key that is misspelt',
    [...own, 'alowed-tools: Read'],
    'alowed-tools',
    'Did you mean "allowed-tools"?',
  ],
  [
    'a key that the format does not have',
    [...own, 'version: 1'],
    'version',
    'The format has: name',
  ],
  ['a key twice', [...own, 'name: pdf'], null, 'Map keys must be unique (line 4)'],
  ['a tag', ['name: pdf', 'description: !!js/function x'], null, 'a tag (!name) in line 3'],
  ['an anchor', ['name: &n pdf', 'description: x'], null, 'an anchor (&name) in line 2'],
  ['an alias', ['name: pdf', 'description: *n'], null, 'an alias (*name) in line 3'],
  ['a bomb of aliases', [...own, ...bomb], null, 'an anchor (&name) in line 5'],
  ['a merge', [...own, 'metadata:', '  <<: *n'], null, 'an alias'],
  ['a directive', ['%YAML 1.1'], null, 'a directive'],
  ['brackets without an end', ['name: [pdf', 'description: x'], null, 'is no YAML'],
  [
    'brackets in brackets',
    [...own, `metadata: ${'['.repeat(5_000)}`],
    null,
    'nested too deeply in line 4',
  ],
  ['lists in lists', [...own, `metadata: ${'- '.repeat(4_000)}x`], null, 'is no YAML'],
  ['a colon in a text', ['name: pdf', 'description: use it when: now'], null, 'is no YAML'],
  ['a text alone', ['pdf'], null, 'takes fields'],
  ['a list', ['- name: pdf'], null, 'takes fields'],
  ['nothing', [], null, 'takes fields'],
  [
    'more than 16 KiB',
    [...own, `license: ${long(limits.skillHeadBytesMax)}`],
    null,
    'more than 16384 bytes',
  ],
]

describe('§19.2 a bundle is refused by its file and field', () => {
  it('there are at least 20 of them', () => expect(malformed.length).toBeGreaterThan(20))

  it.each(malformed)('%s', (_, lines, field, words) => {
    const skill = readSkill('pdf', [skillOf(lines)])
    expect(skill).toMatchObject({ ok: false, file: 'SKILL.md', field })
    expect(skill.ok ? '' : skill.message).toContain(words)
  })

  it.each([
    ['no SKILL.md', [file('skill.md', 'x')], '', 'there is no SKILL.md in it'],
    ['no head', [file('SKILL.md', '# PDF\nDo it.')], 'SKILL.md', 'does not begin with a head'],
    [
      'a head without an end',
      [file('SKILL.md', '---\nname: pdf\n')],
      'SKILL.md',
      'does not begin with a head',
    ],
    [
      'bytes that are no UTF-8',
      [file('SKILL.md', Buffer.from([0x2d, 0xff, 0xfe]))],
      'SKILL.md',
      'no text in UTF-8',
    ],
    ['a zero byte', [skillOf(own, 'a\0b')], 'SKILL.md', 'no text in UTF-8'],
    [
      'instructions of more than 64 KiB',
      [skillOf(own, long(limits.skillBodyBytesMax + 1))],
      'SKILL.md',
      'more than 65536 bytes behind its head',
    ],
  ])('%s', (_, files, at, words) => {
    const skill = readSkill('pdf', files)
    expect(skill).toMatchObject({ ok: false, file: at, field: null })
    expect(skill.ok ? '' : skill.message).toContain(words)
  })

  it('property: whatever a head is, it is read or refused, and nothing throws', () => {
    const signs = fc.constantFrom(
      'name',
      'description',
      ':',
      ' ',
      '\n',
      '-',
      '[',
      ']',
      '{',
      '}',
      '&a',
      '*a',
      '!t',
      '"',
      "'",
      '|',
      '>',
      '#',
      '%',
      '?',
      ',',
      'pdf',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(signs, { maxLength: 60 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => void readHead(text)),
      { numRuns: 400 },
    )
  })

  it('property: a map by its own name is a map like any other', () => {
    const head = readHead('name: a\ndescription: b\nmetadata:\n  __proto__: x\n  constructor: y')
    expect(head.ok && Object.entries(head.value.metadata)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })
})

const folder = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const path = await temporaryDirectory()
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(path, name, '..'), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return path
}

const paths = async (at: string) => {
  const files = await readBundle(at)
  return files.ok ? files.value.map(({ path, executable }) => [path, executable]) : files
}

describe('the files of a folder', () => {
  it('are read, hidden ones included, with what may be executed', async () => {
    const at = await folder({ 'SKILL.md': 'x', 'scripts/a.sh': 'x', '.hidden': 'x', 'z/y/x': 'x' })
    await chmod(join(at, 'scripts/a.sh'), 0o755)
    await mkdir(join(at, 'empty'))
    await link(join(at, 'SKILL.md'), join(at, 'second-name'))
    expect(await paths(at)).toEqual([
      ['.hidden', false],
      ['SKILL.md', false],
      ['scripts/a.sh', true],
      ['second-name', false],
      ['z/y/x', false],
    ])
  })

  it.each([
    ['a link to a file', (at: string) => symlink('/etc/hostname', join(at, 'a'))],
    ['a link to nothing', (at: string) => symlink('nowhere', join(at, 'a'))],
    ['a link to a folder', (at: string) => symlink('/etc', join(at, 'a'))],
    ['a pipe', (at: string) => Promise.resolve(execFileSync('mkfifo', [join(at, 'a')]))],
  ])('may not have %s', async (_, make) => {
    const at = await folder({ 'SKILL.md': 'x' })
    await make(at)
    expect(await readBundle(at)).toEqual({
      ok: false,
      file: 'a',
      field: null,
      message: 'is no regular file; a skill has no links, pipes or devices',
    })
  })

  it('have names that every machine takes, and that differ in more than letter case', async () => {
    expect(await readBundle(await folder({ 'a:b': 'x' }))).toMatchObject({ ok: false, file: 'a:b' })
    const twins = await folder({ 'README.md': 'x', 'readme.md': 'x' })
    expect(await readBundle(twins)).toMatchObject({
      ok: false,
      file: 'readme.md',
      message: 'is "README.md" where letter case tells no files apart',
    })
  })

  it('are at most 200', async () => {
    const names = Array.from({ length: limits.bundleFilesMax + 1 }, (_, n) => `f${1000 + n}`)
    const at = await folder(Object.fromEntries(names.map((name) => [name, 'x'])))
    expect(await readBundle(at)).toMatchObject({
      ok: false,
      file: 'f1200',
      message: 'a skill has at most 200 files',
    })
  })

  it('have at most 16 MiB, which is looked at before they are read', async () => {
    const at = await folder({ a: 'x' })
    await writeFile(join(at, 'b'), '')
    await truncate(join(at, 'b'), limits.bundleBytesMax)
    expect(await readBundle(at)).toMatchObject({
      ok: false,
      file: 'b',
      message: 'the files of a skill have at most 16777216 bytes',
    })
    await truncate(join(at, 'b'), limits.bundleBytesMax - 1)
    expect(await readBundle(at)).toMatchObject({ ok: true })
  })
})
