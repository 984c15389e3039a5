/** Safety lines of skills, as in `mutations.ts`. */
import type { GuardingTest, Mutation } from './mutations.ts'

const core = (file: string): string => `packages/core/src/${file}`
const engine = (file: string): string => `packages/engine/src/${file}`
const tools = (file: string): string => `packages/tools/src/${file}`

const inCore = (name: string): GuardingTest => ({ file: 'packages/core/test/skills.test.ts', name })
const inEngine = (name: string): GuardingTest => ({
  file: 'packages/engine/test/skills.test.ts',
  name,
})
const inFiles = (name: string): GuardingTest => ({
  file: 'packages/tools/test/skill-files.test.ts',
  name,
})
const inCommands = (name: string): GuardingTest => ({
  file: 'packages/tools/test/sandbox/skills.test.ts',
  name,
})
const overHttp = (name: string): GuardingTest => ({
  file: 'packages/server/test/skills.test.ts',
  name,
})
const onStart = (name: string): GuardingTest => ({
  file: 'packages/tools/test/skill-bundles.test.ts',
  name,
})

export const skillMutations: readonly Mutation[] = [
  {
    name: 'a skill is loaded twice',
    file: core('machine/step/skills.ts'),
    line: ' || context.skills.includes(at)) return { context, emission }',
    becomes: ') return { context, emission }',
  },
  {
    name: 'a call is made that no loaded skill names',
    file: core('verdict/authorization/judge.ts'),
    line: 'if (notOfSkills) return deny(notOfSkills, faults)',
    becomes: '',
  },
  {
    name: 'skills that name no tools restrict everything',
    file: core('verdict/skill/verdict.ts'),
    line: 'if (naming.length === 0 || named.has(tool)) return null',
    becomes: 'if (named.has(tool)) return null',
  },
  {
    name: 'the skills that a user names are not loaded',
    file: core('machine/step/turn.ts'),
    line: "skills: created?.skills ?? [], by: 'user'",
    becomes: "skills: [], by: 'user'",
  },
  {
    name: 'a prompt has no catalogue of skills',
    file: engine('perform/transcript.ts'),
    line: 'createProjection(frame.instructions, frame.catalogue)',
    becomes: 'createProjection(frame.instructions)',
  },
  {
    name: 'a description gives orders on lines of its own (C6)',
    file: core('skill/catalogue.ts'),
    line: '${inert(description)}',
    becomes: '${description}',
    test: {
      file: 'packages/core/test/skill-words.test.ts',
      name: 'holds a description full of orders on its line, as data',
    },
  },
  {
    name: 'a person allows what the skills do not, that were loaded meanwhile',
    file: core('machine/step/humans.ts'),
    line: "judged.effect === 'run' ? ofSkills(event.agent, context, spec.name) : null",
    becomes: 'null',
    test: inCore('at it: a call that waited for a person meanwhile is not made'),
  },
  {
    name: 'a skill takes away the tools that it needs',
    file: core('verdict/skill/verdict.ts'),
    line: 'loaded.length === 0 || always.has(tool)',
    becomes: 'loaded.length === 0',
    test: inCore('never takes away the tools by which a model loads, reads, plans and asks'),
  },
  {
    name: 'a skill says what a list denies to be allowed',
    file: core('verdict/authorization/judge.ts'),
    line: "if (answer.effect === 'deny') return deny(answer, faults)",
    becomes:
      "if (answer.effect === 'deny' && !pinnedSkills(bench.agent).some(({ tools }) => tools?.includes(call.name))) return deny(answer, faults)",
    test: inCore('never widens: a list, and a policy with I/O, deny what a skill names'),
  },
  {
    name: 'instructions of skills give way to a summary',
    file: engine('perform/compaction.ts'),
    line: '...(skills.length > 0 ? { skills } : {}),',
    becomes: '',
    test: inEngine('of the turns that loaded skills leaves their instructions as they were'),
  },
  {
    name: 'instructions that words keep are told twice',
    file: engine('perform/kept-skills.ts'),
    line: 'const bundle = isShown(part, body) ? null : await bundles.read({ digest })',
    becomes: 'const bundle = await bundles.read({ digest })',
    test: inEngine('keeps words that name a skill with its instructions'),
  },
  {
    name: 'bytes of a skill that were changed are used',
    file: engine('perform/bundles.ts'),
    line: '(bytes && sha256(bytes) === digest ? { path, bytes, executable } : null)',
    becomes: '(bytes && digest ? { path, bytes, executable } : null)',
    test: { file: 'packages/engine/test/bundles.test.ts', name: 'are not there where' },
  },
  {
    name: 'the list of the files of a skill is kept before them',
    file: engine('perform/bundles.ts'),
    line: "    await register.putBlob(place, { key, mime: 'application/octet-stream', bytes })",
    becomes:
      "    setTimeout(() => void register.putBlob(place, { key, mime: 'application/octet-stream', bytes }), 1)",
    test: {
      file: 'packages/engine/test/bundles.test.ts',
      name: 'are kept contents first, each once',
    },
  },
  {
    name: 'the words of a model load a skill',
    file: engine('create-run.ts'),
    line: 'const named = parent ? [] : skillsNamedIn(input, pinnedSkills(definition))',
    becomes: 'const named = skillsNamedIn(input, pinnedSkills(definition))',
    test: overHttp('and where a model says it'),
  },
  {
    name: 'a rerun forgets the skill that a recorded result answers',
    file: engine('perform/recall.ts'),
    line: '...(skill ? { skill } : {}),',
    becomes: '',
    test: overHttp('is read again by a retry, which has the agent as it is, and by a rerun'),
  },
  {
    name: 'a skill that is not loaded can be read',
    file: tools('skills/open-skills.ts'),
    line: 'const seen = this.#isLoaded(name) ? files : files.filter(({ path }) => path === skillFile)',
    becomes: 'const seen = files',
    test: inFiles('are read where their skill is loaded, and none but SKILL.md where it is not'),
  },
  {
    name: 'a file of a skill is written',
    file: tools('skills/open-skills.ts'),
    line: 'belowSkills(path) ? readOnly : workspace.writeFile(path, text),',
    becomes: 'workspace.writeFile(path, text),',
    test: inFiles('are changed by no tool, nor is anything put beside them'),
  },
  {
    name: 'a command has the files and the secrets of a skill that is not loaded',
    file: tools('skills/open-skills.ts'),
    line: 'const loaded = pinned.filter(({ name }) => this.#isLoaded(name))',
    becomes: 'const loaded = pinned',
    test: inCommands('§19.4 a secret is a variable of commands while its skill is loaded'),
  },
  {
    name: 'a file is kept that has the secret of a skill in it',
    file: tools('sandbox/bash-tool.ts'),
    line: '(bytes && mask.isTold(bytes))',
    becomes: 'false',
    test: inCommands('a file that has a secret in it is not kept'),
  },
  {
    name: 'aliases of YAML are followed',
    file: tools('skills/front-matter.ts'),
    line: "alias: 'an alias (*name)',",
    becomes: '',
    test: onStart('an alias'),
  },
]
