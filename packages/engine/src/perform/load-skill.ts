/**
 * The tool `load_skill`: the instructions of a skill, and the list of its files. It reads what the run pins, on whatever worker; that a skill is
 * loaded is said by the decision that takes the result.
 */
import {
  alreadyLoaded,
  limits,
  loadedText,
  loadSkillToolName,
  ToolSpec,
  type TextPart,
  unknownSkill,
} from '@signalbox/core'
import { z } from 'zod'
import type { ToolHost, ToolOutcome, ToolRequest } from '../ports.ts'
import { sha256 } from '../record/draft.ts'
import { loadedOf } from './bundles.ts'

const description =
  'Loads a skill of the list of skills: answers its instructions, and which files belong to it. Load a skill before you begin what it is for. ' +
  'Its files can be read afterwards.'

const loadSkillSpec = (queue: string): ToolSpec =>
  ToolSpec.parse({
    name: loadSkillToolName,
    version: sha256(description).slice(0, 12),
    description,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'The name, as the list has it.' } },
      required: ['name'],
      additionalProperties: false,
    },
    effect: 'read',
    queue,
    timeoutMs: 30_000,
  })

/** The tools of a process, and `load_skill` among them. */
export function withLoadSkill(host: ToolHost, queue = 'tools'): ToolHost {
  const spec = loadSkillSpec(queue)
  return {
    specs: async () => [...(await host.specs()), spec],
    knows: async (name, version) =>
      name === spec.name ? spec.version === version : host.knows(name, version),
    call: (request, signal) =>
      request.name === spec.name ? loadSkill(request) : host.call(request, signal),
    close: () => host.close(),
  }
}

const Args = z.strictObject({ name: z.string() })

async function loadSkill({ args, skills }: ToolRequest): Promise<ToolOutcome> {
  const read = Args.safeParse(args)
  if (!read.success)
    return failed('invalid_arguments', 'takes name, which is the name of a skill of the list')
  const { pinned = [], loaded = [] } = skills ?? {}
  const { name } = read.data
  const skill = pinned.find((each) => each.name === name)
  if (!skill || !skills) return failed('unknown_skill', unknownSkill(name, pinned))
  if (loaded.includes(name)) return { status: 'completed', output: say([alreadyLoaded(name)]) }
  const bundle = await skills.bundle(skill)
  if (!bundle)
    return failed('skill_gone', `The files of the skill "${name}" are not there any more.`)
  const text = loadedText(loadedOf(name, bundle))
  return { status: 'completed', output: say(pagesOf(text)), skill: name }
}

/** Instructions are read whole: of a text that is longer than a result may be, the model would be shown head and tail. */
function pagesOf(text: string): readonly string[] {
  const pages: string[] = []
  let page = ''
  for (const line of text.split('\n').flatMap(shortLines)) {
    const longer = page === '' ? line : `${page}\n${line}`
    if (longer.length <= limits.resultCharsMax) page = longer
    else {
      pages.push(page)
      page = line
    }
  }
  return [...pages, page]
}

/** A line that is longer than a result may be, in pieces; no character is cut in two. */
const shortLines = (line: string): readonly string[] =>
  line.length <= limits.resultCharsMax
    ? [line]
    : (line.match(new RegExp(`.{1,${limits.resultCharsMax / 2}}`, 'gu')) ?? [])

const failed = (code: string, message: string): ToolOutcome => ({
  status: 'failed',
  error: { code, message },
})

const say = (texts: readonly string[]) => ({
  content: texts.map((text): TextPart => ({ type: 'text', text })),
  isError: false,
})
