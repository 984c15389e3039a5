/**
 * Names and paths that users give to files (context-systems §6 "Names", §19 files 2: the names table). Would catch: a name that leaves its
 * directory, that another system reads as something else, that shows as what it is not, or that the tools of the workspace refuse later.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileName, filePath, freeName, nameKey } from '../src/index.ts'
import { parsePath } from '../src/workspace/path.ts'

/** A name, and the file name that it becomes; null: it is refused. */
const names: readonly (readonly [given: string, becomes: string | null, why: string])[] = [
  ['report.pdf', 'report.pdf', 'is plain'],
  ['Über uns.txt', 'Über uns.txt', 'has letters beyond ASCII'],
  ['Cafe\u0301.txt', 'Caf\u00e9.txt', 'is put into NFC'],
  ['نامه\u200cها.txt', 'نامه\u200cها.txt', 'has a joiner that its script needs'],
  ['👩\u200d🚀.png', '👩\u200d🚀.png', 'has a joined emoji'],
  ['a'.repeat(200), 'a'.repeat(200), 'is as long as a name may be'],
  ['archive.tar.gz', 'archive.tar.gz', 'has two dots'],
  ['❤\ufe0f 1\ufe0f\u20e3.png', '❤\ufe0f 1\ufe0f\u20e3.png', 'has emoji of two characters'],
  ['葛\u{e0100}城.txt', '葛\u{e0100}城.txt', 'has a character in one of its forms'],
  ['CONSOLE.txt', 'CONSOLE.txt', 'only begins like a device'],
  ['com10.txt', 'com10.txt', 'is no device'],
  // Directories are the client's business.
  ['../x', 'x', 'climbs'],
  ['../../etc/passwd', 'passwd', 'climbs further'],
  ['/etc/passwd', 'passwd', 'is absolute'],
  ['C:\\Users\\ann\\x.txt', 'x.txt', 'is a path of Windows'],
  ['..\\..\\x.txt', 'x.txt', 'climbs with backslashes'],
  ['a/b/c.txt', 'c.txt', 'has directories'],
  ['\\\\host\\share\\x.txt', 'x.txt', 'is a share'],
  // Refused.
  ['', null, 'is empty'],
  ['COM¹.txt', null, 'is a device with a digit above the line'],
  ['conin$', null, 'is the console'],
  ['NUL .txt', null, 'is a device before a space'],
  ['.', null, 'is the directory'],
  ['..', null, 'is the directory above'],
  ['a/', null, 'is a directory'],
  ['a/..', null, 'climbs at its end'],
  ['.bashrc', null, 'begins with a dot'],
  ['.signalbox-0123456789abcdef.tmp', null, 'is one of a write that is under way'],
  ['a\u0000.txt', null, 'has NUL'],
  ['a\nb.txt', null, 'has a line break'],
  ['a\u001b[31m.txt', null, 'has an escape'],
  ['a\u007f.txt', null, 'has DEL'],
  ['a\u0085b.txt', null, 'has a C1 control'],
  ['a\u2028b.txt', null, 'has a separator of lines'],
  ['a\u2029b.txt', null, 'has a separator of paragraphs'],
  ['exe\u202egpj.scr', null, 'turns the direction (override)'],
  ['a\u202ab.txt', null, 'embeds a direction'],
  ['a\u2066b.txt', null, 'isolates a direction'],
  ['a\u200fb.txt', null, 'has a right-to-left mark'],
  ['a\u200eb.txt', null, 'has a left-to-right mark'],
  ['a\u200bb.txt', null, 'has a space of no width'],
  ['\ufeffa.txt', null, 'has a byte order mark'],
  ['a\u00adb.txt', null, 'has a soft hyphen'],
  ['a\ue000b.txt', null, 'has a character for private use'],
  ['a\uffffb.txt', null, 'has what is no character'],
  ['a\ud800b.txt', null, 'has half of a surrogate pair'],
  ['a\u{e0001}b.txt', null, 'has a tag character'],
  ['\u200d', null, 'is nothing but a joiner'],
  ['\u200cnote.txt', null, 'begins with a joiner'],
  ['invoice\u200d.pdf', null, 'has a joiner that joins nothing'],
  ['invoice\ufe0f.pdf', null, 'has a selector of a variant that there is not'],
  ['\u3164', null, 'is a letter that shows as nothing'],
  ['a\u115f.txt', null, 'has a filler of Hangul'],
  ['a\uffa0.txt', null, 'has a filler of half width'],
  ['a\u034f.txt', null, 'has a joiner of graphemes'],
  ['a\u17b4.txt', null, 'has a vowel that shows as nothing'],
  ['CON', null, 'is a device'],
  ['con.txt', null, 'is a device with an extension'],
  ['NUL', null, 'is the null device'],
  ['aux.c', null, 'is a device'],
  ['PRN.', null, 'is a device with a dot'],
  ['COM1', null, 'is a port'],
  ['lpt9.log', null, 'is a printer'],
  ['a:b.txt', null, 'names a stream of Windows'],
  ['a*.txt', null, 'has a wildcard'],
  ['a?.txt', null, 'has a wildcard'],
  ['a"b.txt', null, 'has a quote'],
  ['<a>.txt', null, 'has brackets'],
  ['a|b.txt', null, 'has a pipe'],
  ['a.txt.', null, 'ends with a dot'],
  ['a.txt ', null, 'ends with a space'],
  [' a.txt', null, 'begins with a space'],
  ['a.txt\u00a0', null, 'ends with a space that does not break'],
  ['a'.repeat(201), null, 'has 201 characters'],
  ['a'.repeat(300), null, 'has 300 characters'],
  ['漢'.repeat(67), null, 'has 201 bytes'],
]

