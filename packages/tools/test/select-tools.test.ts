import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, selectTools } from '../src/index.ts'
import { serverPrefix, toolNames } from '../src/mcp/names.ts'
import { workspaceTools } from '../src/workspace/tools.ts'
import { namesOf } from './hosting.ts'

const spec = (name: string) =>
  defineTool({ name, description: name, input: z.object({}), run: () => '' }).toSpec()
const specs = [
  ...workspaceTools('directory').map((tool) => tool.toSpec()),
  ...['search', 'mcp__fs__read_file', 'mcp__fs__write_file', 'mcp__fs2__read_file'].map(spec),
]

function chosen(selectors: readonly string[]): readonly string[] {
  const selection = selectTools(specs, selectors)
  if (!selection.ok) throw new Error(selection.message)
  return namesOf(selection.specs)
}

describe('selectTools', () => {
  it('resolves the workspace, a server and a name, sorted, each tool once', () => {
    expect(chosen(['workspace'])).toEqual(['ls', 'read_file', 'str_replace', 'write_file'])
    expect(chosen(['mcp:fs'])).toEqual(['mcp__fs__read_file', 'mcp__fs__write_file'])
    expect(chosen(['search', 'mcp:fs', 'mcp__fs__read_file', 'ls'])).toEqual([
      'ls',
      'mcp__fs__read_file',
      'mcp__fs__write_file',
      'search',
    ])
    expect(chosen([])).toEqual([])
  })

  it.each([
    ['serch', 'search'],
    ['mcp:sf', 'mcp:fs'],
    ['worksapce', 'workspace'],
    ['mcp__fs__readfile', 'mcp__fs__read_file'],
    ['something entirely different', undefined],
  ])('names what was probably meant by %s', (selector, nearest) => {
    const selection = selectTools(specs, [selector])
    expect(selection.ok).toBe(false)
    if (selection.ok) return
    expect(selection.selector).toBe(selector)
    expect(selection.nearest).toBe(nearest)
    expect(selection.message).toContain(nearest ?? selector)
  })
})

describe('names of MCP tools', () => {
  it('leaves plain names alone', () => {
    expect([...toolNames('fs', ['read_file'])]).toEqual([['mcp__fs__read_file', 'read_file']])
  })

  it('makes every name valid, and different ones of different tools', () => {
    const tools = ['a b', 'a_b', 'a.b', 'x'.repeat(80), `${'x'.repeat(80)}y`, 'ä', '', '../../etc']
    const names = [...toolNames('my server', tools).keys()]
    expect(names).toHaveLength(tools.length)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect([...toolNames('my server', tools.toReversed()).keys()].sort()).toEqual(names.sort())
  })

  it('never lets one server speak with the prefix of another', () => {
    const servers = [
      'a',
      'a_',
      'a__b',
      'A',
      'a b',
      'a_b',
      'a-b',
      'é',
      's'.repeat(60),
      `${'s'.repeat(60)}t`,
    ]
    const prefixes = servers.map(serverPrefix)
    expect(new Set(prefixes).size).toBe(servers.length)
    const overlaps = prefixes.flatMap((one) =>
      prefixes.filter((other) => one !== other && one.startsWith(other)),
    )
    expect(overlaps).toEqual([])
  })
})