describe('a name that a user gives (files 2)', () => {
  it('is tried with at least 40 hostile ones', () => {
    const plain = names.filter(([given, becomes]) => given === becomes)
    expect(names.length - plain.length).toBeGreaterThanOrEqual(40)
  })

  it.each(names)('%j becomes %j: it %s', (given, becomes) => {
    const named = fileName(given)
    const refused = { ok: false, code: 'bad_path' }
    expect(named).toMatchObject(becomes === null ? refused : { ok: true, value: becomes })
  })

  it('is one part of a path that the tools accept, stays what it is, and shows nothing hidden', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 250 }), (given) => {
        const named = fileName(given)
        if (!named.ok) return
        expect(parsePath(`uploads/${named.value}`)).toEqual({
          ok: true,
          value: ['uploads', named.value],
        })
        expect(fileName(named.value)).toEqual(named)
        expect(named.value).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
      }),
      { numRuns: 2000 },
    )
  })
})

const taken = (...all: readonly string[]) => {
  const known = new Set(all.map(nameKey))
  return (name: string) => known.has(name)
}

describe('a name that is taken', () => {
  it('gets a number before its extension, the first that is free', () => {
    expect(freeName('a.txt', taken())).toBe('a.txt')
    expect(freeName('a.txt', taken('a.txt'))).toBe('a (2).txt')
    expect(freeName('a.txt', taken('a.txt', 'a (2).txt'))).toBe('a (3).txt')
    expect(freeName('a', taken('a'))).toBe('a (2)')
    expect(freeName('a.tar.gz', taken('a.tar.gz'))).toBe('a.tar (2).gz')
  })

  it('is taken in whatever case', () => {
    expect(freeName('Report.PDF', taken('report.pdf'))).toBe('Report (2).PDF')
  })

  it('is taken by whatever looks like it', () => {
    expect(freeName('Caf\u00e9.txt', taken('Cafe\u0301.txt'))).toBe('Caf\u00e9 (2).txt')
    expect(freeName('❤\ufe0f.png', taken('❤.png'))).toBe('❤\ufe0f (2).png')
    expect(freeName('ä\u200d.txt', taken('Ä.txt'))).toBe('ä\u200d (2).txt')
  })

  it('stays a name, however long it is', () => {
    const long = `${'漢'.repeat(60)}.${'x'.repeat(19)}`
    for (const name of [long, 'a'.repeat(200), `a.${'x'.repeat(198)}`]) {
      const free = freeName(name, taken(name))
      expect(free).not.toBe(name)
      expect(fileName(free)).toEqual({ ok: true, value: free })
    }
  })
})

describe('a path that a user gives', () => {
  it.each([
    ['outputs/a.txt', 'outputs/a.txt'],
    ['./outputs//a.txt', 'outputs/a.txt'],
    ['Cafe\u0301/x', 'Caf\u00e9/x'],
    ['.github/x', '.github/x'],
  ])('%j becomes %j', (given, becomes) => {
    expect(filePath(given)).toEqual({ ok: true, value: becomes })
  })

  it.each([
    '',
    '.',
    '/a',
    'a/../b',
    '..',
    'a\u0000',
    'a\\b',
    'CON/x',
    'a/\u202ex',
    'a/\u200fb',
    'a\ud800',
    'a/.signalbox-0123456789abcdef.tmp',
    'x/'.repeat(40) + 'y',
    'a/',
    'a'.repeat(2000),
  ])('%j is refused', (given) => {
    expect(filePath(given)).toMatchObject({ ok: false })
  })
})

describe('a path that is refused', () => {
  it.each([
    ['notes/con.txt', 'device of Windows'],
    ['nul', 'device of Windows'],
    ['a'.repeat(201), 'more than 200 bytes'],
    [`${'é'.repeat(101)}/x`, 'more than 200 bytes'],
    ['a:b', 'characters that are not allowed'],
    ['a.', 'characters that are not allowed'],
  ])('%s: by what is wrong with it', (path, why) => {
    expect(filePath(path)).toMatchObject({ ok: false, code: 'bad_path' })
    const refused = filePath(path)
    expect(refused.ok ? '' : refused.message).toContain(why)
  })
})
